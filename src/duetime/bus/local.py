"""The bus within one process: the launch names this node as its holder, so no message is needed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from duetime.bus.port import Committed, Ended, Slots
from duetime.model.ids import NodeId
from duetime.model.labels import meets
from duetime.model.run import LaunchedRun
from duetime.store.offer_port import Taken
from duetime.store.port import JobRef, LaunchedRow, LaunchIntent, LaunchStore


class LocalBus:
    """`SchedulerEnd` and `ExecutorEnd` between the scheduler and the executor of one process.

    The scheduler starts what it commits, and learns of ends from the settling of its own runs: nothing waits to be
    taken, nothing is reported, and nothing can be lost in between.
    """

    def __init__(
        self,
        slots: Slots,
        launches: LaunchStore,
        labels: Mapping[str, str],
        claimed: Callable[[], int] = lambda: 0,
    ) -> None:
        """`claimed` returns how many slots a taking from another bus may fill."""
        self._slots, self._launches, self._labels, self._claimed = slots, launches, labels, claimed
        self._expected: set[int] = set()
        self._taking_slots: set[int] = set()
        """Those of the expected launches whose runs take a slot."""

    def room(self, pool: str) -> int:
        """Returns how many runs may start, with a slot or without, if the executor is in the pool."""
        if not meets(self._labels, pool):
            return 0
        return self._slots.instant_room() - self.reserved

    def free_slots(self, pool: str) -> int:
        """Returns the free slots, if the executor is in the pool."""
        if not meets(self._labels, pool):
            return 0
        return self._slots.room() - self.reserved_slots

    @property
    def reserved(self) -> int:
        """How many runs may start that the executor does not count yet."""
        return self._claimed() + len(self._expected)

    @property
    def reserved_slots(self) -> int:
        """How many of these take a slot."""
        return self._claimed() + len(self._taking_slots)

    def expect(self, refs: Sequence[JobRef], pool: str, taking_slots: Collection[int] = ()) -> None:
        """Keep room for each of these launches, and a slot for those that take one."""
        self._expected.update(ref.id for ref in refs)
        self._taking_slots.update(taking_slots)

    def forget(self, job_ids: Collection[int]) -> None:
        """These are started, and have their slots, or were refused."""
        self._expected.difference_update(job_ids)
        if self._taking_slots:
            self._taking_slots.difference_update(job_ids)

    async def launch(self, node: NodeId, now: datetime, intents: Sequence[LaunchIntent], pool: str) -> Committed:
        """Commit launches that this node holds."""
        rows, gone = await self._launches.launch(node, now, intents)
        return Committed(rows, gone)

    async def hand_over(self, node: NodeId, rows: Sequence[LaunchedRow], pool: str) -> Committed:
        """This node holds them already."""
        return Committed(rows)

    async def run_once(self) -> None:
        """There is nothing to look for: the scheduler settles its own runs."""

    def listen(self, arrived: Callable[[], None]) -> None:
        """Nothing arrives: the scheduler starts what it commits."""

    async def take(self, node: NodeId, limit: int, now: datetime) -> list[Taken]:
        """There is nothing to take."""
        return []

    def report(self, ended: Sequence[Ended]) -> None:
        """The scheduler knows: it settled them."""


class NoSlots:
    """`Slots` of a process that executes nothing."""

    def room(self) -> int:
        """Returns 0."""
        return 0

    def instant_room(self) -> int:
        """Returns 0."""
        return 0

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        """There is nothing to start where there is no room."""
