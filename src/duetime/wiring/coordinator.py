"""Builds the coordinator of a configuration, and the carrier of its hints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.config import Config
from duetime.config.tree import EtcdConfig
from duetime.coordination.etcd import EtcdCoordinator, EtcdRenewals
from duetime.coordination.etcd_gateway import EtcdAccess, EtcdGateway
from duetime.coordination.port import Coordinator, Renewals
from duetime.coordination.postgres import PostgresCoordinator
from duetime.postgres.pool import Pool

CHECK_SECONDS = 5.0


class Coordination(NamedTuple):
    """The coordinator, the carrier of hints, the call that closes both, and renewals for a thread of their own."""

    coordinator: Coordinator
    hints: PostgresCoordinator
    close: Callable[[], Awaitable[None]]
    renewals: Callable[[], Renewals]


def coordination(config: Config, pool: Pool, clock: Clock) -> Coordination:
    """Build the configured coordinator. Hints always travel by NOTIFY."""
    postgres = PostgresCoordinator(pool)

    def rows_apart() -> PostgresCoordinator:
        return PostgresCoordinator(pool.apart(size=1))

    if config.coordinator == "postgres":
        return Coordination(postgres, postgres, postgres.close, rows_apart)
    access = _access(config.etcd)
    coordinator = EtcdCoordinator(
        EtcdGateway(access), postgres, clock, prefix=config.etcd.prefix, changed=lambda: postgres.hint_here("shards")
    )

    async def close() -> None:
        await coordinator.close()
        await postgres.close()

    def renewals() -> Renewals:
        return EtcdRenewals(EtcdGateway(access), rows_apart(), coordinator.leases)

    return Coordination(coordinator, postgres, close, renewals)


async def check_etcd(config: EtcdConfig) -> None:
    """Read from etcd, as a node does to join. Raises `CoordinatorAway` when a majority of it does not answer."""
    gateway = EtcdGateway(_access(config))
    try:
        await gateway.keys(config.prefix, CHECK_SECONDS)
    finally:
        await gateway.close()


def _access(etcd: EtcdConfig) -> EtcdAccess:
    return EtcdAccess(etcd.endpoints, etcd.user, etcd.password, etcd.ca, etcd.cert, etcd.key)
