"""The metrics of a node: what is read at a scrape, and the listener of their own that they may have."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence

from duetime import __version__
from duetime.config import Config
from duetime.engine.node.measures import Measures
from duetime.engine.node.oldest_due import OldestDue
from duetime.executor.executor import LocalExecutor
from duetime.metrics import catalogue
from duetime.metrics.counts import Counts, Sample
from duetime.metrics.exposition import Exposition
from duetime.model.errors import ConfigError
from duetime.wiring.cell_database import CellDatabase
from duetime.wiring.engine import Engine
from duetime.wiring.web import BACKLOG, bind


class CellMetrics:
    """Gauges of one cell, beside what its stages count."""

    def __init__(self, config: Config, database: CellDatabase, engine: Engine) -> None:
        self._database, self._engine, self._clock = database, engine, database.clock
        schedules = "scheduler" in config.roles
        watches = schedules or "api" in config.roles
        self._scheduler = engine.scheduler if schedules else None
        self.measures = Measures(
            engine.stores.signals if watches else None,
            database.census if watches else None,
            database.clock,
            user=engine.accounts.by_id,
            oldest=oldest_due(engine, alone=not config.several) if schedules else None,
            users=engine.counts.users if database.number == 0 else None,
            schedules=config.metrics.schedules,
        )

    def samples(self) -> Iterator[Sample]:
        """Returns what this cell has in memory, and what its measures found."""
        engine, ownership, database = self._engine, self._database.ownership, self._database.health()
        yield Sample(catalogue.DATABASE_UP, (str(database.number),), float(database.answers))
        yield Sample(catalogue.LEASE_AGE, (), ownership.quiet_for)
        yield Sample(catalogue.LEASE_TRUSTED, (), float(ownership.trusted))
        yield Sample(catalogue.UNSETTLED, (), len(engine.settle))
        if engine.workers is not None:
            yield Sample(catalogue.WAITING_TAKES, (), len(engine.workers.desk))
        if self._scheduler is not None:
            decided_at = self._scheduler.decided_at
            yield Sample(catalogue.BACKLOG, (), len(engine.backlog))
            yield Sample(catalogue.SHARDS_OWNED, (), ownership.count)
            yield Sample(catalogue.LEASES_EXPIRED, (), ownership.ended_leases)
            yield Sample(catalogue.BREAKERS, (), len(engine.hosts.open))
            if decided_at is not None:
                yield Sample(catalogue.DECIDED, (), (self._clock.now() - decided_at).total_seconds())
        yield from self.measures.samples()


def node_metrics(
    config: Config, home: CellDatabase, counts: Counts, cells: Sequence[CellMetrics], executor: LocalExecutor | None
) -> Exposition:
    """Returns all metrics of a node."""

    def samples() -> Iterator[Sample]:
        roles = ",".join(config.roles)
        yield Sample(catalogue.NODE, (str(home.ownership.node), roles, __version__, config.cluster or ""), 1)
        yield Sample(catalogue.CLOCK_OFFSET, (), home.clock.skew)
        if executor is not None:
            used = executor.running
            yield Sample(catalogue.IN_FLIGHT, (), used)
            yield Sample(catalogue.SLOTS, ("used",), used)
            yield Sample(catalogue.SLOTS, ("free",), config.slots - used)

    return Exposition(home.clock, [counts.samples, samples, *(one.samples for one in cells)])


def oldest_due(engine: Engine, *, alone: bool = True) -> OldestDue:
    """Returns what looks for the oldest due job of an engine. `alone`: it is the only one of its process."""
    counts = engine.counts
    last_launch = (lambda: counts.last_launch) if alone else (lambda: 0.0)
    return OldestDue(engine.stores.due, engine.ownership, engine.backlog, engine.pick, last_launch)


def bind_metrics(config: Config) -> socket.socket | None:
    """Returns the listener for metrics alone, if one is configured: on the first free port for this many processes."""
    if config.metrics.listen is None:
        return None
    host, _, port = config.metrics.listen.rpartition(":")
    first = int(port)
    last = first + config.processes - 1
    for number in range(first, last):
        try:
            return _listening(host, number)
        except ConfigError:
            continue
    return _listening(host, last)


def _listening(host: str, port: int) -> socket.socket:
    """Returns a listener. Two processes can bind one address at the same time, but only one of them can listen."""
    listener = bind(host, port)
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ConfigError(
            f"Cannot listen on {host}:{port} ({error.strerror}): choose another metrics.listen."
        ) from None
    return listener
