"""`ActivityStore` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from duetime.model.activity import ActivityRow, UserLaunches
from duetime.model.flow import PART
from duetime.model.ids import flow_of
from duetime.postgres.pool import Pool
from duetime.store.activity_port import DueNow, InFlight, PlannedJob
from duetime.store.postgres.queries import sql
from duetime.store.schedule_port import ScheduleRow

FLOWS: Final = 200
"""How many flows of a user are looked at."""
HOLD_BACK: Final = ("breaker", "definition_limit", "user_limit")
"""Gates that hold jobs back. Full slots are not among them: what waits for slots is overdue."""


class PostgresActivity:
    """`ActivityStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def add(self, rows: Sequence[ActivityRow]) -> None:
        """Add sums."""
        await self._pool.run(sql("activity.add"), sorted(rows, key=lambda row: row[:3]))

    async def drop(self, minutes_before: datetime, hours_before: datetime) -> None:
        """Delete old sums."""
        await self._pool.run(sql("activity.drop"), minutes_before, hours_before)

    async def read(self, user_id: int, span: int, first: datetime, until: datetime) -> list[ActivityRow]:
        """Returns the sums of a user, oldest first."""
        return [ActivityRow(*row) for row in await self._pool.rows(sql("activity.read"), user_id, span, first, until)]

    async def launches(self, first: datetime, limit: int) -> list[UserLaunches]:
        """Returns the users with the most launches."""
        return [UserLaunches(*row) for row in await self._pool.rows(sql("activity.launches"), first, limit)]

    async def due_now(self, user_id: int, before: datetime, most: int, held: Sequence[int] = ()) -> DueNow:
        """Returns what a user has that is due and not launched."""
        gates = [gate for gate in await self._pool.rows(sql("gates.closed"), user_id) if gate["kind"] in HOLD_BACK]
        flows = [*held, *(gate["flow"] for gate in gates if gate["flow"])]
        whole = any(gate["kind"] == "user_limit" for gate in gates)
        rows = await self._pool.rows(sql("activity.due_now"), *_flows(user_id), before, most, FLOWS, flows, whole)
        found = {row["held"]: (row["n"], row["oldest"]) for row in rows}
        return DueNow(*found[False], *found[True])

    async def due_flows(self, user_id: int, before: datetime) -> list[int]:
        """Returns the flows of a user with jobs that are due."""
        rows = await self._pool.rows(sql("activity.due_flows"), *_flows(user_id), before, FLOWS)
        return [row["flow"] for row in rows]

    async def in_flight(self, user_id: int | None) -> InFlight:
        """Returns what is in flight."""
        (row,) = await self._pool.rows(sql("activity.in_flight"), user_id)
        return InFlight(*row)

    async def totals(self) -> dict[str, int]:
        """Returns how many jobs of all users are in each state."""
        return {row["state"]: row["n"] for row in await self._pool.rows(sql("activity.totals"))}

    async def blocked_lanes(self, most: int) -> int:
        """Returns how many lanes of all users wait for a person."""
        (row,) = await self._pool.rows(sql("activity.blocked_lanes"), most)
        return row["n"]

    async def schedules(self, ids: Sequence[int]) -> list[ScheduleRow]:
        """Returns schedules of any user."""
        return [ScheduleRow(*row) for row in await self._pool.rows(sql("activity.schedules"), ids)]

    async def planned(self, user_id: int | None, first: datetime, until: datetime, most: int) -> list[PlannedJob]:
        """Returns jobs that come due within a time."""
        if user_id is None:
            rows = await self._pool.rows(sql("activity.planned_by_all"), first, until, most)
        else:
            rows = await self._pool.rows(sql("activity.planned"), *_flows(user_id), first, until, most, FLOWS)
        return [PlannedJob(*row) for row in rows]


def _flows(user_id: int) -> tuple[int, int]:
    """Returns the first flow of a user, and the first one that is not its own."""
    return flow_of(user_id, 0), flow_of(user_id, PART) + 1
