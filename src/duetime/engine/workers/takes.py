"""Take: a worker asks for runs and waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from duetime.clock.port import Clock
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs
from duetime.engine.workers.desk import Desk, PulledRun, WaitingTake
from duetime.engine.workers.offers import WorkerOffers
from duetime.engine.workers.registry import Registry
from duetime.model.pull import Worker
from duetime.store.worker_port import WorkerStore


class Taken(NamedTuple):
    """The answer to a take. `draining`: the worker is to finish and leave."""

    runs: list[PulledRun]
    draining: bool = False


class Takes:
    """Answers takes: with the runs of the same take if it is a repeat, else with the next runs, or none in time."""

    def __init__(
        self,
        store: WorkerStore,
        registry: Registry,
        desk: Desk,
        offers: WorkerOffers,
        definitions: Definitions,
        clock: Clock,
        more: Callable[[], None],
    ) -> None:
        """`more` wakes the scheduler of this node, if it has one."""
        self._store, self._registry, self._desk, self._offers = store, registry, desk, offers
        self._definitions, self._clock, self._more = definitions, clock, more
        self._stopping = False

    async def take(
        self,
        user_id: int,
        worker_id: int,
        take_id: str,
        most: int,
        wait: timedelta,
        gone: Callable[[], Coroutine[Any, Any, None]],
    ) -> Taken:
        """Returns at most `most` runs for a worker, after at most `wait`.

        `gone` returns when the worker cannot be answered any more: then no run is launched for the take.
        """
        until = self._clock.now() + wait
        known = await self._registry.living(user_id, worker_id, take_id)
        if known.taken_at is not None:
            return Taken(await self._repeated(known.worker, known.taken_at), known.draining)
        if known.draining or self._stopping:
            return Taken([], known.draining)
        take = self._waiting(known.worker, take_id, min(most, known.worker.slots))
        return Taken(await self._answer(take, until, gone))

    def stop(self) -> None:
        """Answer every take without runs from now on: this node stops."""
        self._stopping = True
        self._desk.end_all()

    def _waiting(self, worker: Worker, take_id: str, most: int) -> WaitingTake:
        """Returns the worker's waiting take: the one of the same name, or a new one in place of any other."""
        current = self._desk.current(worker.id)
        if current is not None and current.take_id == take_id:
            return current
        if current is not None and self._desk.remove(current):
            current.give([])
        take = WaitingTake(worker, take_id, most, asyncio.get_running_loop().create_future())
        self._desk.add(take)
        self._offers.waits()
        self._more()
        return take

    async def _answer(
        self, take: WaitingTake, until: datetime, gone: Callable[[], Coroutine[Any, Any, None]]
    ) -> list[PulledRun]:
        done = asyncio.Event()
        take.answer.add_done_callback(lambda _: done.set())
        watch = asyncio.create_task(gone())
        watch.add_done_callback(lambda _: done.set())
        try:
            await self._clock.wait(done, until)
        finally:
            watch.cancel()
        if not take.answer.done() and self._desk.remove(take):
            take.give([])
        return await asyncio.shield(take.answer)

    async def _repeated(self, worker: Worker, taken_at: datetime) -> list[PulledRun]:
        held = await self._store.held(worker.id, since=taken_at)
        runs = await as_runs([one.row for one in held], worker.id, self._definitions, starting=True)
        return [PulledRun(run, one.since, one.labels, one.checkpoint) for run, one in zip(runs, held, strict=True)]
