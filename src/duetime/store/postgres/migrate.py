"""The schema, by ordered migrations under a lock. An older Duetime refuses a schema that it cannot work with.

`docs/migrations.md` says how to write one.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import asyncpg
from msgspec import Struct

from duetime.model.errors import ConfigError, SchemaTooNew
from duetime.postgres.pool import Pool, translated
from duetime.store.postgres.server import check_server, check_sessions

LOCK = 0x6475655F74696D65
TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    oldest_reader int NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)"""


_BREAKING = re.compile(r"^-- breaking$", re.MULTILINE)


class Migration(NamedTuple):
    """One step of the schema: `migrations/NAME.sql`, whose name begins with its version in four digits."""

    version: int
    name: str
    text: str

    @property
    def oldest_reader(self) -> int:
        """The version that a Duetime must know to work with the schema after this step.

        A step with the line `-- breaking` needs a Duetime that knows this step. Any Duetime works with any other step.
        """
        return self.version if _BREAKING.search(self.text) else 1


class SchemaState(Struct, frozen=True):
    """Which migrations a database has, and which are missing."""

    version: int
    newest: int
    pending: tuple[str, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Returns the migrations that this Duetime knows, in order."""
    folder = resources.files("duetime.store.postgres") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple(Migration(int(name[:4]), name[:-4], (folder / name).read_text("utf-8")) for name in names)


async def apply_migrations(pool: Pool, known: Sequence[Migration] | None = None) -> list[str]:
    """Apply the missing migrations, each in its own transaction. Returns the names applied.

    Several nodes may call this at once: the lock lets one of them work, and the others find nothing left to do. What an
    interrupted call has committed stays, and the next call continues from there.
    """
    known = migrations() if known is None else known
    connection = await pool.connect()
    applied: list[str] = []
    try:
        async with translated(), _allowed():
            await check_server(connection)
            await _check_sessions(pool, connection)
            await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
            await connection.execute(TABLE)
            done = await _applied(connection, known)
            for migration in known:
                if migration.version not in done:
                    await _apply(connection, migration)
                    applied.append(migration.name)
    finally:
        await connection.close(timeout=5)
    return applied


async def _check_sessions(pool: Pool, connection: Any) -> None:
    other = await pool.connect()
    try:
        await check_sessions(connection, other)
    finally:
        await other.close(timeout=5)


async def _apply(connection: Any, migration: Migration) -> None:
    """Change the schema and record it, both or neither."""
    async with connection.transaction():
        await connection.execute(migration.text)
        await connection.execute(
            "INSERT INTO schema_migrations (version, name, oldest_reader) VALUES ($1, $2, $3)",
            migration.version,
            migration.name,
            migration.oldest_reader,
        )


@asynccontextmanager
async def _allowed() -> AsyncGenerator[None]:
    """Turn a missing right to change the schema into an error that says what to do."""
    try:
        yield
    except asyncpg.InsufficientPrivilegeError as error:
        raise ConfigError(
            f"The database's user may not bring the schema up to date ({error}): connect as the owner of the database, "
            "or as a member of the role that owns it.",
            key="database",
        ) from None


async def state(pool: Pool, known: Sequence[Migration] | None = None) -> SchemaState:
    """Returns the migrations of the database, without changing it. Refuses what `apply_migrations` refuses."""
    known = migrations() if known is None else known
    async with pool.acquired() as connection:
        await check_server(connection)
        await _check_sessions(pool, connection)
        there = await connection.fetchval("SELECT to_regclass('schema_migrations') IS NOT NULL")
        done = await _applied(connection, known) if there else set[int]()
    pending = tuple(one.name for one in known if one.version not in done)
    return SchemaState(max(done, default=0), known[-1].version, pending)


async def _applied(connection: Any, known: Sequence[Migration]) -> set[int]:
    """Returns the versions that the database has. Refuses a schema that this Duetime cannot work with."""
    names = {one.version: one.name for one in known}
    newest = known[-1].version
    rows = await connection.fetch("SELECT version, name, oldest_reader FROM schema_migrations ORDER BY version")
    for row in rows:
        if row["oldest_reader"] > newest:
            raise SchemaTooNew(
                f"The database has migration {row['name']}, made by a newer Duetime, and this one knows only up to "
                f"{newest}: upgrade this one.",
                version=row["version"],
            )
        if row["name"] != names.get(row["version"], row["name"]):
            raise ConfigError(
                f"The database has migration {row['name']} where this Duetime has {names[row['version']]}: it was made "
                "by an unreleased Duetime. Use a new database.",
                key="database",
            )
    return {row["version"] for row in rows}
