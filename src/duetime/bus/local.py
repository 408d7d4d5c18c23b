"""The bus within one process: the launch names this node as the executor, so starting needs no message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from duetime.executor.executor import LocalExecutor
from duetime.model.run import LaunchedRun


class LocalBus:
    """`Bus` to the executor of the same process."""

    def __init__(self, executor: LocalExecutor, claimed: Callable[[], int] = lambda: 0) -> None:
        """`claimed` tells how many slots are about to be filled by others than the caller."""
        self._executor, self._claimed = executor, claimed

    def room(self) -> int:
        """The executor's free slots."""
        return self._executor.room() - self._claimed()

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Start them."""
        self._executor.start(runs)


class NoBus:
    """`Bus` of a process that executes nothing."""

    def room(self) -> int:
        """None."""
        return 0

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """There is nothing to send where there is no room."""
