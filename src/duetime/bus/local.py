"""The bus within one process: the launch names this node as the executor, so starting needs no message."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.executor.worker import Worker
from duetime.model.run import LaunchedRun


class LocalBus:
    """`Bus` to the executor of the same process."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def room(self) -> int:
        """The executor's free slots."""
        return self._worker.room()

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Start them."""
        self._worker.start(runs)
