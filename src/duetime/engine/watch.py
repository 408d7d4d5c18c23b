"""Watching hosts: outcomes feed the breakers, and what opens or closes is made visible."""

from __future__ import annotations

import asyncio

import structlog

from duetime.coordination.ownership import Ownership
from duetime.engine.gates import Gates
from duetime.engine.pick import Pick
from duetime.engine.settle import Settlement
from duetime.model.errors import StoreAway
from duetime.model.flow import host_of
from duetime.model.states import JobState
from duetime.store.port import BreakerStore, BrokenHost

log = structlog.get_logger()


class Watch:
    """Tells breakers what came of runs, and people what breakers do."""

    def __init__(self, store: BreakerStore, gates: Gates, pick: Pick, ownership: Ownership) -> None:
        self._store, self._gates, self._pick, self._ownership = store, gates, pick, ownership
        self._writing: set[asyncio.Task[None]] = set()

    def ended(self, one: Settlement) -> None:
        """An attempt against a host ended."""
        run = one.run
        if one.outcome.state not in (JobState.SUCCEEDED, JobState.FAILED):
            return
        failure = one.outcome.failure.kind if one.outcome.failure else None
        changed = self._gates.outcome(run.flow, failure, one.finished_at)
        self._pick.reconsider(run.flow)
        if changed is None:
            return
        host = host_of(run.definition) or ""
        if changed:
            breaker = self._gates.breaker(run.flow)
            failures = breaker.failures if breaker else 0
            log.warning("a host is taken to be down: its jobs wait", host=host, user=run.user_id, failures=failures)
            broken = BrokenHost(run.flow, run.user_id, host, failures, one.finished_at)
            self._write(self._store.opened(self._ownership.node, broken))
        else:
            log.info("a host answers again", host=host, user=run.user_id)
            self._write(self._store.closed(self._ownership.node, run.flow))

    def _write(self, work: object) -> None:
        async def quietly() -> None:
            try:
                await work  # type: ignore[misc]
            except StoreAway:
                log.debug("a breaker's state was not written: the database is away")

        task = asyncio.get_running_loop().create_task(quietly())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
