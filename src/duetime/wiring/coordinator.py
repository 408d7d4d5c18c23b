"""From a configuration to a coordinator, and the hints that go with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.config import Config
from duetime.coordination.etcd import EtcdCoordinator
from duetime.coordination.etcd_gateway import EtcdAccess, EtcdGateway
from duetime.coordination.port import Coordinator
from duetime.coordination.postgres import PostgresCoordinator
from duetime.store.postgres.pool import Pool


class Coordination(NamedTuple):
    """Who judges leases, what carries hints, and how to let go of both."""

    coordinator: Coordinator
    hints: PostgresCoordinator
    close: Callable[[], Awaitable[None]]


def coordination(config: Config, pool: Pool, clock: Clock) -> Coordination:
    """The coordinator that is asked for; hints go by NOTIFY in any case."""
    rows = PostgresCoordinator(pool)
    if config.coordinator == "postgres":
        return Coordination(rows, rows, rows.close)
    etcd = config.etcd
    access = EtcdAccess(etcd.endpoints, etcd.user, etcd.password, etcd.ca, etcd.cert, etcd.key)
    judge = EtcdCoordinator(
        EtcdGateway(access), rows, clock, prefix=etcd.prefix, changed=lambda: rows.tell_here("shards")
    )

    async def close() -> None:
        await judge.close()
        await rows.close()

    return Coordination(judge, rows, close)
