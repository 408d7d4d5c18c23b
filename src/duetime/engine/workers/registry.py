"""The living workers: they register, and leave or lose their leases."""

from __future__ import annotations

from duetime.coordination.port import Hints
from duetime.engine.workers.desk import Desk
from duetime.metrics.counts import Counts
from duetime.model.errors import NotFound, OverLimit
from duetime.model.ids import NodeId, UserId
from duetime.model.pull import Worker
from duetime.model.shown_worker import ShownWorker
from duetime.store.worker_port import KnownWorker, WorkerStore

MOST_WORKERS = 1000
"""How many living workers a user may have."""
EXECUTORS = "executors"
"""The topic of hints: there are new slots."""


class Registry:
    """Registers and finds workers. A user sees only its own."""

    def __init__(self, store: WorkerStore, desk: Desk, hints: Hints, lease: float, counts: Counts) -> None:
        """`lease` is how long a worker lives without a beat, in seconds."""
        self._store, self._desk, self._hints, self.lease, self._counts = store, desk, hints, lease, counts

    async def register(self, worker: Worker) -> NodeId:
        """Register a worker. Returns its id."""
        worker_id = await self._store.register(worker, self.lease, MOST_WORKERS)
        if worker_id is None:
            raise OverLimit(f"A user may have at most {MOST_WORKERS} living workers: let some leave first.")
        self._counts.workers_registered += 1
        self._hints.send(EXECUTORS, "")
        return worker_id

    async def living(self, user_id: int, worker_id: int, take_id: str | None = None) -> KnownWorker:
        """Returns a worker of a user that has a lease; raises `NotFound` if there is none."""
        known = await self._store.worker(NodeId(worker_id), take_id)
        if known is None or known.worker.user_id != user_id:
            raise not_living()
        return known

    async def list(self, user_id: int) -> list[ShownWorker]:
        """Returns the living workers of a user."""
        return await self._store.of_user(user_id, MOST_WORKERS)

    async def drain(self, user_id: UserId, worker_id: int, draining: bool) -> None:
        """Set whether a worker takes nothing more."""
        if not await self._store.drain(NodeId(worker_id), user_id, draining):
            raise not_living()
        current = self._desk.current(worker_id)
        if draining and current is not None and self._desk.remove(current):
            current.give([])


def not_living() -> NotFound:
    """The error for a worker that is unknown, or whose lease has ended."""
    return NotFound("There is no such living worker: register again.")
