"""A scheduler's backlog over a store in memory, without loops: the test launches and ends jobs, and delays answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, TypeVar

from duetime.clock.manual import START, ManualClock
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.gates import Gates
from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.due.pick import Pick
from duetime.model.ids import SHARDS, flow_of
from duetime.store.port import JobRef, Wanted
from simulation.memory.due import MemoryDue
from simulation.memory.tables import Flight, JobRecord, Tables

T = TypeVar("T")
LOOK_AHEAD = timedelta(seconds=2)


class LateLine:
    """Carries calls to the store. A test can say what happens between the store's answer and its arrival."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        self.asked: list[str] = []

    async def call(self, name: str, work: Callable[[], T]) -> T:
        self.asked.append(name)
        answer = work()
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return answer


class Asked(MemoryDue):
    """A store that notes which flows it was asked for."""

    def __init__(self, tables: Tables, line: LateLine) -> None:
        super().__init__(tables, line)
        self.wanted: list[Wanted] = []

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        self.wanted += wanted
        return await super().backlog(wanted, now, held)


class Draining:
    """Users with a backlog that is larger than memory."""

    def __init__(self, per_flow: int = 200, weights: Mapping[int, float] | None = None) -> None:
        self.clock, self.line = ManualClock(), LateLine()
        self.tables = Tables(self.clock.now)
        self.store = Asked(self.tables, self.line)
        self.ownership = SimpleNamespace(held=[True] * SHARDS)
        self.backlog = Backlog(per_flow)
        self.pick = Pick(self.backlog, Gates(lambda _: None))
        self.pick.set_weights(weights or {})
        self.due = LookAhead(self.store, self.ownership, self.backlog, self.pick, BatchSize(self.clock), LOOK_AHEAD)
        self.refused: Counter[int] = Counter()
        """How often each user's share was spent on a job that could not be launched."""

    def put(self, count: int = 1, *, user: int = 1, after: float = -60.0, **more: Any) -> list[JobRecord]:
        """Store jobs, without a hint to the scheduler."""
        at = START + timedelta(seconds=after)
        made = [
            JobRecord(
                **{
                    "id": self.tables.job_id(0),
                    "user_id": user,
                    "definition_id": 1,
                    "priority": 5,
                    "ready": True,
                    "timed": after > 0,
                    "flow": flow_of(user),
                    "execute_at": at,
                    "due_at": at,
                    "created_at": at,
                    "message": "",
                    **more,
                }
            )
            for _ in range(count)
        ]
        self.tables.jobs.update((job.id, job) for job in made)
        return made

    async def fill(self) -> None:
        """Read from the store until the backlog wants nothing more."""
        while self.due.wants_fill(self.clock.now()):
            await self.due.fill(self.clock.now())

    async def sweep(self) -> None:
        """Advance the clock to the next sweep of the store, and read what it finds."""
        while not self.due.wants_sweep(self.clock.now()):
            self.clock.advance(1)
        await self.due.sweep(self.clock.now())
        await self.fill()

    def launch(self, count: int) -> list[JobRef]:
        """Launch the next jobs. The store refuses a job that does not exist, is in flight, or was moved."""
        self.pick.wake(self.backlog.ripen(self.clock.now()))
        taken, launched = self.pick.pick(count, self.clock.now()), list[JobRef]()
        for ref in taken:
            job = self.tables.jobs.get(ref.id)
            if job is not None and job.ref() == ref and ref.id not in self.tables.in_flight:
                flight = Flight(ref.id, ref.user_id, 1, 1, ref.attempt + 1, self.clock.now(), ref.lane)
                self.tables.in_flight[ref.id] = flight
                launched.append(ref)
            else:
                self.refused[ref.user_id] += 1
                self.pick.release([ref.id])
        return launched

    def end(self, refs: Iterable[JobRef]) -> None:
        """Record that these jobs have run and ended."""
        for ref in refs:
            del self.tables.in_flight[ref.id], self.tables.jobs[ref.id]
            self.pick.release([ref.id])

    def take_back(self, refs: Iterable[JobRef]) -> None:
        """Take back launches that were never sent, and drop the jobs from memory."""
        for ref in refs:
            del self.tables.in_flight[ref.id]
            self.pick.release([ref.id])

    async def drain(self, most: int = 100_000) -> list[int]:
        """Launch and end jobs until memory is empty, reading more when wanted, without a sweep. Returns the job ids."""
        went: list[int] = []
        while len(went) < most:
            await self.fill()
            refs = self.launch(min(64, most - len(went)))
            if not refs:
                break
            self.end(refs)
            went += [ref.id for ref in refs]
        return went
