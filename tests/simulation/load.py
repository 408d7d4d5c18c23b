"""The clients of one world: the seed chooses what they do, and every answer is recorded."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from duetime.model.definition import PLAIN, Definition
from duetime.model.ids import UserId
from duetime.model.job import JobEdit, NewJob
from duetime.model.policy import Policy, Retry
from duetime.model.schedule import Misfire, ScheduleContent
from duetime.model.targets.http import HttpTarget
from duetime.timing.spec import Timing
from simulation.clock import store_time
from simulation.history import Told

if TYPE_CHECKING:
    from simulation.world import World

LANES = ("a", "b", "c")
SINK = HttpTarget(url="http://sink.example/")
LOOK_EVERY = 0.03
RETRY = Retry(max_attempts=3, base=0.2, cap=1.0)


def _definition(**policy: Any) -> Definition:
    return Definition(SINK, Policy(timeout=1.5, retry=RETRY, breaker=False, **policy))


USUAL = _definition()
ONCE = _definition(delivery="at_most_once")
BLOCKING = _definition(on_failure="block")
SKIPPING = _definition(on_failure="skip")


class Load:
    """The clients of one world."""

    def __init__(self, world: World, random: Random, seconds: float) -> None:
        self._world, self._random, self._seconds = world, random, seconds
        self.told: list[Told] = []
        self._jobs: list[tuple[int, int]] = []
        self._touched: set[int] = set()
        self._schedules: list[tuple[int, int, str]] = []
        self._tokens = 0

    async def run(self) -> None:
        """Make all calls, at instants that the seed chooses."""
        random, calls = self._random, list[asyncio.Task[None]]()
        plan = [(random.uniform(0.0, self._seconds * 0.4), self._add_schedule) for _ in range(random.randint(1, 3))]
        plan += [(random.uniform(0.0, self._seconds), self._submit) for _ in range(random.randint(10, 30))]
        plan += [(random.uniform(0.5, self._seconds), self._cancel) for _ in range(random.randint(0, 5))]
        plan.append((random.uniform(0.5, self._seconds), self._cancel_in_doubt))
        plan += [(random.uniform(0.5, self._seconds), self._edit) for _ in range(random.randint(0, 5))]
        plan += [(random.uniform(2.0, self._seconds), self._meddle) for _ in range(random.randint(0, 4))]
        for at, call in sorted(plan, key=lambda one: one[0]):
            await self._world.until(at)
            calls.append(self._world.loop.create_task(call()))
        if calls:
            await asyncio.wait(calls)
        for call in calls:
            call.result()

    async def pause_all(self) -> None:
        """Pause all schedules, so that the world can come to rest; also those whose creation was not acknowledged."""
        for _ in range(40):
            active = [one.row for one in self._world.tables.schedules.values() if one.row.state == "active"]
            if not active:
                return
            for row in active:
                sent = self._now()
                answer, _ = await self._world.ask(
                    lambda engine, row=row: engine.schedules.pause(row.user_id, row.id, row.user_id), self._random
                )
                self._tell("pause", answer, sent, job=row.id)
            await asyncio.sleep(0.25)

    async def _submit(self) -> None:
        random = self._random
        self._tokens += 1
        token = f"t{self._tokens}"
        user, definition, lane = UserId(random.randint(1, 2)), USUAL, None
        kind = random.choices(("ok", "flaky", "fail", "hang"), (12, 3, 2, 1))[0]
        shape = random.choices(("plain", "usual", "once", "lane"), (2, 4, 3, 6))[0]
        if shape == "plain":
            definition, kind = PLAIN, "ok"
        elif shape == "once":
            definition = ONCE
        elif shape == "lane":
            lane = random.choice(LANES)
            definition = random.choices((BLOCKING, SKIPPING), (1, 6))[0]
        execute_at = self._now() + timedelta(seconds=random.choice((-1.0, 0.0, 0.0, random.uniform(0.1, 4.0))))
        key = token if random.random() < 0.5 else None
        message = f"{token}/{kind}/{random.uniform(0.01, 0.6):.3f}"
        job = NewJob(user, definition, message, execute_at, lane, idempotency_key=key, fingerprint=token.encode())
        sent = self._now()
        answer, done = await self._world.ask(lambda engine: engine.submit.one(job), random)
        for _ in range(6):
            if answer == "ok" or key is None:
                break
            await asyncio.sleep(random.uniform(0.05, 0.8))
            again, done = await self._world.ask(lambda engine: engine.submit.one(job), random)
            answer = again if again == "ok" or answer == "refused" else answer
        found = done.job.id if answer == "ok" else 0
        self._tell(
            "submit",
            answer,
            sent,
            job=found,
            token=token,
            message=message,
            key=key or "",
            lane=lane,
            execute_at=execute_at,
        )
        if found:
            self._jobs.append((found, user))

    async def _cancel(self) -> None:
        if not self._jobs:
            return
        await self._cancel_this(*self._random.choice(self._jobs))

    async def _cancel_in_doubt(self) -> None:
        """Cancel a job during an unanswered launch; chance alone rarely does."""
        while self._world.loop.time() < self._seconds:
            cells = [cell for node in self._world.nodes for cell in node.cells]
            doubtful = {job for cell in cells for job in cell.engine.launch.unanswered_jobs}
            doubtful &= {job for one in self._world.databases for job in one.tables.in_flight}
            met = [one for one in self._jobs if one[0] in doubtful]
            if met:
                await self._cancel_this(*self._random.choice(met))
                return
            await asyncio.sleep(LOOK_EVERY)

    async def _cancel_this(self, job: int, user: int) -> None:
        sent = self._now()
        answer, done = await self._world.ask(lambda engine: engine.control.cancel(user, job, user), self._random)
        running = answer == "ok" and done.state.value != "cancelled"
        self._tell("cancel", answer, sent, job=job, running=running)

    async def _edit(self) -> None:
        fresh = [one for one in self._jobs if one[0] not in self._touched]
        if not fresh:
            return
        random = self._random
        job, user = random.choice(fresh)
        self._touched.add(job)
        self._tokens += 1
        message = f"e{self._tokens}/ok/{random.uniform(0.01, 0.3):.3f}"
        later = self._now() + timedelta(seconds=random.uniform(0.0, 2.0)) if random.random() < 0.5 else None
        sent = self._now()
        answer, _ = await self._world.ask(
            lambda engine: engine.control.edit(user, job, JobEdit(message=message, execute_at=later), user), random
        )
        self._tell("edit", answer, sent, job=job, message=message)

    async def _add_schedule(self) -> None:
        random = self._random
        self._tokens += 1
        name, user = f"s{self._tokens}", random.randint(1, 2)
        kind = random.choices(("ok", "flaky"), (3, 2))[0]
        timing = random.choice((Timing(every="1s"), Timing(every="1.5s"), Timing(cron="*/2 * * * * *")))
        content = ScheduleContent(
            name=name,
            timing=timing,
            definition=random.choices((USUAL, ONCE, SKIPPING), (4, 1, 1))[0],
            message=f"{name}/{kind}/{random.uniform(0.01, 0.7):.3f}/{{{{nominal}}}}",
            misfire=Misfire(policy=random.choice(("fire_once", "fire_all", "skip")), grace=1.0),
            overlap=random.choice(("skip", "queue", "allow", "allow", "cancel_running")),
        )
        sent = self._now()
        answer, done = await self._world.ask(lambda engine: engine.schedules.create(user, [content], user), random)
        self._tell("schedule", answer, sent, job=done[0] if answer == "ok" else 0, token=name)
        if answer == "ok":
            self._schedules.append((done[0], user, content.overlap))

    async def _meddle(self) -> None:
        """Move a waiting occurrence to the instant of the pending one, which must be refused."""
        usual = [(one, user) for one, user, overlap in self._schedules if overlap == "allow"]
        if not usual:
            return
        schedule_id, user = self._random.choice(usual)
        answer, shown = await self._world.ask(lambda engine: engine.schedules.show(user, schedule_id), self._random)
        if answer != "ok" or shown.pending_nominal is None:
            return
        answer, records = await self._world.ask(
            lambda engine: engine.schedules.history(user, schedule_id, 2**53, 20), self._random
        )
        waiting = [
            one.job_id
            for one in (records if answer == "ok" else ())
            if one.state == "created" and one.occurrence and one.job_id != shown.pending_job
        ]
        if not waiting:
            return
        job, sent = waiting[0], self._now()
        edit = JobEdit(execute_at=shown.pending_nominal, message=f"m{job}/ok/0.010")
        answer, _ = await self._world.ask(lambda engine: engine.control.edit(user, job, edit, user), self._random)
        self._tell("edit", answer, sent, job=job, message=edit.message or "")

    def _now(self) -> datetime:
        return store_time(self._world.loop)

    def _tell(self, kind: str, answer: str, sent: datetime, **more: Any) -> None:
        self.told.append(Told(kind, answer, sent, self._now(), **more))  # type: ignore[arg-type]
