"""The steps of moving shards, in the database that they leave and in the one that they come to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import date
from tempfile import SpooledTemporaryFile
from typing import IO

from duetime.model.errors import Conflict
from duetime.postgres.pool import Connection, Pool, translated
from duetime.store.move_port import Arrival, Leaving, Part, UnderWay
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.placement import PostgresPlacement
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention

IN_MEMORY = 64 * 1024 * 1024
INDEXES = {
    "moving_jobs": "jobs ((id & 1023))",
    "moving_keys": "idempotency (key_shard(user_id, key))",
    "moving_workflows": "workflows ((id & 1023))",
    "moving_steps": "steps ((workflow_id & 1023))",
    "moving_edges": "edges ((child & 1023))",
    "moving_signals": "signals ((workflow_id & 1023))",
}
"""Indexes that find the rows of a shard. They exist only while shards leave, so that nothing else pays for them."""
GOING = (
    ("jobs", "(id & 1023) = ANY($1::bigint[])"),
    ("schedules", "shard = ANY($1::bigint[])"),
    ("idempotency", "key_shard(user_id, key) = ANY($1::bigint[])"),
    ("history", "state = 'dead' AND (id & 1023) = ANY($1::bigint[])"),
    (
        "history",
        "state = 'skipped' AND (user_id, id) IN (SELECT s.user_id, s.job_id FROM steps s "
        "WHERE s.upstream AND (s.workflow_id & 1023) = ANY($1::bigint[]))",
    ),
    ("edges", "(child & 1023) = ANY($1::bigint[])"),
    ("signals", "(workflow_id & 1023) = ANY($1::bigint[])"),
    ("steps", "(workflow_id & 1023) = ANY($1::bigint[])"),
    ("workflows", "(id & 1023) = ANY($1::bigint[])"),
)
"""What goes with a shard, in this order. Other records stay where they are, and are read there. Skipped steps go before
the steps by which they are found."""
TOLD = ("moves.tell_jobs", "moves.tell_dead", "moves.tell_skipped")


class PostgresMoves:
    """`MoveStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._placed, self._placement = PlacedSubmit(pool), PostgresPlacement(pool)

    async def arrivals(self) -> list[Arrival]:
        """Shards that are expected here."""
        return [Arrival(*row) for row in await self._pool.rows(sql("moves.arrivals"))]

    async def leaving(self) -> dict[int, int]:
        """Shards that are leaving, and where to."""
        return {row["shard"]: row["moving_to"] for row in await self._pool.rows(sql("moves.leaving"))}

    async def jobs_by_shard(self) -> dict[int, int]:
        """How many jobs wait in each shard."""
        return {row["shard"]: row["jobs"] for row in await self._pool.rows(sql("moves.count"))}

    async def old_nodes(self) -> list[str]:
        """Living nodes that do not know all databases."""
        return [row["name"] for row in await self._pool.rows(sql("placement.old_nodes"))]

    async def expect(self, shards: Sequence[int], source: int) -> None:
        """Expect shards from another database."""
        await self._pool.run(sql("moves.expect"), shards, source)

    async def prepare_to_leave(self) -> None:
        """Make it cheap to find what belongs to a shard."""
        broken = await self._pool.rows(sql("moves.broken_indexes"), list(INDEXES))
        await self._outside_transactions([f"DROP INDEX CONCURRENTLY IF EXISTS {row['name']}" for row in broken])
        await self._outside_transactions(
            [f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {what}" for name, what in INDEXES.items()]
        )

    async def tidy_up(self) -> None:
        """Nothing leaves any more."""
        await self._outside_transactions([f"DROP INDEX CONCURRENTLY IF EXISTS {name}" for name in INDEXES])

    async def close(self, shards: Sequence[int], to: int) -> None:
        """After the return no job is added to these shards, and no node acquires them."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("moves.close_placement"), shards)
            await connection.execute(sql("moves.close_shards"), shards, to)
        await self._notify()

    async def open(self, shards: Sequence[int]) -> None:
        """These shards live here, open to every node."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("moves.open_placement"), shards)
            await connection.execute(sql("moves.open_shards"), shards)
            await connection.execute(sql("moves.arrived"), shards)
        await self._notify()

    async def forget_arrivals(self, shards: Sequence[int]) -> None:
        """These are not expected any more."""
        await self._pool.run(sql("moves.forget"), shards)

    async def owned(self, shards: Sequence[int]) -> int:
        """How many a living node still holds."""
        await self._pool.run(sql("moves.fence"))
        row = await self._pool.row(sql("moves.owned"), shards)
        return row["n"] if row else 0

    async def mark(self) -> str:
        """A mark in time for `older_than`."""
        row = await self._pool.row(sql("moves.begin_barrier"))
        return row["mark"] if row else ""

    async def older_than(self, mark: str) -> int:
        """How many statements that began before the mark have not ended."""
        row = await self._pool.row(sql("moves.barrier"), mark)
        return row["n"] if row else 0

    async def under_way(self, shards: Sequence[int]) -> UnderWay:
        """Runs of these shards."""
        row = await self._pool.row(sql("moves.under_way"), shards)
        return UnderWay(row["n"], row["orphans"]) if row else UnderWay(0, 0)

    async def set_homes(self, shards: Sequence[int], number: int) -> None:
        """In the home database: where these shards live."""
        await self._pool.run(sql("placement.set_homes"), shards, number)

    @asynccontextmanager
    async def leaving_rows(self, shards: Sequence[int], to: int) -> AsyncGenerator[Leaving]:
        """What is in these shards, taken out when the block ends well, and left as it was when it does not."""
        async with self._own_connection() as connection, translated(), connection.transaction():
            held = await connection.fetch(sql("moves.hold"), shards, to)
            if len(held) < len(shards):
                raise Conflict("Some of these shards have an owner, or were released meanwhile: try again.")
            row = await connection.fetchrow(sql("moves.definitions_needed"), shards)
            leaving = PostgresLeaving(
                connection,
                list(shards),
                [row["term"] for row in held],
                await self._placed.last_number(),
                list(row["definitions"]),
                list(row["calendars"]),
            )
            yield leaving
            await connection.execute(sql("moves.left"), shards)

    async def receive(
        self, leaving: Leaving, parts: Sequence[Part], days: Sequence[date], definitions: Mapping[int, int]
    ) -> int:
        """Store what arrives, in one transaction. Returns how many jobs. Replaces what a mover that died had stored."""
        await self._placed.raise_number(leaving.last_number + 20_000)
        for day in days:
            await PostgresRetention(self._pool).make_days(day, day)
        shards = leaving.shards
        async with self._own_connection() as connection, translated(), connection.transaction():
            if any(one.received for one in await self.arrivals() if one.shard in set(shards)):
                await _wipe(connection, shards)
            stored = 0
            for table, columns, content in parts:
                content.seek(0)
                status = await _copy_in(connection, table, columns, content, definitions)
                stored = int(status.rsplit(" ", 1)[1]) if table == "jobs" else stored
            for told in TOLD:
                await connection.execute(sql(told), shards, 1)
            await connection.execute(sql("moves.received"), shards, leaving.terms)
        return stored

    @asynccontextmanager
    async def _own_connection(self) -> AsyncGenerator[Connection]:
        """Outside the pool and its time limits: moving much takes long."""
        connection = await self._pool.connect(None)
        try:
            yield connection
        finally:
            await connection.close(timeout=5)

    async def _outside_transactions(self, statements: Sequence[str]) -> None:
        async with self._own_connection() as connection, translated():
            for statement in statements:
                await connection.execute(statement)

    async def _notify(self) -> None:
        await self._pool.run(sql("moves.notify"), "duetime", "shards ")


class PostgresLeaving:
    """What leaves, held still in a transaction of the database that it leaves."""

    def __init__(
        self,
        connection: Connection,
        shards: list[int],
        terms: list[int],
        last_number: int,
        definitions: list[int],
        calendars: list[int],
    ) -> None:
        self._connection = connection
        self.shards, self.terms, self.last_number = shards, terms, last_number
        self.definitions, self.calendars = definitions, calendars

    async def days(self) -> list[date]:
        """The days for which there must be room in the other database."""
        return [row["day"] for row in await self._connection.fetch(sql("moves.dead_days"), self.shards)]

    async def removed_rows(self) -> list[Part]:
        """Every row, deleted here, as it is to be stored there."""
        for told in TOLD:
            await self._connection.execute(sql(told), self.shards, -1)
        parts: list[Part] = []
        for table, those in GOING:
            columns = [row["name"] for row in await self._connection.fetch(sql("moves.columns"), table)]
            content: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - the caller closes it
            query = f"DELETE FROM {table} WHERE {those} RETURNING {', '.join(columns)}"  # noqa: S608 - our own names
            await self._connection.copy_from_query(query, self.shards, output=content, format="binary")
            parts.append(Part(table, columns, content))
        return parts


async def _copy_in(
    connection: Connection, table: str, columns: list[str], content: IO[bytes], definitions: Mapping[int, int]
) -> str:
    """Store rows by way of a temporary table, in which they get the ids that definitions have here. Returns the tag."""
    if "definition_id" not in columns:
        return await connection.copy_to_table(table, source=content, columns=columns, format="binary")
    await connection.execute(f"CREATE TEMP TABLE arriving (LIKE {table}) ON COMMIT DROP")
    await connection.copy_to_table("arriving", source=content, columns=columns, format="binary")
    renumbered = {old: new for old, new in definitions.items() if old != new}
    if renumbered:
        statement = sql("moves.renumber_flows") if "flow" in columns else sql("moves.renumber")
        await connection.execute(statement, list(renumbered), list(renumbered.values()))
    names = ", ".join(columns)
    tag = await connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM arriving")  # noqa: S608 - our own
    await connection.execute("DROP TABLE arriving")
    return tag


async def _wipe(connection: Connection, shards: Sequence[int]) -> None:
    """Delete what was stored before: none of it was released in the other database yet."""
    for told in TOLD:
        await connection.execute(sql(told), shards, -1)
    for table, those in GOING:
        await connection.execute(f"DELETE FROM {table} WHERE {those}", shards)  # noqa: S608 - names of our own
