"""`DueStore` on PostgreSQL: due jobs by instant and by flow, and the next jobs of lanes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from duetime.postgres.pool import Pool
from duetime.store.port import JobRef, Wanted
from duetime.store.postgres.literals import numerals, texts
from duetime.store.postgres.queries import sql


def refs(rows: Iterable[Any]) -> list[JobRef]:
    """Returns rows as references. The columns come in the order of `JobRef`."""
    return list(map(JobRef._make, rows))


class PostgresDue:
    """`DueStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """Returns ready jobs in due order, for the look-ahead."""
        return refs(await self._pool.rows(sql("due.look_ahead"), *after, until, bytes(held), limit))

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """Returns the next due jobs of flows."""
        flows, limits, positions = zip(*wanted, strict=True)
        after = [(None, None, None) if one is None else (-one[0], *one[1:]) for one in positions]
        rows = await self._pool.rows(sql("due.backlog"), flows, limits, now, bytes(held), *zip(*after, strict=True))
        return refs(rows)

    async def due_flows(self, now: datetime) -> list[int]:
        """Returns the flows that have a due job."""
        return [row["flow"] for row in await self._pool.rows(sql("due.flows"), now)]

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """Returns the next lanes, each with its first job if that should be ready and is not."""
        return [tuple(row) for row in await self._pool.rows(sql("lanes.sweep"), *after, limit)]

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make the next jobs of lanes ready. Returns them."""
        return await self._promote(lanes, only_waiting=False)

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make the next jobs ready in those of the lanes that have a job which is not ready."""
        users = {user for user, _ in lanes}
        waiting = {row[0] for row in await self._pool.rows(sql("lanes.waited_in"), list(users))}
        if not waiting:
            return []
        return await self._promote({lane for lane in lanes if lane[0] in waiting}, only_waiting=True)

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Make jobs not ready."""
        await self._pool.run(sql("lanes.hold_back"), [ref.user_id for ref in refs], [ref.id for ref in refs])

    async def _promote(self, lanes: Collection[tuple[int, str]], *, only_waiting: bool) -> list[JobRef]:
        users, names = zip(*lanes, strict=True)
        return refs(await self._pool.rows(sql("lanes.promote"), numerals(users), texts(names), only_waiting))
