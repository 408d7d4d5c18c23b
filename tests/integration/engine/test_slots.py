"""Slots through the whole engine: one user's long runs leave slots for others, and `log` needs none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import ClassVar, Literal

import pytest

from duetime.clock.manual import ManualClock
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.log import LogRunner
from duetime.model.definition import Definition
from duetime.model.outcome import SUCCEEDED, Outcome
from duetime.model.policy import Limit, Policy
from duetime.model.run import LaunchedRun
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.log import LogTarget
from harness.engine import Engine, WorkingBus

SLOTS = 40
TARPIT = Definition(HttpTarget("http://tarpit.example/"), Policy(timeout=3600.0))
SWALLOWED = Definition(HttpTarget("http://tarpit.example/"), Policy(timeout=3600.0, breaker=False))


class Tarpit:
    """Answers when the test says so."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self) -> None:
        self.answers = asyncio.Event()
        self.running: list[LaunchedRun] = []

    async def run(self, run: LaunchedRun) -> Outcome:
        self.running.append(run)
        await self.answers.wait()
        return SUCCEEDED

    async def close(self) -> None:
        self.answers.set()


class Executor(WorkingBus):
    """A real executor whose HTTP targets are a tarpit."""

    def __init__(self, clock: ManualClock) -> None:
        self.tarpit, self.clock, self.sent = Tarpit(), clock, range(0)
        LocalExecutor.__init__(
            self,
            SLOTS,
            clock,
            runners={LogTarget: LogRunner(), HttpTarget: self.tarpit},
            report=lambda *ended: self.ended(*ended),
            unsettled=lambda: len(self.settle),
        )


@pytest.fixture
async def executor() -> Executor:
    return Executor(ManualClock())


@pytest.fixture
async def engine(dsn: str, executor: Executor) -> AsyncIterator[Engine]:
    made = await Engine(dsn, executor.clock, bus=executor).start()
    yield made
    await executor.stop(0)
    await made.stop()


async def turn(engine: Engine) -> None:
    for _ in range(4):
        engine.scheduler.decide(engine.clock.now())
        await engine.scheduler.idle()
        await engine.settle.drain()
        await asyncio.sleep(0)


def by_user(executor: Executor) -> list[int]:
    return [run.user_id for run in executor.tarpit.running]


@pytest.mark.parametrize("definition", [TARPIT, SWALLOWED], ids=["with a breaker", "without"])
async def test_one_users_long_runs_leave_slots_for_others(
    engine: Engine, executor: Executor, definition: Definition
) -> None:
    greedy, other, third = [await engine.user(name) for name in ("greedy", "other", "third")]
    await engine.submit.many([engine.job(greedy, definition=definition) for _ in range(SLOTS)])
    await turn(engine)
    assert by_user(executor).count(greedy) == 30
    await engine.submit.many([engine.job(other, definition=definition) for _ in range(SLOTS)])
    await turn(engine)
    assert 7 <= by_user(executor).count(other) <= 8
    await engine.add(third, definition=definition)
    await turn(engine)
    assert by_user(executor).count(third) == 1
    executor.tarpit.answers.set()
    for _ in range(5):
        await turn(engine)
    assert (by_user(executor).count(greedy), by_user(executor).count(other)) == (SLOTS, SLOTS)
    assert await engine.count("in_flight") == 0


async def test_a_log_job_needs_no_slot(engine: Engine, executor: Executor) -> None:
    users = [await engine.user(f"user{number}") for number in range(60)]
    for user in users:
        await engine.submit.many([engine.job(user, definition=TARPIT) for _ in range(4)])
    await turn(engine)
    assert (executor.running, executor.room()) == (SLOTS, 0), "so many users hold all slots"
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    await engine.add(users[0])
    await engine.add(users[0], definition=limited)
    await turn(engine)
    assert await engine.count("history") == 2


async def test_a_user_with_a_limit_of_its_own_keeps_it(engine: Engine, executor: Executor) -> None:
    user = await engine.user()
    limited = Definition(HttpTarget("http://tarpit.example/"), Policy(limit=Limit(max_concurrency=3)))
    await engine.submit.many([engine.job(user, definition=limited) for _ in range(10)])
    await turn(engine)
    assert executor.running == 3
