"""Doubts: statements whose answer was lost. What they launch or take is never started, however late it is committed."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from duetime.clock.port import Clock
from duetime.engine.settling.ends import Ends
from duetime.model.ids import NodeId
from duetime.store.port import LaunchStore

log = structlog.get_logger()
LONGEST = timedelta(seconds=40)
"""Longer than any statement can take: what an abandoned one has not done by then it will not do."""
TICK = timedelta(microseconds=1)
STANDS = timedelta(seconds=1)
"""A clock that stands or goes back by less is being caught up with; by more, it was set."""
MOST = 1000
"""How many are kept; of more, the oldest are left to the search for what nobody here knows of."""


class UnansweredLaunches:
    """Gives every launch and every taking of this node an instant of its own, and remembers those in doubt by it.

    A statement that was given up by its caller can still be carried out: the server did not notice, or the network
    was slow to bring it. So it is not enough to look once. What became this node's at an instant in doubt is looked
    for again and again until it cannot appear any more; a later launch of the same job has another instant, and is
    not touched.
    """

    def __init__(self, store: LaunchStore, ends: Ends, clock: Clock) -> None:
        self._store, self._ends, self._clock = store, ends, clock
        self._open: dict[datetime, NodeId] = {}
        self._last = clock.now() - TICK

    def instant(self) -> datetime:
        """The present, and later than every instant before it, also while the clock stands."""
        now = self._clock.now()
        if now <= self._last < now + STANDS:
            now = self._last + TICK
        self._last = now
        return now

    def add(self, node: NodeId, at: datetime) -> None:
        """Nobody knows what came of the statement of this instant; nothing of it was or will be started."""
        self._open[at] = node
        if len(self._open) > MOST:
            del self._open[min(self._open)]

    def __len__(self) -> int:
        """How many statements may still do something."""
        return len(self._open)

    async def take_back(self) -> int:
        """Take back what they have done so far; how much."""
        if not self._open:
            return 0
        asked, begun = dict(self._open), self._clock.now()
        taken_back = 0
        for node in sorted(set(asked.values())):
            instants = [at for at, whose in asked.items() if whose == node]
            found = await self._store.left_behind(node, instants)
            if found:
                await self._ends.by_taking_back(node, found, max(instants))
                taken_back += len(found)
        for at in asked:
            if at < begun - LONGEST:
                self._open.pop(at, None)
        if taken_back:
            log.info("launches whose answer was lost are taken back", launches=taken_back)
        return taken_back
