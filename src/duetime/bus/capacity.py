"""How many launches a scheduler may have out: what living executors can start soon, by pool. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from duetime.model.ids import NodeId
from duetime.model.labels import ANY
from duetime.store.offer_port import Executor


class Capacity:
    """The slots of the executors elsewhere, as they last reported.

    A scheduler that owns a part of the shards may have launches out for the same part of all open slots. It may have as
    many more out as ended within the last second, so that executors of short runs do not wait for the next launch.
    Beyond that it may use its part of the slots that are reported free, once for each report, so that slots that other
    schedulers do not use are not idle.
    """

    def __init__(self) -> None:
        self._executors: Sequence[Executor] = ()
        self._part = 0.0
        self._open: dict[str, int] = {}
        self._spare: dict[str, int] = {}

    def learn(self, executors: Sequence[Executor], me: NodeId, part: float) -> None:
        """Executors reported; this scheduler owns this part of the shards."""
        self._executors, self._part = [one for one in executors if one.node != me], part
        self._open, self._spare = {}, {}

    def room(self, pool: str, out: int, out_in_all: int, ended_recently: int) -> int:
        """Returns how many more launches a pool may be sent, with so many out there."""
        slots = self._slots(pool)
        mine = ceil(slots * self._part)
        in_part = mine + min(mine, ended_recently) - (out_in_all if pool == ANY else out)
        most = min(2 * slots - out, 2 * self._slots(ANY) - out_in_all)
        return max(0, min(most, max(in_part, self._spare_for(pool))))

    def use(self, pool: str, count: int) -> None:
        """So many launches are sent to a pool; slots that one pool uses are not free for the others."""
        for one in {pool, ANY}:
            self._spare[one] = max(0, self._spare_for(one) - count)

    def _slots(self, pool: str) -> int:
        found = self._open.get(pool)
        if found is None:
            found = self._open[pool] = sum(one.open for one in self._executors if one.fits(pool))
        return found

    def _spare_for(self, pool: str) -> int:
        found = self._spare.get(pool)
        if found is None:
            free = sum(one.free for one in self._executors if one.fits(pool))
            found = self._spare[pool] = ceil(free * self._part)
        return found
