"""The schema, by ordered migrations under a lock. An old Duetime refuses a schema it cannot work with."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from msgspec import Struct

from duetime.model.errors import ConfigError, SchemaTooNew
from duetime.store.postgres.pool import Pool, translated
from duetime.store.postgres.queries import migrations

OLDEST_SERVER = 18
LOCK = 0x6475655F74696D65
TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    oldest_reader int NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)"""


class SchemaState(Struct, frozen=True):
    """Which migrations a database has and lacks."""

    version: int
    newest: int
    pending: tuple[str, ...]


def oldest_reader(version: int, text: str) -> int:
    """The oldest release's newest migration that can still work after this one.

    A migration says `-- breaking` in a line of its own when older releases cannot live with it.
    """
    return version if version == 1 or "\n-- breaking\n" in text else 1


async def apply_migrations(pool: Pool) -> list[str]:
    """Apply what is missing, each migration in its own transaction; the names applied."""
    connection = await pool.connect()
    applied: list[str] = []
    try:
        check_version(connection.get_server_version().major)
        async with translated(), _allowed():
            await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
            await connection.execute(TABLE)
            done = await _versions(connection)
            for version, name, text in migrations():
                if version in done:
                    continue
                async with connection.transaction():
                    await connection.execute(text)
                    await connection.execute(
                        "INSERT INTO schema_migrations (version, name, oldest_reader) VALUES ($1, $2, $3)",
                        version,
                        name,
                        oldest_reader(version, text),
                    )
                applied.append(name)
    finally:
        await connection.close(timeout=5)
    return applied


def check_version(major: int) -> None:
    """Refuse a server that lacks what statements here use."""
    if major < OLDEST_SERVER:
        raise ConfigError(
            f"The database's server is PostgreSQL {major}, and {OLDEST_SERVER} or later is needed.", key="database"
        )


@asynccontextmanager
async def _allowed() -> AsyncGenerator[None]:
    """Say what to do when the user may not change the schema."""
    try:
        yield
    except asyncpg.InsufficientPrivilegeError as error:
        raise ConfigError(
            f"The database's user may not bring the schema up to date ({error}): "
            "run 'duetime migrate' as one who may, or let it own the database.",
            key="database",
        ) from None


async def state(pool: Pool) -> SchemaState:
    """What the database has, without changing it."""
    newest = migrations()[-1][0]
    if not await pool.row("SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL"):
        return SchemaState(0, newest, tuple(name for _, name, _ in migrations()))
    rows = await pool.rows("SELECT version FROM schema_migrations")
    done = {row["version"] for row in rows}
    return SchemaState(max(done, default=0), newest, tuple(n for v, n, _ in migrations() if v not in done))


async def _versions(connection: Any) -> set[int]:
    known = migrations()[-1][0]
    rows = await connection.fetch("SELECT version, name, oldest_reader FROM schema_migrations ORDER BY version")
    for row in rows:
        if row["oldest_reader"] > known:
            raise SchemaTooNew(
                f"The database has migration {row['name']}, made by a newer Duetime, and this one knows only up to "
                f"{known}: upgrade this one.",
                version=row["version"],
            )
    return {row["version"] for row in rows}
