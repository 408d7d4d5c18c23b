"""Builds the coordinator of a configuration, and the carrier of its hints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.config import Config
from duetime.coordination.etcd import EtcdCoordinator
from duetime.coordination.etcd_gateway import EtcdAccess, EtcdGateway
from duetime.coordination.port import Coordinator
from duetime.coordination.postgres import PostgresCoordinator
from duetime.postgres.pool import Pool


class Coordination(NamedTuple):
    """The coordinator, the carrier of hints, and the call that closes both."""

    coordinator: Coordinator
    hints: PostgresCoordinator
    close: Callable[[], Awaitable[None]]


def coordination(config: Config, pool: Pool, clock: Clock) -> Coordination:
    """Build the configured coordinator. Hints always travel by NOTIFY."""
    postgres = PostgresCoordinator(pool)
    if config.coordinator == "postgres":
        return Coordination(postgres, postgres, postgres.close)
    etcd = config.etcd
    access = EtcdAccess(etcd.endpoints, etcd.user, etcd.password, etcd.ca, etcd.cert, etcd.key)
    coordinator = EtcdCoordinator(
        EtcdGateway(access), postgres, clock, prefix=etcd.prefix, changed=lambda: postgres.hint_here("shards")
    )

    async def close() -> None:
        await coordinator.close()
        await postgres.close()

    return Coordination(coordinator, postgres, close)
