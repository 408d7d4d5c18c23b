"""The fence that keeps jobs out of shards that are leaving a database, or have left it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from duetime.model.errors import Elsewhere
from duetime.postgres.pool import Connection
from duetime.store.postgres.queries import sql


class Fence(Protocol):
    """Called within a transaction, before it adds jobs.

    On return the shards given, and those of the schedules given, are here and stay until the transaction ends;
    `Elsewhere` when one is not, and then the transaction has changed nothing.
    """

    async def __call__(
        self, connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()
    ) -> None:
        """Look, and hold still."""
        ...


async def nothing_moves(
    connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()
) -> None:
    """With one database there is nowhere to go."""


async def held_still(connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()) -> None:
    """Lock the row that closing a shard changes, and look at what it says."""
    away = set(await connection.fetchval(sql("placement.fence")))
    wanted = set(shards)
    if schedules and away:
        wanted |= {row[0] for row in await connection.fetch(sql("placement.schedule_shards"), schedules)}
    if away & wanted:
        raise Elsewhere
