"""Stores jobs in one database of several, and keys and definitions for jobs of the other databases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import asyncpg

from duetime.model.errors import Elsewhere
from duetime.model.ids import SHARDS, shard_of, shard_of_key
from duetime.store.cell_port import DefinitionCopy
from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored
from duetime.store.postgres.fence import held_still
from duetime.store.postgres.queries import sql
from duetime.store.postgres.submit import CHUNK, PostgresSubmit


class PlacedSubmit(PostgresSubmit):
    """`SubmitStore` and `PlacedStore` on one database of several. `Elsewhere` when a shard is not here."""

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably: all or none."""
        if len(rows) <= CHUNK:
            async with self._pool.acquired() as connection:
                return await _insert(connection, rows, now)
        stored: list[Stored] = []
        async with self._pool.transaction() as connection:
            for at in range(0, len(rows), CHUNK):
                stored += await _insert(connection, rows[at : at + CHUNK], now)
        return stored

    async def new_ids(self, shards: Sequence[int]) -> list[int]:
        """An id for a job in each of these shards."""
        numbers = await self._pool.rows(sql("placement.numbers"), len(shards))
        return [row["n"] * SHARDS + shard for row, shard in zip(numbers, shards, strict=True)]

    async def claim(
        self, users: Sequence[int], keys: Sequence[KeyClaim], job_ids: Sequence[int], now: datetime
    ) -> list[KeyHolder]:
        """Reserve keys for jobs of other databases. Returns the holder of each key, by this call or an earlier one."""
        async with self._pool.transaction() as connection:
            await held_still(connection, shards=_key_shards(users, keys))
            names, prints = [one.key for one in keys], [one.fingerprint for one in keys]
            await connection.execute(sql("placement.reserve_given"), users, names, prints, job_ids, now)
            rows = await connection.fetch(sql("submit.key_holders"), users, names)
        found = {(row["user_id"], row["key"]): KeyHolder(row["job_id"], row["fingerprint"]) for row in rows}
        return [found[user, one.key] for user, one in zip(users, keys, strict=True)]

    async def submit_absent(self, rows: Sequence[JobRow], now: datetime) -> list[Stored | None]:
        """Store jobs whose ids are given, except those that are here already, waiting or in history."""
        given = [(row.user_id, row.taken_id or 0) for row in rows]
        users, ids = zip(*given, strict=True)
        try:
            async with self._pool.transaction() as connection:
                await held_still(connection, shards=[shard_of(one) for one in ids])
                absent = {row["id"] for row in await connection.fetch(sql("placement.absent"), users, ids)}
                wanted = sorted((row for row in rows if row.taken_id in absent), key=lambda row: row.taken_id or 0)
                stored = await _insert(connection, wanted, now) if wanted else []
        except asyncpg.UniqueViolationError:
            return [None] * len(rows)
        found = {one.job_id: one for one in stored}
        return [found.get(row.taken_id or 0) for row in rows]

    async def whole_definitions(self, ids: Sequence[int]) -> list[DefinitionCopy]:
        """Returns definitions, to be copied."""
        return [DefinitionCopy(*row) for row in await self._pool.rows(sql("placement.definitions"), ids)]

    async def last_number(self) -> int:
        """How far the numbers of jobs have come."""
        row = await self._pool.row(sql("placement.last_number"))
        return row["n"] if row else 0

    async def raise_number(self, to: int) -> None:
        """Let numbers go on from here, if they are far behind."""
        await self._pool.run(sql("placement.raise_number"), to)

    async def _look_at_shards(self, connection: Any, rows: Sequence[JobRow], keys: Sequence[KeyClaim]) -> None:
        users = [row.user_id for row in rows]
        await held_still(connection, shards=[row.shard for row in rows] + _key_shards(users, keys))


def _key_shards(users: Sequence[int], keys: Sequence[KeyClaim]) -> list[int]:
    return [shard_of_key(user, one.key) for user, one in zip(users, keys, strict=True)]


async def _insert(connection: Any, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
    ids, ready = await connection.fetchrow(sql("placement.submit"), rows, now, list({row.shard for row in rows}))
    if ids is None:
        raise Elsewhere
    return [Stored(job_id, is_ready) for job_id, is_ready in zip(ids, ready, strict=True)]
