"""Every runner: a run ends once, its slot is free when the function has ended, and a stop ends it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from msgspec import Raw

from duetime.work import Cancelled, Task, TimedOut
from duetime.work.protocol.wire import Outcome, TakenRun
from duetime.work.runners.loop import LoopRunner
from duetime.work.runners.port import Runner
from duetime.work.runners.process import ProcessRunner
from duetime.work.runners.thread import ThreadRunner
from duetime.work.worker.attempt import Attempt
from unit.work import sample

Runners = dict[str, Runner]


class Watched(Attempt):
    """An attempt that a test can wait for."""

    def __init__(self, task: Task[Any, Any], message: object, **fields: Any) -> None:
        self.ended, self.freed = asyncio.Event(), asyncio.Event()
        run = TakenRun(
            run="r", job=1, queue="q", task=task.name, attempt=1, message=Raw(msgspec.json.encode(message)), **fields
        )
        super().__init__(run, task, lambda _: self.ended.set(), lambda _: self.freed.set())

    async def over(self) -> Outcome:
        await asyncio.wait_for(self.ended.wait(), 20)
        assert self.outcome is not None
        return self.outcome

    async def free_again(self) -> None:
        await asyncio.wait_for(self.freed.wait(), 20)


@pytest.fixture
async def runners() -> AsyncIterator[Runners]:
    sample.released.clear()
    made: Runners = {"loop": LoopRunner(), "thread": ThreadRunner(), "process": ProcessRunner()}
    yield made
    sample.released.set()
    for runner in made.values():
        await runner.close()


def start(runners: Runners, task: Task[Any, Any], message: object = None, **fields: Any) -> Watched:
    attempt = Watched(task, message, **fields)
    runners[task.run_in].start(attempt)
    return attempt


@pytest.mark.parametrize("task", [sample.add, sample.add_now, sample.add_in_thread, sample.add_in_process_loop])
async def test_a_function_is_called_and_its_result_is_kept(runners: Runners, task: Task[Any, Any]) -> None:
    attempt = start(runners, task, {"a": 1, "b": 2})
    outcome = await attempt.over()
    assert (outcome.status, bytes(outcome.result)) == ("succeeded", b"3")
    await attempt.free_again()


async def test_a_process_reports_and_serves_again(runners: Runners) -> None:
    first = start(runners, sample.add_in_process, {"a": 1, "b": 2})
    total, pid = msgspec.json.decode((await first.over()).result)
    assert (total, first.lines, first.context.reports.collect()[1]) == (3, ["adding"], b'{"a":1}')
    assert pid != os.getpid()
    await first.free_again()
    second = start(runners, sample.add_in_process, {"a": 3, "b": 4})
    assert msgspec.json.decode((await second.over()).result) == [7, pid]


@pytest.mark.parametrize("task", [sample.add, sample.add_in_thread, sample.add_in_process])
async def test_a_message_that_does_not_fit_fails_for_good(runners: Runners, task: Task[Any, Any]) -> None:
    outcome = await start(runners, task, {"a": "x"}).over()
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.retryable) == ("unusable_message", False)


@pytest.mark.parametrize(("task", "kind"), [(sample.fail, "Fail"), (sample.unusable, "unusable_result")])
async def test_what_fails_for_good_says_so(runners: Runners, task: Task[Any, Any], kind: str) -> None:
    outcome = await start(runners, task).over()
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.retryable) == (kind, False)


@pytest.mark.parametrize("task", [sample.wait_for_ever, sample.wait_in_thread, sample.hang_in_process])
async def test_an_interrupted_function_ends_and_says_why(runners: Runners, task: Task[Any, Any]) -> None:
    attempt = start(runners, task)
    await asyncio.sleep(0)
    runners[task.run_in].interrupt(attempt, TimedOut())
    outcome = await attempt.over()
    assert outcome.error is not None
    assert outcome.error.kind == "timeout"
    await attempt.free_again()


async def test_a_thread_that_does_not_listen_keeps_its_slot(runners: Runners) -> None:
    attempt = start(runners, sample.deaf_in_thread)
    runners["thread"].interrupt(attempt, Cancelled())
    assert (await attempt.over()).status == "failed"
    assert not attempt.freed.is_set()
    sample.released.set()
    await attempt.free_again()


async def test_a_process_that_dies_fails_its_run_only(runners: Runners) -> None:
    attempt = start(runners, sample.die)
    outcome = await attempt.over()
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.retryable) == ("process_ended", None)
    assert "exit code 7" in outcome.error.message
    after = start(runners, sample.add_in_process, {"a": 1, "b": 2})
    assert (await after.over()).status == "succeeded"
