"""The end of the bus at which a scheduler launches for workers: into the hands of takes that wait at this node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from duetime.bus.port import Committed, SchedulerEnd
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.settling.ends import Ends
from duetime.engine.workers.desk import Desk, PulledRun, WaitingTake
from duetime.engine.workers.registry import not_living
from duetime.model.errors import DuetimeError, StoreAway
from duetime.model.ids import NodeId
from duetime.model.outcome import Failure, Outcome
from duetime.model.pull import read_pull_pool
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.store.port import JobRef, LaunchedRow, LaunchIntent, LaunchStore
from duetime.store.worker_port import PulledRow, WorkerStore

T = TypeVar("T")
CLEAN_EVERY = timedelta(minutes=1)
"""How often the reports of runs whose jobs have ended are removed."""
SKIPPED_AT_ONCE = 100
"""How many jobs for a worker that is gone are skipped at a time."""
WORKER_GONE = Outcome(JobState.SKIPPED, Failure("no_worker", "the worker that it was for is gone"))


class Deliveries:
    """Makes runs of what became a worker's, and answers the worker's take with them."""

    def __init__(
        self,
        store: WorkerStore,
        desk: Desk,
        ends: Ends,
        definitions: Definitions,
        remember: Callable[[Sequence[PulledRun]], None],
        expire: Callable[[LaunchedRun, Outcome], None],
        handed_out: Callable[[Sequence[LaunchedRun], datetime], None],
    ) -> None:
        """`remember` and `handed_out` are called with runs before they are handed out."""
        self._store, self._desk, self._ends, self._definitions = store, desk, ends, definitions
        self._remember, self._expire, self._handed_out = remember, expire, handed_out

    async def deliver(self, take: WaitingTake, rows: Sequence[PulledRow], gone: Sequence[int], now: datetime) -> None:
        """Answer a claimed take with runs that its worker holds since `now`. Without runs it waits again."""
        worker = take.worker.id
        runs = await as_runs([one.row for one in rows], worker, self._definitions, starting=True)
        # An edit may have made it a job for executors after it was picked.
        changed = {run.job_id for run in runs if run.definition.target.pulled() is None}
        if gone or changed:
            await self._ends.by_taking_back(worker, [*gone, *changed], now)
        late = in_time(runs, [one.row for one in rows], now, self._expire)
        kept: dict[int, LaunchedRun] = {run.job_id: run for run in late if run.job_id not in changed}
        pulled = [PulledRun(kept[one.row.id], now, one.labels, one.checkpoint) for one in rows if one.row.id in kept]
        if not pulled:
            await self._put_back(take)
            return
        self._remember(pulled)
        self._handed_out([one.run for one in pulled], now)
        self._desk.answered(take)
        take.give(pulled)

    async def _put_back(self, take: WaitingTake) -> None:
        """Let a take that got nothing wait again, unless its worker has lost its lease: it would never get a run."""
        if await self._store.living([take.worker.id]):
            self._desk.put_back(take)
        else:
            self.fail(take, not_living())

    async def skip(self, node: NodeId, rows: Sequence[LaunchedRow], gone: Sequence[int], now: datetime) -> None:
        """End launches of this node for a worker that is gone."""
        if gone:
            await self._ends.by_taking_back(node, gone, now)
        for run in await as_runs(rows, node, self._definitions):
            self._expire(run, WORKER_GONE)

    def fail(self, take: WaitingTake, error: Exception) -> None:
        """Answer a claimed take with an error: the worker asks again under the same name, and gets what it has."""
        self._desk.answered(take)
        away = error if isinstance(error, DuetimeError) else StoreAway("The runs could not be handed out: try again.")
        take.fail(away)


class PullEnd:
    """`SchedulerEnd` for pools of workers.

    Launches for takes that wait at this node are committed in the worker's name: no worker has to be found afterwards.
    Launches beyond them, for workers that ask other nodes, go out as offers (`elsewhere`), which also counts all
    launches that are out.
    """

    def __init__(
        self,
        store: WorkerStore,
        launches: LaunchStore,
        desk: Desk,
        deliveries: Deliveries,
        elsewhere: SchedulerEnd,
        instant: Callable[[], datetime],
        offered: Callable[[], None],
    ) -> None:
        """`instant` returns the present, a different one at each call. `offered` is called when there are offers."""
        self._store, self._desk, self._deliveries, self._elsewhere = store, desk, deliveries, elsewhere
        self._instant, self._offered, self._launches = instant, offered, launches
        self._cleaned_at: datetime | None = None
        self._gone: set[int] = set()
        """Workers that jobs of broadcasts are for, and that are gone. These jobs are skipped."""
        self._assigned: dict[int, WaitingTake] = {}
        """For each job that is about to be launched for a take at this node, the take."""

    def room(self, pool: str) -> int:
        """Returns how many more runs workers of a pool ask for here, and how many can soon be taken elsewhere."""
        if self._is_gone(pool):
            return SKIPPED_AT_ONCE
        return self._desk.room(pool) + max(0, self._elsewhere.room(pool))

    def free_slots(self, pool: str) -> int:
        """Returns the same: runs of workers take no slot of an executor."""
        return self.room(pool)

    def expect(self, refs: Sequence[JobRef], pool: str, taking_slots: Collection[int] = ()) -> None:
        """Count these launches, and claim takes for them."""
        self._elsewhere.expect(refs, pool, taking_slots)
        first = 0
        for take, runs in self._desk.claim(pool, len(refs)):
            self._assigned.update((ref.id, take) for ref in refs[first : first + runs])
            first += runs

    def forget(self, job_ids: Collection[int]) -> None:
        """Stop counting these launches."""
        self._elsewhere.forget(job_ids)

    def launched(self, job_ids: Collection[int]) -> None:
        """The launch of these jobs is over: takes that it did not use wait again."""
        for job_id in job_ids:
            take = self._assigned.pop(job_id, None)
            if take is not None:
                self._desk.put_back(take)

    async def launch(self, node: NodeId, now: datetime, intents: Sequence[LaunchIntent], pool: str) -> Committed:
        """Commit launches for takes that wait here, and offer the others."""
        if self._is_gone(pool):
            rows, gone = await self._launches.launch(node, now, intents)
            await self._deliveries.skip(node, rows, gone, now)
            return Committed(elsewhere={row.id for row in rows}.union(gone))
        taken, others = self._apart(intents, lambda intent: intent.ref.id)

        async def launch(take: WaitingTake, part: Sequence[LaunchIntent]) -> set[int]:
            rows, gone = await self._store.launch(node, take.worker.id, take.take_id, now, part, pool)
            await self._deliveries.deliver(take, rows, gone, now)
            return {one.row.id for one in rows}.union(gone)

        committed = await self._each(taken, launch)
        if others:
            committed = committed.plus(await self._elsewhere.launch(node, now, others, pool))
            self._offered()
        return committed

    async def hand_over(self, node: NodeId, rows: Sequence[LaunchedRow], pool: str) -> Committed:
        """Give launches of this node to takes that wait here, and put the others on offer."""
        taken, others = self._apart(rows, lambda row: row.id)
        left: list[LaunchedRow] = list(others)

        async def hand(take: WaitingTake, part: Sequence[LaunchedRow]) -> set[int]:
            if take.answer.done():
                # It has got runs that were launched beside these, and takes the offers next.
                left.extend(part)
                return set()
            now = self._instant()
            handed = await self._store.hand_to(node, take.worker.id, take.take_id, now, part, pool)
            await self._deliveries.deliver(take, handed, (), now)
            ids = {one.row.id for one in handed}
            left.extend(row for row in part if row.id not in ids)
            return ids

        committed = await self._each(taken, hand)
        if left:
            committed = committed.plus(await self._elsewhere.hand_over(node, left, pool))
            self._offered()
        return committed

    async def run_once(self) -> None:
        """Find ends that were not reported, take back offers that no worker took, and find workers that are gone."""
        wanted = {worker for pool in self._desk.pools() if (worker := read_pull_pool(pool).worker) is not None}
        living = await self._store.living(sorted(wanted)) if wanted else set[int]()
        self._gone = wanted - living
        now = self._instant()
        if self._cleaned_at is None or now - self._cleaned_at >= CLEAN_EVERY:
            await self._store.forget_notes(now - CLEAN_EVERY)
            self._cleaned_at = now
        await self._elsewhere.run_once()

    def _is_gone(self, pool: str) -> bool:
        return bool(self._gone) and read_pull_pool(pool).worker in self._gone

    def _apart(
        self, items: Sequence[T], job_id: Callable[[T], int]
    ) -> tuple[list[tuple[WaitingTake, list[T]]], list[T]]:
        """Returns the items for each take that waits here, and the rest."""
        taken: dict[int, tuple[WaitingTake, list[T]]] = {}
        others: list[T] = []
        for item in items:
            take = self._assigned.pop(job_id(item), None)
            if take is None:
                others.append(item)
            else:
                taken.setdefault(take.worker.id, (take, []))[1].append(item)
        return list(taken.values()), others

    async def _each(
        self,
        taken: Sequence[tuple[WaitingTake, list[T]]],
        work: Callable[[WaitingTake, Sequence[T]], Awaitable[set[int]]],
    ) -> Committed:
        """Do the work for each take, all at once. When one fails, its take fails, and this raises."""

        async def safely(take: WaitingTake, part: Sequence[T]) -> set[int]:
            try:
                return await work(take, part)
            except Exception as error:
                self._deliveries.fail(take, error)
                raise

        done = await asyncio.gather(*(safely(take, part) for take, part in taken), return_exceptions=True)
        for one in done:
            if isinstance(one, BaseException):
                raise one
        return Committed(elsewhere={job_id for ids in done if isinstance(ids, set) for job_id in ids})
