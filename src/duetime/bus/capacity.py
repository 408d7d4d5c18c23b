"""How much may be on offer: what living executors can start soon, by pool and by a scheduler's part. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from duetime.model.ids import NodeId
from duetime.model.labels import ANY, meets
from duetime.store.offer_port import Executor


class Capacity:
    """The slots of the executors elsewhere, as they last reported.

    A scheduler may have its part of all open slots out (its part of the shards), and as many again as lately
    ended within a second, so that executors of short runs do not wait for the next offer. Beyond its part it may
    use its part of what is reported free, once for each report: what others leave is not left idle.
    """

    def __init__(self) -> None:
        self._executors: Sequence[Executor] = ()
        self._part = 0.0
        self._open: dict[str, int] = {}
        self._spare: dict[str, int] = {}

    def learn(self, executors: Sequence[Executor], me: NodeId, part: float) -> None:
        """What executors report, and this scheduler's part of the shards."""
        self._executors, self._part = [one for one in executors if one.node != me], part
        self._open, self._spare = {}, {}

    def room(self, pool: str, out: int, out_in_all: int, ended_lately: int) -> int:
        """How many more launches may be offered to a pool, with so many out there."""
        slots = self._slots(pool)
        mine = ceil(slots * self._part)
        in_part = mine + min(mine, ended_lately) - (out_in_all if pool == ANY else out)
        most = min(2 * slots - out, 2 * self._slots(ANY) - out_in_all)
        return max(0, min(most, max(in_part, self._spare_for(pool))))

    def use(self, pool: str, count: int) -> None:
        """So many are offered; what one pool takes is not there for all."""
        for one in {pool, ANY}:
            self._spare[one] = max(0, self._spare_for(one) - count)

    def _slots(self, pool: str) -> int:
        found = self._open.get(pool)
        if found is None:
            found = self._open[pool] = sum(one.open for one in self._executors if meets(one.labels, pool))
        return found

    def _spare_for(self, pool: str) -> int:
        found = self._spare.get(pool)
        if found is None:
            free = sum(one.free for one in self._executors if meets(one.labels, pool))
            found = self._spare[pool] = ceil(free * self._part)
        return found
