"""Runs that a runner reports: they take slots without tasks, and end by a report, a time-out or the stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from duetime.clock.manual import START, ManualClock
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.port import Ended
from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Policy
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.model.targets.kafka import KafkaTarget
from harness.waiting import eventually


class Held:
    """A runner that reports when the test says so."""

    waits: ClassVar[Literal["report"]] = "report"

    def __init__(self) -> None:
        self.sent: list[LaunchedRun] = []
        self.ended: Callable[[Sequence[Ended]], None] = lambda _: None
        self.closed = False

    def listen(self, ended: Callable[[Sequence[Ended]], None]) -> None:
        self.ended = ended

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        self.sent += runs

    async def close(self) -> None:
        self.closed = True


def run(number: int, timeout: float = 60.0) -> LaunchedRun:
    definition = Definition(KafkaTarget("orders"), Policy(timeout=timeout))
    return LaunchedRun(
        JobId(1024 * number), UserId(1), 1, DefinitionId(1), definition, "", START, START, executor=NodeId(1)
    )


def executing(runner: Held, ended: list[Settlement], clock: ManualClock | None = None) -> LocalExecutor:
    return LocalExecutor(
        10, clock or ManualClock(), runners={KafkaTarget: runner}, report=ended.extend, unsettled=lambda: 0
    )


async def test_a_reported_run_has_a_slot_until_its_report() -> None:
    runner, ended = Held(), list[Settlement]()
    executor = executing(runner, ended)
    executor.start([run(1), run(2)])
    assert (executor.running, executor.room()) == (2, 8)
    runner.ended([Ended(runner.sent[0], SUCCEEDED)])
    assert [one.run.job_id for one in ended] == [1024]
    assert (executor.running, executor.room()) == (1, 9)
    runner.ended([Ended(runner.sent[0], SUCCEEDED)])
    assert len(ended) == 1, "a second report of the same run changes nothing"
    await executor.stop(0.0)
    assert runner.closed


async def test_a_run_without_a_report_is_given_up_after_its_time_out() -> None:
    runner, ended, clock = Held(), list[Settlement](), ManualClock()
    executor = executing(runner, ended, clock)
    executor.start([run(1, timeout=60.0), run(2, timeout=0.001), run(3, timeout=0.001)])
    clock.advance(1.0)
    await eventually(lambda: len(ended) == 2)
    assert [one.run.job_id for one in ended] == [2048, 3072]
    assert {one.outcome.failure.kind for one in ended if one.outcome.failure} == {"timeout"}
    runner.ended([Ended(runner.sent[1], SUCCEEDED)])
    assert (len(ended), executor.running) == (2, 1), "the report is late"
    await executor.stop(0.0)


async def test_the_end_of_the_executor_interrupts_what_is_not_reported() -> None:
    runner, ended = Held(), list[Settlement]()
    executor = executing(runner, ended)
    executor.start([run(1)])
    await executor.stop(0.0)
    assert [one.outcome.failure.kind for one in ended if one.outcome.failure] == ["crash"]


async def test_the_end_of_the_executor_waits_for_reports() -> None:
    runner, ended = Held(), list[Settlement]()
    executor = executing(runner, ended)
    executor.start([run(1)])
    stopping = asyncio.create_task(executor.stop(60.0))
    await asyncio.sleep(0)
    runner.ended([Ended(runner.sent[0], SUCCEEDED)])
    await stopping
    assert [one.outcome.state for one in ended] == [JobState.SUCCEEDED]


async def test_a_cancel_does_not_undo_what_is_sent() -> None:
    runner, ended = Held(), list[Settlement]()
    executor = executing(runner, ended)
    executor.start([run(1), run(2)])
    assert executor.cancel(1024)
    assert executor.cancel(2048)
    first, second = runner.sent
    runner.ended([Ended(first, SUCCEEDED), Ended(second, failed("connection", "away"))])
    assert [(one.outcome.state, one.cancelled) for one in ended] == [
        (JobState.SUCCEEDED, True),
        (JobState.FAILED, True),
    ]
    assert not executor.cancel(1024)
    await executor.stop(0.0)
