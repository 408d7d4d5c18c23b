"""Watching hosts: breakers count outcomes, and each opening and closing is logged and published."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import structlog

from duetime.bus.port import Ended
from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import Pick
from duetime.engine.events import Events
from duetime.model.events import BreakerChanged
from duetime.model.flow import watched_key
from duetime.model.ids import user_of_flow
from duetime.model.run import Settlement
from duetime.model.states import JobState

log = structlog.get_logger()


class OpenBreaker(NamedTuple):
    """A host whose breaker is open, how many attempts had failed then, and since when."""

    host: str
    failures: int
    since: datetime


class HostWatch:
    """Passes the outcomes of runs to breakers, and remembers which breakers are open."""

    def __init__(self, gates: Gates, pick: Pick, events: Events) -> None:
        self._gates, self._pick, self._events = gates, pick, events
        self.open: dict[int, OpenBreaker] = {}
        """The open breakers, by flow."""
        self.changed: Callable[[], None] = lambda: None
        """Called when a breaker opens or closes."""

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
        if changed:
            breaker = self._gates.breaker(flow)
            failures = breaker.failures if breaker else 0
            self.open[flow] = OpenBreaker(ended.host, failures, at)
            log.warning("a host's breaker opened: its jobs wait", host=ended.host, user=user, failures=failures)
        else:
            self.open.pop(flow, None)
            log.info("a host's breaker closed: its jobs launch again", host=ended.host, user=user)
        self._events.publish(BreakerChanged, [BreakerChanged(user, ended.host, changed, at)])
        self.changed()

    def reset(self, flow: int, at: datetime) -> None:
        """Close a breaker because a person says so, and let its jobs launch."""
        broken = self.open.pop(flow, None)
        self._gates.reset(flow)
        self._pick.reconsider(flow)
        if broken is not None:
            user = user_of_flow(flow)
            log.info("a person reset a host's breaker: its jobs launch again", host=broken.host, user=user)
            self._events.publish(BreakerChanged, [BreakerChanged(user, broken.host, False, at)])


def ended_run(one: Settlement) -> Ended:
    """Returns the report of a run's end. It names the host only if the run's flow has a breaker."""
    run, state = one.run, one.outcome.state
    host = watched_key(run.flow, run.definition)
    if host is None or state not in (JobState.SUCCEEDED, JobState.FAILED):
        return Ended(run.job_id, state is JobState.SUCCEEDED)
    failure = one.outcome.failure.kind if one.outcome.failure else None
    return Ended(run.job_id, failure is None, failure, host)
