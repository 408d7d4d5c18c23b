"""Health: whether this node can accept and launch jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.engine.due.scheduler import Scheduler

STALE = timedelta(seconds=5)


class DatabaseHealth(Struct, frozen=True):
    """Whether one database answers, and which shards it holds."""

    number: int
    answers: bool
    shards: str


class Readiness(Struct, frozen=True):
    """Whether a node is ready, and if not, why."""

    ready: bool
    reasons: list[str]
    databases: list[DatabaseHealth] = []
    """Every database, if there are several. A single one only appears in the reasons."""


class Health:
    """Checks everything that accepting and launching jobs depends on."""

    def __init__(
        self,
        clock: Clock,
        ownership: Ownership,
        scheduler: Scheduler | None,
        clock_trusted: Callable[[], bool],
        databases: Callable[[], list[DatabaseHealth]],
    ) -> None:
        self._clock, self._ownership, self._scheduler = clock, ownership, scheduler
        self._clock_trusted, self._databases = clock_trusted, databases
        self.stopping = False

    async def readiness(self) -> Readiness:
        """Returns the present state, from memory: a call costs nothing."""
        reasons: list[str] = []
        if self.stopping:
            reasons.append("this node is stopping")
        if self._ownership.draining:
            reasons.append("this node is being drained")
        databases = self._databases()
        if not any(one.answers for one in databases):
            reasons.append("the database does not answer")
        if not self._clock_trusted():
            reasons.append("the database's clock was not measured recently")
        if not self._ownership.trusted:
            reasons.append("this node's lease is not renewed")
        if self._scheduler is not None:
            decided_at = self._scheduler.decided_at
            if decided_at is None or self._clock.now() - decided_at > STALE:
                reasons.append("the scheduler has not run recently")
            if not self._ownership.count and self._ownership.share != 0:
                reasons.append("this node owns no shards yet")
        return Readiness(not reasons, reasons, databases if len(databases) > 1 else [])
