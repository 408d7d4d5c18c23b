"""Lines that runs of workers logged."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.clock.port import Clock
from duetime.model.errors import NotFound
from duetime.model.ids import NodeId
from duetime.store.worker_port import WorkerStore


class RunLogs:
    """Keeps the beginning of each run's log, and reads it."""

    def __init__(self, store: WorkerStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def add(self, worker: int, run: tuple[int, int], seq: int, lines: Sequence[str]) -> int:
        """Add lines to the log of a run (job, attempt) that a worker holds. Returns how many were kept."""
        kept = await self._store.log(NodeId(worker), run, seq, lines, self._clock.now())
        if kept is None:
            raise NotFound("The run is not this worker's any more.")
        return kept

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of an attempt without its first `skip` lines; empty if it has none."""
        return await self._store.lines(user_id, job_id, attempt, skip)
