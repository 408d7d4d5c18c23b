"""The executor's slots, also when a node that is its own heir runs two attempts of one job side by side."""

from __future__ import annotations

import asyncio

from duetime.clock.manual import START, ManualClock
from duetime.executor.worker import Worker
from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import SUCCEEDED, Outcome
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.model.target import HttpTarget

DEFINITION = Definition(target=HttpTarget(url="https://example.com/"))


class Patient:
    """A target that ends when it is told to."""

    def __init__(self) -> None:
        self.may_end = {1: asyncio.Event(), 2: asyncio.Event()}

    async def run(self, run: LaunchedRun) -> Outcome:
        await self.may_end[run.attempt].wait()
        return SUCCEEDED

    async def close(self) -> None:
        pass


def attempt(number: int) -> LaunchedRun:
    return LaunchedRun(
        JobId(1024), UserId(1), number, DefinitionId(1), DEFINITION, "", START, START, executor=NodeId(number)
    )


async def two_attempts(ended: list[Settlement]) -> tuple[Worker, Patient]:
    target = Patient()
    worker = Worker(
        10, ManualClock(), targets={HttpTarget: target}, instant={}, report=ended.extend, unsettled=lambda: 0
    )
    worker.start([attempt(1)])
    worker.start([attempt(2)])
    await asyncio.sleep(0)
    return worker, target


async def test_two_attempts_of_one_job_have_a_slot_each() -> None:
    ended: list[Settlement] = []
    worker, target = await two_attempts(ended)
    assert (worker.running, worker.room()) == (2, 8)
    target.may_end[1].set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert [one.run.attempt for one in ended] == [1]
    assert (worker.running, worker.room()) == (1, 9), "the second still runs"
    await worker.stop(0.0)
    assert [one.run.attempt for one in ended] == [1, 2], "and is handed back when the executor stops"


async def test_a_cancel_stops_every_attempt_of_its_job() -> None:
    ended: list[Settlement] = []
    worker, _ = await two_attempts(ended)
    assert worker.cancel(1024)
    for _ in range(5):
        await asyncio.sleep(0)
    assert [(one.outcome.state, one.cancelled) for one in ended] == [(JobState.CANCELLED, True)] * 2
    assert not worker.cancel(1024)


async def test_a_run_that_is_asked_to_stop_before_it_began_is_reported_too() -> None:
    ended: list[Settlement] = []
    worker = Worker(
        10, ManualClock(), targets={HttpTarget: Patient()}, instant={}, report=ended.extend, unsettled=lambda: 0
    )
    worker.start([attempt(1)])
    assert worker.cancel(1024)
    for _ in range(5):
        await asyncio.sleep(0)
    assert [(one.outcome.state, one.cancelled) for one in ended] == [(JobState.CANCELLED, True)]
    assert worker.running == 0
