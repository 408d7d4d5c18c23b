"""What is due, and launching it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import asyncpg

from duetime.model.definition import Definition, decode_definition
from duetime.model.ids import NodeId
from duetime.store.port import JobRef, LaunchedRow, LaunchIntent, Wanted
from duetime.store.postgres.literals import numerals, texts
from duetime.store.postgres.pool import Pool
from duetime.store.postgres.queries import sql

TRIES = 5
"""A launch that collides with another sees it at the next try."""


def refs(rows: Iterable[Any]) -> list[JobRef]:
    """Rows as references; the columns come in the order of `JobRef`."""
    return list(map(JobRef._make, rows))


async def past_collisions(commit: Callable[[bool], Awaitable[list[asyncpg.Record]]]) -> list[asyncpg.Record]:
    """Commit launches, and again when one collides with another's; `commit` is told whether it is called again."""
    for tried in range(TRIES):
        try:
            return await commit(tried > 0)
        except asyncpg.UniqueViolationError:
            continue
    return []


class PostgresDue:
    """`DueStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """The look-ahead."""
        return refs(await self._pool.rows(sql("due"), *after, until, bytes(held), limit))

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """What is next in queues."""
        flows, limits, places = zip(*wanted, strict=True)
        after = [(None, None, None) if place is None else (-place[0], *place[1:]) for place in places]
        rows = await self._pool.rows(sql("backlog"), flows, limits, now, bytes(held), *zip(*after, strict=True))
        return refs(rows)

    async def due_flows(self, now: datetime) -> list[int]:
        """Queues with something due."""
        return [row["flow"] for row in await self._pool.rows(sql("due_flows"), now)]

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """The next lanes, each with its head if that was left behind."""
        return [tuple(row) for row in await self._pool.rows(sql("lanes/sweep"), *after, limit)]

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes, made ready."""
        return await self._promote(lanes, only_waiting=False)

    async def go_on(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes that somebody waits in."""
        users = {user for user, _ in lanes}
        waiting = {row[0] for row in await self._pool.rows(sql("lanes/waited_in"), list(users))}
        if not waiting:
            return []
        return await self._promote({lane for lane in lanes if lane[0] in waiting}, only_waiting=True)

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Ready no longer."""
        await self._pool.run(sql("lanes/hold_back"), [ref.user_id for ref in refs], [ref.id for ref in refs])

    async def _promote(self, lanes: Collection[tuple[int, str]], *, only_waiting: bool) -> list[JobRef]:
        users, names = zip(*lanes, strict=True)
        return refs(await self._pool.rows(sql("promote"), numerals(users), texts(names), only_waiting))


class PostgresLaunch:
    """`LaunchStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> list[LaunchedRow]:
        """Commit launches and read what they are to do."""
        rows = await self._commit(node, now, launches)
        gone = [row[0] for row in rows if row[2] is None]
        if gone:
            await self.unlaunch(node, gone, now)
            rows = [row for row in rows if row[2] is not None]
        return list(map(LaunchedRow._make, rows))

    async def _commit(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> list[asyncpg.Record]:
        in_lanes = [launch for launch in launches if launch[0].lane is not None]
        if 0 < len(in_lanes) < len(launches):
            launches = in_lanes + [launch for launch in launches if launch[0].lane is None]
        refs = [ref for ref, _ in launches]
        numbers = (
            numerals([ref.id for ref in refs]),
            numerals([ref.user_id for ref in refs]),
            numerals([term for _, term in launches]),
            numerals([ref.attempt + 1 for ref in refs]),
        )
        lanes = texts([ref.lane or "" for ref, _ in in_lanes]) if in_lanes else None

        def commit(again: bool) -> Awaitable[list[asyncpg.Record]]:
            places = [ref.execute_at for ref, _ in in_lanes] if again and in_lanes else None
            return self._pool.rows(sql("launch"), node, now, again, *numbers, lanes, places)

        return await past_collisions(commit)

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> None:
        """Take back launches that were never sent."""
        await self._pool.run(sql("unlaunch"), node, job_ids, until)

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """Launches that became this node's at exactly one of these instants."""
        return [row["job_id"] for row in await self._pool.rows(sql("left_behind"), node, instants)]

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Definitions by id."""
        rows = await self._pool.rows(sql("definitions"), ids)
        return {row["id"]: decode_definition(row["body"]) for row in rows}
