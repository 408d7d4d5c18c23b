"""Watching hosts: breakers count outcomes, and each opening and closing is logged, published and stored."""

from __future__ import annotations

import asyncio
from datetime import datetime

import structlog

from duetime.bus.port import Ended
from duetime.coordination.ownership import Ownership
from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import Pick
from duetime.engine.events import Events
from duetime.model.broken_host import BrokenHost
from duetime.model.errors import StoreAway
from duetime.model.events import BreakerChanged
from duetime.model.flow import watched_key
from duetime.model.ids import user_of_flow
from duetime.model.run import Settlement
from duetime.model.states import JobState
from duetime.store.port import BreakerStore

log = structlog.get_logger()


class HostWatch:
    """Passes the outcomes of runs to breakers, and makes visible which breakers open and close."""

    def __init__(self, store: BreakerStore, gates: Gates, pick: Pick, ownership: Ownership, events: Events) -> None:
        self._store, self._gates, self._pick, self._ownership, self._events = store, gates, pick, ownership, events
        self._writing: set[asyncio.Task[None]] = set()

    def ended(self, one: Settlement) -> None:
        """Count the outcome of an attempt that ran in this process."""
        ended = ended_run(one)
        if ended.host:
            self.outcome(one.run.flow, ended, one.finished_at)

    def outcome(self, flow: int, ended: Ended, at: datetime) -> None:
        """Count the outcome of an attempt that called a host, wherever it ran."""
        changed = self._gates.outcome(flow, ended.failure, at)
        self._pick.reconsider(flow)
        if changed is None:
            return
        user = user_of_flow(flow)
        self._events.publish(BreakerChanged, [BreakerChanged(user, ended.host, changed, at)])
        if changed:
            breaker = self._gates.breaker(flow)
            failures = breaker.failures if breaker else 0
            log.warning("a host's breaker opened: its jobs wait", host=ended.host, user=user, failures=failures)
            broken = BrokenHost(flow, user, ended.host, failures, at)
            self._write(self._store.opened(self._ownership.node, broken))
        else:
            log.info("a host's breaker closed: its jobs launch again", host=ended.host, user=user)
            self._write(self._store.closed(self._ownership.node, flow))

    def _write(self, work: object) -> None:
        async def quietly() -> None:
            try:
                await work  # type: ignore[misc]
            except StoreAway:
                log.debug("a breaker's state was not written: the database is away")

        task = asyncio.get_running_loop().create_task(quietly())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)


def ended_run(one: Settlement) -> Ended:
    """Returns the report of a run's end. It names the host only if the run's flow has a breaker."""
    run, state = one.run, one.outcome.state
    host = watched_key(run.flow, run.definition)
    if host is None or state not in (JobState.SUCCEEDED, JobState.FAILED):
        return Ended(run.job_id, state is JobState.SUCCEEDED)
    failure = one.outcome.failure.kind if one.outcome.failure else None
    return Ended(run.job_id, failure is None, failure, host)
