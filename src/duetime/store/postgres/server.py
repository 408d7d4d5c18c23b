"""What a server must be to hold a store: its version, the rights of the user, and sessions with their settings.

`duetime up`, `duetime migrate` and `duetime check` refuse the same servers with the same sentences.
"""

from __future__ import annotations

from duetime.model.errors import ConfigError
from duetime.postgres.connections import Connection
from duetime.postgres.pool import SETTINGS, Pool
from duetime.store.postgres.queries import sql

OLDEST_SERVER, NEWEST_TESTED_SERVER = 15, 18
PLANNING = [name for name in SETTINGS if name.startswith("enable_") or name in ("jit", "plan_cache_mode")]
"""The settings of a session without which statements have other plans than those that are tested."""


async def check_server(connection: Connection) -> None:
    """Refuse a server that is too old, a user with too few rights, and a connection that loses session settings."""
    check_version(connection.get_server_version().major)
    row = await connection.fetchrow(sql("server.rights"))
    if not row["creates"]:
        raise ConfigError(
            f"The database's user '{row['user_name']}' may not create tables in {_schema(row['schema_name'])}: connect "
            "as the owner of the database, or as a member of the role that owns it.",
            key="database",
        )
    if row["owner"] is not None and not row["owns"]:
        raise ConfigError(
            f"The tables in the database belong to '{row['owner']}', and the user '{row['user_name']}' may not change "
            f"them: connect as '{row['owner']}', or make '{row['user_name']}' a member of that role. A node creates "
            "and drops a table for each day.",
            key="database",
        )
    for name, setting in await connection.fetch(sql("server.settings"), PLANNING):
        if setting != SETTINGS[name]:
            raise ConfigError(
                f"The session's setting {name} is '{setting}' instead of '{SETTINGS[name]}': a pooler between this "
                "node and the server does not pass settings on. Connect to the server itself, or set it for the role.",
                key="database",
            )


async def check_sessions(connection: Connection, other: Connection) -> None:
    """Refuse a pooler that lends server connections for a transaction each: notifications and locks get lost there."""
    before = await connection.fetchval(sql("server.session"))
    async with other.transaction():
        # In such a pool, the second connection now holds the server connection that the first one used.
        await other.fetchval(sql("server.session"))
        after = await connection.fetchval(sql("server.session"))
    if before != after:
        raise ConfigError(
            "A pooler between this node and the server lends server connections for one transaction each: connect to "
            "the server itself, or set the pooler to sessions (PgBouncer: pool_mode = session).",
            key="database",
        )


def check_version(major: int) -> None:
    """Refuse a server that is too old for the statements of the store."""
    if major < OLDEST_SERVER:
        raise ConfigError(
            f"The database's server is PostgreSQL {major}, and {OLDEST_SERVER} or later is needed.", key="database"
        )


def few_connections(free: int, wanted: int) -> str | None:
    """Returns a sentence about a server with fewer free connections than a node opens; None if there are enough."""
    if free >= wanted:
        return None
    return (
        f"The server has {free} free connections, and this node opens up to {wanted}: raise max_connections, lower "
        "postgres.pool_size, or put a pooler in session mode in between."
    )


async def free_connections(pool: Pool) -> int:
    """Returns how many connections the server has left."""
    row = await pool.row(sql("server.free_connections"))
    return 0 if row is None else row["n"]


def untested(major: int) -> str | None:
    """Returns a sentence about a server that is newer than any that this release is tested with; None for others."""
    if major <= NEWEST_TESTED_SERVER:
        return None
    return (
        f"PostgreSQL {major} is newer than the versions that this Duetime is tested with "
        f"({OLDEST_SERVER} to {NEWEST_TESTED_SERVER})."
    )


def _schema(name: str | None) -> str:
    return f"the schema '{name}'" if name else "any schema of the search path"
