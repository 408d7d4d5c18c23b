"""`LaunchStore` on PostgreSQL: commits launches, and takes back those that were never started."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import asyncpg

from duetime.model.definition import Definition, decode_definition
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from duetime.store.port import Launched, LaunchedRow, LaunchIntent
from duetime.store.postgres.ended import ended
from duetime.store.postgres.literals import numerals, texts
from duetime.store.postgres.queries import sql

TRIES = 5
"""A launch that collides with another one sees that one at the next try."""


async def past_collisions(commit: Callable[[bool], Awaitable[list[asyncpg.Record]]]) -> list[asyncpg.Record]:
    """Commit launches, and try again when one collides with another launch. `commit` gets whether this is a repeat."""
    for tried in range(TRIES):
        try:
            return await commit(tried > 0)
        except asyncpg.UniqueViolationError:
            continue
    return []


def by_column(launches: Sequence[LaunchIntent]) -> tuple[list[LaunchIntent], tuple[str | None, ...]]:
    """Returns the launches in lanes, and the columns that the statements expect: ids, users, terms, attempts, lanes.

    Jobs in lanes come first in every column. The last column has only their lanes.
    """
    in_lanes = [launch for launch in launches if launch[0].lane is not None]
    if 0 < len(in_lanes) < len(launches):
        launches = in_lanes + [launch for launch in launches if launch[0].lane is None]
    refs = [ref for ref, _ in launches]
    return in_lanes, (
        numerals([ref.id for ref in refs]),
        numerals([ref.user_id for ref in refs]),
        numerals([term for _, term in launches]),
        numerals([ref.attempt + 1 for ref in refs]),
        texts([ref.lane or "" for ref, _ in in_lanes]) if in_lanes else None,
    )


class PostgresLaunch:
    """`LaunchStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        """Commit launches. Returns what to run."""
        rows = await self._commit(node, now, launches)
        gone = [row[0] for row in rows if row[2] is None]
        if gone:
            rows = [row for row in rows if row[2] is not None]
        return Launched(list(map(LaunchedRow._make, rows)), gone)

    async def _commit(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> list[asyncpg.Record]:
        in_lanes, columns = by_column(launches)

        def commit(again: bool) -> Awaitable[list[asyncpg.Record]]:
            positions = [ref.execute_at for ref, _ in in_lanes] if again and in_lanes else None
            return self._pool.rows(sql("launch.commit"), node, now, again, *columns, positions)

        return await past_collisions(commit)

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
        """Take back launches that were never started."""
        return ended(await self._pool.rows(sql("launch.unlaunch"), node, job_ids, until))

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """Returns the jobs whose launches became this node's at exactly one of these instants."""
        return [row["job_id"] for row in await self._pool.rows(sql("launch.left_behind"), node, instants)]

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Returns definitions by id."""
        rows = await self._pool.rows(sql("launch.definitions"), ids)
        return {row["id"]: decode_definition(row["body"]) for row in rows}
