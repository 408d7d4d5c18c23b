"""What people see of workers: the runs that each holds, and the queues with what waits in them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.asking.unmet_workers import why_not_pulled
from duetime.engine.brief_cache import BriefCache
from duetime.engine.intake.definitions import Definitions
from duetime.engine.workers.registry import MOST_WORKERS, not_living
from duetime.model.definition import Definition
from duetime.model.flow import limited_definition
from duetime.model.pull import pull_pool
from duetime.model.shown_worker import ShownWorker, WorkerRun
from duetime.store.worker_insight_port import FlowWaiting, WorkerInsightStore
from duetime.store.worker_port import WorkerStore

SECONDS: Final = 1.0
COUNTED: Final = 10_000
"""About where counting ends."""
SHOWN_RUNS: Final = 1000


class QueueOf(Struct, frozen=True):
    """A queue of a user: what waits in it, and what takes it."""

    queue: str
    waiting: int
    capped: bool
    oldest_due: datetime | None
    running: int
    workers: int
    slots: int
    missing: str | None
    """Why no worker takes some of what waits."""


class WorkerInsight:
    """Reads workers and queues. Callers that ask for the queues of a user within a second share them."""

    def __init__(self, insight: WorkerInsightStore, store: WorkerStore, definitions: Definitions, clock: Clock) -> None:
        self._insight, self._store, self._definitions, self._clock = insight, store, definitions, clock
        self._queues = BriefCache(self._read, clock, seconds=SECONDS, most=1000)

    async def worker(self, user_id: int, worker_id: int) -> tuple[ShownWorker, list[WorkerRun]]:
        """Returns a living worker of a user, with the runs that it holds."""
        living = await self._store.of_user(user_id, MOST_WORKERS)
        found = next((one for one in living if one.worker.id == worker_id), None)
        if found is None:
            raise not_living()
        return found, await self._insight.runs(worker_id, SHOWN_RUNS)

    async def run_of(self, user_id: int, job_id: int) -> WorkerRun | None:
        """Returns the run of a job that a worker holds now."""
        return await self._insight.run(user_id, job_id)

    async def queues(self, user_id: int) -> list[QueueOf]:
        """Returns the queues of a user that have due jobs, runs or workers, by name."""
        return await self._queues.of(user_id)

    async def _read(self, user_id: int) -> list[QueueOf]:
        flows, running, living = await asyncio.gather(
            self._insight.waiting(user_id, self._clock.now(), COUNTED),
            self._insight.running(user_id),
            self._store.of_user(user_id, MOST_WORKERS),
        )
        ids = {one.flow: limited_definition(one.flow) for one in flows}
        definitions = await self._definitions.by_ids({one for one in ids.values() if one is not None})
        waiting = dict[str, list[tuple[FlowWaiting, Definition]]]()
        for one in flows:
            definition = definitions.get(ids[one.flow] or 0)
            pulled = None if definition is None else definition.target.pulled()
            if definition is not None and pulled is not None:
                waiting.setdefault(pulled.queue, []).append((one, definition))
        names = {*waiting, *running, *(name for one in living for name in one.worker.queues)}
        return [_queue(user_id, name, waiting.get(name, ()), running.get(name, 0), living) for name in sorted(names)]


def _queue(
    user_id: int,
    name: str,
    waiting: Sequence[tuple[FlowWaiting, Definition]],
    running: int,
    living: Sequence[ShownWorker],
) -> QueueOf:
    takers = [one.worker for one in living if name in one.worker.queues]
    flows = [flow for flow, _ in waiting]
    return QueueOf(
        name,
        sum(flow.waiting for flow in flows),
        any(flow.capped for flow in flows),
        min((flow.oldest for flow in flows), default=None),
        running,
        len(takers),
        sum(one.slots for one in takers),
        _missing(user_id, (definition for _, definition in waiting), living),
    )


def _missing(user_id: int, definitions: Iterable[Definition], living: Sequence[ShownWorker]) -> str | None:
    """Returns why no worker takes jobs of one of these definitions; None when each is taken."""
    for definition in definitions:
        pulled, requires = definition.target.pulled(), definition.policy.requires or None
        if pulled is None:
            continue
        pool = pull_pool(user_id, pulled, requires)
        if not any(one.worker.fits(pool) and not one.draining for one in living):
            return why_not_pulled(user_id, pulled, requires, living)
    return None
