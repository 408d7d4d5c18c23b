"""The executor's slots, also when a node rescues a run of its own and runs two attempts of one job side by side."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Literal

from duetime.clock.manual import START, ManualClock
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.log import LogRunner
from duetime.model.definition import PLAIN, Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import SUCCEEDED, Outcome
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.log import LogTarget

DEFINITION = Definition(target=HttpTarget(url="https://example.com/"))


class Patient:
    """A runner whose runs end when the test says so."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self) -> None:
        self.may_end = {1: asyncio.Event(), 2: asyncio.Event()}
        self.closed = False

    async def run(self, run: LaunchedRun) -> Outcome:
        await self.may_end[run.attempt].wait()
        return SUCCEEDED

    async def close(self) -> None:
        self.closed = True


def attempt(number: int, definition: Definition = DEFINITION) -> LaunchedRun:
    return LaunchedRun(
        JobId(1024), UserId(1), number, DefinitionId(1), definition, "", START, START, executor=NodeId(number)
    )


async def two_attempts(ended: list[Settlement]) -> tuple[LocalExecutor, Patient]:
    target = Patient()
    executor = LocalExecutor(10, ManualClock(), runners={HttpTarget: target}, report=ended.extend, unsettled=lambda: 0)
    executor.start([attempt(1)])
    executor.start([attempt(2)])
    await asyncio.sleep(0)
    return executor, target


async def test_no_attempt_takes_longer_than_the_executor_allows() -> None:
    ended: list[Settlement] = []
    executor = LocalExecutor(
        1, ManualClock(), runners={HttpTarget: Patient()}, report=ended.extend, unsettled=lambda: 0, longest=0.001
    )
    executor.start([attempt(1)])
    await executor.stop(grace=60)
    (one,) = ended
    assert one.outcome.failure is not None
    assert (one.outcome.failure.kind, "0.001 s" in one.outcome.failure.message) == ("timeout", True)


async def test_two_attempts_of_one_job_have_a_slot_each() -> None:
    ended: list[Settlement] = []
    executor, target = await two_attempts(ended)
    assert (executor.running, executor.room()) == (2, 8)
    target.may_end[1].set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert [one.run.attempt for one in ended] == [1]
    assert (executor.running, executor.room()) == (1, 9), "the second still runs"
    await executor.stop(0.0)
    assert [one.run.attempt for one in ended] == [1, 2], "and is handed back when the executor stops"
    assert target.closed


async def test_a_cancel_stops_every_attempt_of_its_job() -> None:
    ended: list[Settlement] = []
    executor, _ = await two_attempts(ended)
    assert executor.cancel(1024)
    for _ in range(5):
        await asyncio.sleep(0)
    assert [(one.outcome.state, one.cancelled) for one in ended] == [(JobState.CANCELLED, True)] * 2
    assert not executor.cancel(1024)


async def test_a_run_that_is_asked_to_stop_before_it_began_is_reported_too() -> None:
    ended: list[Settlement] = []
    executor = LocalExecutor(
        10, ManualClock(), runners={HttpTarget: Patient()}, report=ended.extend, unsettled=lambda: 0
    )
    executor.start([attempt(1)])
    assert executor.cancel(1024)
    for _ in range(5):
        await asyncio.sleep(0)
    assert [(one.outcome.state, one.cancelled) for one in ended] == [(JobState.CANCELLED, True)]
    assert executor.running == 0


async def test_runs_that_wait_for_nothing_take_no_slot_and_are_reported_together() -> None:
    reports: list[list[Settlement]] = []
    executor = LocalExecutor(
        1,
        ManualClock(),
        runners={LogTarget: LogRunner()},
        report=lambda ended: reports.append([*ended]),
        unsettled=lambda: 0,
    )
    executor.start([attempt(number, PLAIN) for number in (1, 2, 3)])
    assert [[one.run.attempt for one in ended] for ended in reports] == [[1, 2, 3]]
    assert {one.outcome for ended in reports for one in ended} == {SUCCEEDED}
    assert (executor.running, executor.room()) == (0, 1)
    await executor.stop(0.0)


def test_a_run_of_a_kind_without_a_runner_fails_and_says_which_kind_it_is() -> None:
    ended: list[Settlement] = []
    executor = LocalExecutor(
        1, ManualClock(), runners={LogTarget: LogRunner()}, report=ended.extend, unsettled=lambda: 0
    )
    executor.start([attempt(1)])
    failure = ended[0].outcome.failure
    assert failure is not None
    assert failure.kind == "no_target"
    assert "'http'" in failure.message


async def test_a_runner_that_raises_is_a_failed_attempt() -> None:
    ended: list[Settlement] = []
    runner = Patient()
    executor = LocalExecutor(10, ManualClock(), runners={HttpTarget: runner}, report=ended.extend, unsettled=lambda: 0)
    executor.start([attempt(3)])
    for _ in range(5):
        await asyncio.sleep(0)
    failure = ended[0].outcome.failure
    assert failure is not None
    assert (failure.kind, "KeyError" in failure.message) == ("defect", True)
