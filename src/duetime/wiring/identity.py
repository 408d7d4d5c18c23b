"""Checks before a node joins: that the database is its cluster's, and that its clock is close to the database's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.coordination.queries import sql
from duetime.model.cluster import ClusterIdentity
from duetime.model.errors import ConfigError
from duetime.postgres.pool import Connection, Pool
from duetime.wiring.bootstrap import write_private

REMEMBERED = "cluster"


async def check_cluster(pool: Pool, config: Config, data: Path, *, join: bool = True) -> ClusterIdentity:
    """Refuse a database of another cluster, or one whose living nodes keep their leases in another coordinator.

    The first node that joins sets the cluster's name and coordinator. Without `join` nothing is changed.

    Two things reveal the wrong database: a different cluster name, and a cluster id that differs from the one in
    the data directory. A node without a cluster name and with a new data directory has neither.
    """
    async with pool.transaction() as connection:
        found = ClusterIdentity(**await connection.fetchrow(sql("cluster.lock")))
        _check_name(found, config)
        _check_remembered(found, data)
        if config.cluster is not None and found.name is None and join:
            await connection.execute(sql("cluster.name"), config.cluster)
        await _agree_on_coordinator(connection, found, config, join=join)
    if join:
        _remember(found, data)
    return found


async def agree_on_coordinator(pool: Pool, config: Config) -> None:
    """Refuse a database whose living nodes keep their leases in another coordinator; else record this node's."""
    async with pool.transaction() as connection:
        found = ClusterIdentity(**await connection.fetchrow(sql("cluster.lock")))
        await _agree_on_coordinator(connection, found, config, join=True)


async def _agree_on_coordinator(connection: Connection, found: ClusterIdentity, config: Config, *, join: bool) -> None:
    if config.coordinator == found.coordinator:
        return
    if await connection.fetchval(sql("cluster.living")):
        raise ConfigError(
            f"The nodes of this cluster keep their leases in {found.coordinator}, and this one is configured "
            f"for {config.coordinator}: set coordinator = '{found.coordinator}', or stop all of the others "
            "first (one that was killed counts until its lease has expired).",
            key="coordinator",
        )
    if join:
        await connection.execute(sql("cluster.coordinator"), config.coordinator)


async def measured_clock(pool: Pool, config: Config) -> SystemClock:
    """The clock of a database, measured and checked."""
    clock = SystemClock(pool.clock)
    await clock.measure()
    check_clock(clock, config)
    return clock


def check_clock(clock: SystemClock, config: Config) -> None:
    """Refuse to start on a machine whose clock is far from the database's."""
    if abs(clock.skew) > config.max_clock_skew:
        raise ConfigError(f"{skew_sentence(clock.skew)} Correct it (with NTP), or raise max_clock_skew.")


def check_keys(others: Sequence[str]) -> None:
    """Refuse to start an API beside others that sign their tokens with another key."""
    if others:
        raise ConfigError(
            f"Another API of this cluster ({others[0]}) signs its tokens with another key: give both the same "
            "key, in DUETIME_SIGNING_KEY or as a file (signing_key_file), or a copy of signing.key in --data.",
            key="signing_key_file",
        )


def skew_sentence(skew: float) -> str:
    """A sentence that says how far this machine's clock is from the database's."""
    by = timedelta(seconds=round(abs(skew)))
    return (
        f"This machine's clock is {by} {'ahead of' if skew > 0 else 'behind'} the database's. Jobs follow the "
        "database's clock, but logs, certificates and logins do not."
    )


def _remember(found: ClusterIdentity, data: Path) -> None:
    if data.is_dir() and not (data / REMEMBERED).exists():
        write_private(data / REMEMBERED, f"{found.id}\n")


def _check_name(found: ClusterIdentity, config: Config) -> None:
    if config.cluster is not None and found.name is not None and config.cluster != found.name:
        raise ConfigError(
            f"The database belongs to the cluster '{found.name}', and this node is configured for the cluster "
            f"'{config.cluster}': point it to that cluster's database, or set cluster = '{found.name}'.",
            key="cluster",
        )


def _check_remembered(found: ClusterIdentity, data: Path) -> None:
    path = data / REMEMBERED
    if path.exists() and (known := path.read_text().strip()) != str(found.id):
        raise ConfigError(
            f"{data} belongs to the cluster {known}, and the database to the cluster {found.id}"
            f"{f' ({found.name})' if found.name else ''}: point this node to its own database, choose another --data, "
            f"or remove {path} if the database was replaced on purpose.",
            key="database",
        )
