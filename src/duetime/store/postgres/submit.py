"""`SubmitStore` on PostgreSQL: stores definitions and jobs, many in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

from duetime.model.ids import UserId
from duetime.postgres.pool import Pool
from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored
from duetime.store.postgres.literals import EXACT_FROM, EXACT_TO, microseconds, numerals
from duetime.store.postgres.queries import sql

CHUNK = 1000
"""Rows in one statement: one with ten thousand would keep the event loop busy for a tenth of a second."""
CHUNK_LENGTH = 256 * 1024
"""Characters of messages in one statement, for the same reason. A longer message has a statement of its own."""


class PostgresSubmit:
    """`SubmitStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def intern(self, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        """Store new definitions. Returns the ids of all."""
        users, hashes, bodies = zip(*wanted, strict=True)
        rows = await self._pool.rows(sql("submit.intern"), users, hashes, bodies, day)
        return {(row["user_id"], row["hash"]): row["id"] for row in rows}

    async def other_definitions(self, user_id: int, hashes: Sequence[bytes]) -> int:
        """Returns how many definitions a user has beside those with these hashes."""
        row = await self._pool.row(sql("submit.other_definitions"), user_id, hashes)
        return 0 if row is None else row[0]

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably, all or none."""
        chunks = list(chunked(rows))
        if len(chunks) == 1:
            async with self._pool.acquired() as connection:
                return await insert_jobs(connection, rows, now)
        stored: list[Stored] = []
        async with self._pool.transaction() as connection:
            for chunk in chunks:
                stored += await insert_jobs(connection, chunk, now)
        return stored

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that have idempotency keys."""
        answers: list[Stored | None] = [None] * len(rows)
        async with self._pool.transaction() as connection:
            await self._look_at_shards(connection, rows, keys)
            reserved = await connection.fetch(
                sql("submit.reserve_keys"),
                [row.shard for row in rows],
                [row.user_id for row in rows],
                [key.key for key in keys],
                [key.fingerprint for key in keys],
                now,
            )
            new = sorted((row["id"], row["position"]) for row in reserved)
            if new:
                stored = await insert_jobs(connection, [rows[at]._replace(taken_id=job_id) for job_id, at in new], now)
                for (_, at), answer in zip(new, stored, strict=True):
                    answers[at] = answer
            refused = [at for at, answer in enumerate(answers) if answer is None]
            if refused:
                holders = await connection.fetch(
                    sql("submit.key_holders"), [rows[at].user_id for at in refused], [keys[at].key for at in refused]
                )
                by_key = {(h["user_id"], h["key"]): KeyHolder(h["job_id"], h["fingerprint"]) for h in holders}
                for at in refused:
                    holder = by_key[rows[at].user_id, keys[at].key]
                    answers[at] = Stored(holder.job_id, ready=False, holder=holder)
        return [answer for answer in answers if answer is not None]

    async def _look_at_shards(self, connection: Any, rows: Sequence[JobRow], keys: Sequence[KeyClaim]) -> None:
        """Check that the shards are here. With one database, they always are."""


def chunked(rows: Sequence[JobRow]) -> Iterator[Sequence[JobRow]]:
    """Divides rows into those of one statement each."""
    if len(rows) <= CHUNK and sum(len(row.message) for row in rows) <= CHUNK_LENGTH:
        yield rows
        return
    first = length = 0
    for at, row in enumerate(rows):
        length += len(row.message)
        if at > first and (length > CHUNK_LENGTH or at - first == CHUNK):
            yield rows[first:at]
            first, length = at, len(row.message)
    yield rows[first:]


async def insert_jobs(connection: Any, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
    """Store jobs over a connection, as many as `chunked` gives. Returns them in order."""
    plain = _plain_columns(rows)
    if plain is not None:
        messages, *numbers = plain
        ids = await connection.fetchval(sql("submit.store_plain"), messages, now, *map(numerals, numbers))
        return [Stored(job_id, ready=True) for job_id in sorted(ids)]
    ids, waiting = await connection.fetchrow(sql("submit.store"), rows, now)
    not_ready = set(waiting or ())
    return [Stored(job_id, job_id not in not_ready) for job_id in sorted(ids)]


def _plain_columns(rows: Sequence[JobRow]) -> tuple[Sequence[Any], ...] | None:
    """Returns the columns of plain jobs, messages first. None if a row has more than plain jobs have."""
    reserved, shards, users, definitions, flows, priorities, ready, execute, due, *rare, messages = zip(
        *rows, strict=True
    )
    if not all(ready) or any(column.count(None) < len(rows) for column in (reserved, *rare)):
        return None
    execute, due = microseconds(execute), microseconds(due)
    if min(min(execute), min(due)) < EXACT_FROM or max(max(execute), max(due)) >= EXACT_TO:
        return None
    return messages, shards, users, definitions, flows, priorities, execute, due
