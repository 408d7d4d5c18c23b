"""`SettleStore` on PostgreSQL: settles runs, and finds those whose executor is gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter

import asyncpg

from duetime.model.ids import NodeId
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.port import Again, Ending, JobRef, Orphan
from duetime.store.postgres.due import refs
from duetime.store.postgres.literals import microseconds, numerals
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention

SUCCEEDED = JobState.SUCCEEDED
FEW = 32
"""Up to this many endings of different kinds are settled by one general statement: a second one would cost more."""


class PostgresSettle:
    """`SettleStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history. Returns the ids settled."""
        plain, rest = _apart(endings)
        if rest and len(endings) <= FEW:
            plain, rest = (), endings
        settled = await self._succeed(plain) if plain else set[int]()
        if rest:
            settled |= {row[0] for row in await self._recorded("settle.finish", rest, rest)}
        return settled

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs whose jobs wait for the next attempt. Returns the jobs."""
        rows = await self._recorded("settle.retry", again, again)
        return refs(row[:9] for row in rows)

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Returns launches of an executor that are older than an instant."""
        return [Orphan(*row) for row in await self._pool.rows(sql("settle.launched_before"), node, before, limit)]

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Returns runs whose executor has no lease."""
        return [Orphan(*row) for row in await self._pool.rows(sql("settle.orphans"), bytes(held), limit)]

    async def _succeed(self, plain: Sequence[Ending]) -> set[int]:
        ids, executors, attempts, _, started, finished, _, _ = zip(*sorted(plain, key=itemgetter(0)), strict=True)
        instants = numerals(microseconds(started)), numerals(microseconds(finished))
        (answer,) = await self._recorded("settle.succeed", plain, executors[0], attempts[0], numerals(ids), *instants)
        return set(ids if answer["settled"] is None else answer["settled"])

    async def _recorded(
        self, name: str, settled: Sequence[Ending] | Sequence[Again], *arguments: object
    ) -> list[asyncpg.Record]:
        try:
            return await self._pool.rows(sql(name), *arguments)
        except asyncpg.CheckViolationError as error:
            if "no partition" not in str(error):
                raise
            days = [one.finished_at.astimezone(UTC).date() for one in settled]
            await PostgresRetention(self._pool).make_days(min(days), max(days) + timedelta(days=1))
            return await self._pool.rows(sql(name), *arguments)


def _apart(endings: Sequence[Ending]) -> tuple[Sequence[Ending], Sequence[Ending]]:
    """Returns the plain successes of one executor and attempt, and the rest. Plain means without reason and result."""
    nothing = None, None
    plain = [one for one in endings if one[3] is SUCCEEDED and one[6:] == nothing and one[4] is not None]
    if plain:
        executor, attempt = plain[0][1:3]
        plain = [one for one in plain if one[2] == attempt and one[1] == executor]
    if len(plain) == len(endings):
        return plain, ()
    kept = {id(one) for one in plain}
    return plain, [one for one in endings if id(one) not in kept]
