"""The slots of a node as one of its cells sees them: one budget for all cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from duetime.executor.executor import LocalExecutor, Report
from duetime.model.run import LaunchedRun


class Reservations(Protocol):
    """A cell's launches under way, as the other cells count them."""

    @property
    def reserved_slots(self) -> int:
        """How many runs with a slot may start that the executor does not count yet."""
        ...


class CellSlots:
    """`Slots` for one cell. What the other cells are about to start is not free, and ends are reported to the cell."""

    def __init__(self, executor: LocalExecutor, report: Report, others: Callable[[], Sequence[Reservations]]) -> None:
        """`others` returns the other cells whose databases answer: launches in one that is away do not start."""
        self._executor, self._report, self._others = executor, report, others

    def room(self) -> int:
        """Returns the free slots."""
        return self._executor.room() - sum(other.reserved_slots for other in self._others())

    def instant_room(self) -> int:
        """Returns how many runs that take no slot may start. Each cell has its own launches under way.

        What other cells reserve is not subtracted: little room would be left, and batches would become small.
        """
        return self._executor.instant_room()

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        """Start runs that this node holds in the cell."""
        self._executor.start(runs, self._report)
