"""The buses that a scheduler launches over: to the executor of its own process, and to executors elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol

from duetime.bus.port import SchedulerEnd, Slots
from duetime.model.pull import is_pull_pool


class PullBus(SchedulerEnd, Protocol):
    """The end at which a scheduler launches for workers."""

    def launched(self, job_ids: Collection[int]) -> None:
        """The launch of these jobs is over: what was claimed for them and not used is free again."""
        ...


class Buses(NamedTuple):
    """The bus within the process, those to executors elsewhere and to workers if there are any, and the slots."""

    local: SchedulerEnd
    offers: SchedulerEnd | None
    slots: Slots
    serves: Callable[[str], bool]
    """Whether the executor of this process is in a pool."""
    pull: PullBus | None = None

    def beyond(self, pool: str) -> SchedulerEnd | None:
        """Returns the bus to those that can run jobs of a pool beside the executor of this process."""
        return self.pull if is_pull_pool(pool) else self.offers
