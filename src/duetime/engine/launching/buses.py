"""The buses that a scheduler launches over: to the executor of its own process, and to executors elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from duetime.bus.port import SchedulerEnd, Slots


class Buses(NamedTuple):
    """The bus within the process, the bus to executors elsewhere if there is one, and the slots of this process."""

    local: SchedulerEnd
    offers: SchedulerEnd | None
    slots: Slots
    serves: Callable[[str], bool]
    """Whether the executor of this process is in a pool."""
