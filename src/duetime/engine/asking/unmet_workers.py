"""Why no worker runs a waiting job of a queue: none takes it, or those that do are busy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.pull import Pulled, Worker, pull_pool
from duetime.model.shown_worker import ShownWorker
from duetime.store.worker_port import WorkerStore

REMEMBERED_SECONDS = 1.0
MOST = 1000


class UnmetWorkers:
    """Looks at the living workers of a user, at most once a second."""

    def __init__(self, store: WorkerStore, clock: Clock) -> None:
        self._store = store
        self._workers = BriefCache(self._read, clock, seconds=REMEMBERED_SECONDS)

    async def of(self, user_id: int, pulled: Pulled, requires: Mapping[str, str] | None) -> str:
        """Returns a sentence that says why a due job of a queue is not pulled."""
        return why_not_pulled(user_id, pulled, requires, await self._workers.of(user_id))

    async def takes(self, user_id: int, pulled: Pulled, requires: Mapping[str, str] | None) -> bool:
        """Returns whether a living worker takes such a job, now or when it has a free slot."""
        pool = pull_pool(user_id, pulled, requires)
        return any(one.worker.fits(pool) and not one.draining for one in await self._workers.of(user_id))

    async def _read(self, user_id: int) -> list[ShownWorker]:
        return await self._store.of_user(user_id, MOST)


def why_not_pulled(
    user_id: int, pulled: Pulled, requires: Mapping[str, str] | None, living: Sequence[ShownWorker]
) -> str:
    """Returns a sentence that says which worker is missing, or what those that fit do. Pure."""
    pool = pull_pool(user_id, pulled, requires)
    fitting = [one for one in living if one.worker.fits(pool)]
    if not fitting:
        return _missing(pulled, requires, [one.worker for one in living])
    names = ", ".join(sorted({one.worker.name for one in fitting})[:3])
    if all(one.draining for one in fitting):
        return f"No worker takes it: those that could are being drained: {names}."
    if all(one.running >= one.worker.slots for one in fitting if not one.draining):
        return f"All slots of the workers that take it are in use: {names}."
    return f"Workers that take it are alive, and have not asked for it yet: {names}."


def _missing(pulled: Pulled, requires: Mapping[str, str] | None, workers: Sequence[Worker]) -> str:
    queue, task = pulled.queue, pulled.task
    if pulled.worker is not None:
        return f"No worker takes it: it is for one worker (w{pulled.worker}), which is gone."
    if not workers:
        return f"No worker takes the queue '{queue}': none of your workers is alive."
    of_queue = [one for one in workers if queue in one.queues]
    if not of_queue:
        return f"No worker takes the queue '{queue}'.{_near(queue, {name for one in workers for name in one.queues})}"
    if not any(not one.tasks or task in one.tasks for one in of_queue):
        tasks = {name for one in of_queue for name in one.tasks}
        return f"No worker takes the task '{task}' of the queue '{queue}'.{_near(task, tasks)}"
    labels = ", ".join(f"{name}={value}" for name, value in (requires or {}).items())
    return f"No worker takes it: none for '{task}' of the queue '{queue}' has the labels {labels}."


def _near(name: str, names: Collection[str]) -> str:
    near = get_close_matches(name, sorted(names), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""
