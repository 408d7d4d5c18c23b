"""Unanswered launches: no run of theirs is ever started, however late the launch is committed."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from duetime.clock.port import Clock
from duetime.engine.settling.ends import Ends
from duetime.model.ids import NodeId
from duetime.store.port import LaunchStore

log = structlog.get_logger()
LONGEST = timedelta(seconds=40)
"""Longer than any statement can take. An abandoned statement that has not committed by then never will."""
TICK = timedelta(microseconds=1)
STANDS = timedelta(seconds=1)
"""While the clock is behind the last instant by less than this, instants count on from there; else it was set."""
MOST = 1000
"""How many instants are kept. The launches of older ones are left to the search in `NeverStarted`."""


class UnansweredLaunches:
    """Gives every statement by which this node launches or takes an instant of its own, and keeps the unanswered ones.

    The server can still carry out a statement that its caller gave up: the server did not notice, or the network was
    slow. So one search is not enough. Launches that became this node's at an unanswered instant are searched for
    again and again, until none can appear any more. A later launch of the same job has another instant, and is not
    touched.
    """

    def __init__(self, store: LaunchStore, ends: Ends, clock: Clock) -> None:
        self._store, self._ends, self._clock = store, ends, clock
        self._open: dict[datetime, NodeId] = {}
        self._last = clock.now() - TICK

    def instant(self) -> datetime:
        """Returns the present, later than every instant before it, even while the clock stands still (see `STANDS`)."""
        now = self._clock.now()
        if now <= self._last < now + STANDS:
            now = self._last + TICK
        self._last = now
        return now

    def add(self, node: NodeId, at: datetime) -> None:
        """Keep the instant of an unanswered statement. The caller starts no run of it, neither before nor after."""
        self._open[at] = node
        if len(self._open) > MOST:
            del self._open[min(self._open)]

    def __len__(self) -> int:
        """How many unanswered statements may still commit something."""
        return len(self._open)

    async def take_back(self) -> int:
        """Take back what the unanswered statements have committed so far. Returns how many launches."""
        if not self._open:
            return 0
        asked, begun = dict(self._open), self._clock.now()
        taken_back = 0
        for node in sorted(set(asked.values())):
            instants = [at for at, holder in asked.items() if holder == node]
            found = await self._store.left_behind(node, instants)
            if found:
                await self._ends.by_taking_back(node, found, max(instants))
                taken_back += len(found)
        for at in asked:
            if at < begun - LONGEST:
                self._open.pop(at, None)
        if taken_back:
            log.info("took back launches whose answer was lost", launches=taken_back)
        return taken_back
