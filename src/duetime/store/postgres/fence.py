"""The check that no job is added to a shard that is leaving a database or has left it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from duetime.model.errors import Elsewhere
from duetime.postgres.pool import Connection
from duetime.store.postgres.queries import sql


class Fence(Protocol):
    """A check that a transaction makes before it adds jobs.

    On return, the given shards and those of the given schedules are in this database and stay until the transaction
    ends. Raises `Elsewhere` when one is not; the transaction has changed nothing then.
    """

    async def __call__(
        self, connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()
    ) -> None:
        """Check the shards, and keep them here until the transaction ends."""
        ...


async def nothing_moves(
    connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()
) -> None:
    """Does nothing: with one database no shard ever leaves."""


async def held_still(connection: Connection, /, *, shards: Sequence[int] = (), schedules: Sequence[int] = ()) -> None:
    """Lock the row that the closing of a shard changes, and check what it says."""
    away = set(await connection.fetchval(sql("placement.fence")))
    wanted = set(shards)
    if schedules and away:
        wanted |= {row[0] for row in await connection.fetch(sql("placement.schedule_shards"), schedules)}
    if away & wanted:
        raise Elsewhere
