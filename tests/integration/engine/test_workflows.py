"""Workflows through the whole engine: inputs, deadlines, expiry, lost answers, and what people see of waiting steps."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from duetime.model.definition import Definition
from duetime.model.errors import Conflict, Invalid, StoreAway
from duetime.model.job import JobEdit
from duetime.model.message import message_value
from duetime.model.outcome import SUCCEEDED, Outcome, failed
from duetime.model.policy import Limit, Policy
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.http import HttpAnswer, HttpTarget
from duetime.model.targets.queue import worker_answer
from duetime.model.workflow import WaitFor, WorkflowState
from duetime.store.workflow_port import SettledSteps
from harness.engine import Engine
from harness.workflows import ONCE, create, jobs, show, states, step

S = JobState
WEB = Definition(HttpTarget("https://example.org"))


async def test_a_workflow_runs_by_itself(engine: Engine) -> None:
    user = await engine.user()
    made = await create(
        engine, user, step(engine, user, "a"), step(engine, user, "b", "a"), step(engine, user, "c", "a", "b")
    )
    assert made == await show(engine, user, made.workflow.id)
    await engine.settle_down()
    assert [run.message for run in engine.bus.sent] == ["a", "b", "c"]
    assert (await show(engine, user, made.workflow.id)).workflow.state is WorkflowState.SUCCEEDED
    plain = await engine.add(user)
    await engine.settle_down()
    assert (await engine.insight.job(user, plain)).state is S.SUCCEEDED


async def test_retries_come_before_a_failure(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: failed("error", "x") if run.message == "a" else SUCCEEDED
    made = await create(
        engine,
        user,
        step(engine, user, "a", definition=Definition()),
        step(engine, user, "alarm", ("a", "failure")),
    )
    await engine.settle_down()
    assert states(await show(engine, user, made.workflow.id))["alarm"] is S.SUSPENDED
    await engine.pass_time(60)
    assert [run.message for run in engine.bus.sent] == ["a"] * 5 + ["alarm"]


def answered(run: LaunchedRun) -> Outcome:
    """The step `http` answers with JSON, the step `work` with a result."""
    if run.message == "http":
        return Outcome(S.SUCCEEDED, answer=HttpAnswer(200, {}, '{"n": 1}', False))
    return Outcome(S.SUCCEEDED, answer=worker_answer(result=[2])) if run.message == "work" else SUCCEEDED


async def test_results_reach_later_steps(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = answered
    await create(
        engine,
        user,
        *(step(engine, user, ref) for ref in ("http", "work", "none")),
        step(engine, user, "into", "http", "work", "none", definition=WEB),
        step(engine, user, "plain", "http", definition=WEB, pass_inputs=False),
        step(engine, user, "log", "http"),
    )
    await engine.settle_down()
    runs = {run.definition.target.kind + str(message_value(run.message))[:5]: run for run in engine.bus.sent}
    into = next(run for run in runs.values() if "into" in run.message)
    wanted = {"http": {"n": 1}, "work": [2], "none": None}
    assert message_value(into.message) == {"message": "into", "inputs": wanted}
    assert msgspec.json.decode(into.inputs or "") == wanted
    assert runs["httpplain"].message == "plain"
    assert (runs["loglog"].message, runs["loglog"].inputs) == ("log", None), "nothing is read for it"


async def test_inputs_that_do_not_fit_are_a_failure_and_not_left_out(engine: Engine) -> None:
    user = await engine.user()
    big = Outcome(S.SUCCEEDED, answer=worker_answer(result="x" * 100_000))
    engine.bus.answer = lambda run: big
    into = step(engine, user, "into", *"abc", definition=WEB)
    made = await create(engine, user, *(step(engine, user, ref) for ref in "abc"), into)
    await engine.settle_down()
    last = (await show(engine, user, made.workflow.id)).steps[-1]
    assert last.state is S.DEAD
    assert "more than 262144 bytes together" in (last.reason or "")
    assert len(engine.bus.sent) == 3


async def test_a_deadline_ends_the_whole(engine: Engine) -> None:
    user, end = await engine.user(), engine.clock.now()
    engine.bus.answer = lambda run: None
    made = await create(
        engine,
        user,
        step(engine, user, "a"),
        step(engine, user, "b", ("a", "done")),
        deadline_at=end,
        on_deadline="fail",
    )
    await engine.settle_down()
    assert engine.workflows is not None
    assert await engine.workflows.run_once() == 1
    assert await engine.workflows.run_once() == 0
    (running,) = engine.stopped
    engine.bus.end(running, asked=True)
    await engine.settle_down()
    outline = await show(engine, user, made.workflow.id)
    assert outline.workflow.state is WorkflowState.FAILED
    assert [one.state for one in outline.steps] == [S.SUCCEEDED, S.CANCELLED]
    assert outline.steps[1].reason == "the deadline of the workflow has passed"


async def test_a_step_that_expires_counts_as_failed(engine: Engine) -> None:
    user = await engine.user()
    soon = engine.clock.now()
    made = await create(
        engine, user, step(engine, user, "a", after=10, expires_at=soon), step(engine, user, "b", ("a", "failure"))
    )
    await engine.pass_time(12)
    assert states(await show(engine, user, made.workflow.id)) == {"a": S.SKIPPED, "b": S.SUCCEEDED}


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
async def test_an_answer_that_is_lost_loses_no_step(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    user, calls, store = await engine.user(), 0, engine.stores.workflows
    assert store is not None
    finish = store.finish

    async def away(endings: Any) -> SettledSteps:
        nonlocal calls
        calls += 1
        if calls > 1:
            return await finish(endings)
        if not before:
            await finish(endings)
        engine.clock.advance(1)
        raise StoreAway

    monkeypatch.setattr(store, "finish", away)
    monkeypatch.setattr(engine.settle, "_clock", Instantly(engine.clock))
    made = await create(engine, user, step(engine, user, "a"), step(engine, user, "b", "a"))
    await engine.settle_down()
    await engine.settle_down()
    assert states(await show(engine, user, made.workflow.id)) == {"a": S.SUCCEEDED, "b": S.SUCCEEDED}
    assert [run.message for run in engine.bus.sent] == ["a", "b"]


class Instantly:
    """A clock that does not sleep."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)

    async def sleep(self, seconds: float) -> None:
        """Does not wait."""


async def test_a_waiting_step_says_what_it_waits_for_and_can_be_changed(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    steps = (step(engine, user, "a"), step(engine, user, "b"), step(engine, user, "c", "a", "b"))
    made = await create(engine, user, *steps)
    ids = jobs(made)
    job = await engine.insight.job(user, ids["c"])
    (why,) = job.waiting_for
    assert (why.kind, why.workflow_id) == ("upstream", made.workflow.id)
    assert why.message == f"It waits for the steps a, b of workflow {made.workflow.id}."
    with pytest.raises(Conflict, match="suspended"):
        await engine.control.run_now(user, ids["c"], user)
    await engine.control.edit(user, ids["c"], JobEdit(message="changed"), user)
    await engine.settle_down()
    for ref in "ab":
        engine.bus.end(ids[ref])
    await engine.settle_down()
    assert engine.bus.sent[-1].message == "changed"


async def test_what_cannot_live_in_one_shard_is_refused(engine: Engine) -> None:
    user = await engine.user()
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    for one in (step(engine, user, "a", lane="k"), step(engine, user, "a", definition=limited)):
        with pytest.raises(Invalid, match="A step cannot have"):
            await create(engine, user, one)
    assert await engine.count("jobs") == await engine.count("workflows") == 0


async def test_a_wide_graph_is_released_and_joined(engine: Engine) -> None:
    user, width = await engine.user(), 2000
    middle = [step(engine, user, f"m{number}", "first", definition=ONCE) for number in range(width)]
    last = step(engine, user, "last", *(one.ref for one in middle))
    made = await create(engine, user, step(engine, user, "first"), *middle, last)
    await engine.settle_down(2000)
    assert len(engine.bus.sent) == width + 2
    assert engine.bus.sent[-1].message == "last"
    outline = await show(engine, user, made.workflow.id)
    assert outline.workflow.state is WorkflowState.SUCCEEDED


async def test_a_signal_resumes_with_its_payload_and_a_late_one_does_not(engine: Engine) -> None:
    user = await engine.user()
    assert engine.workflows is not None
    steps = (
        step(engine, user, "ask"),
        step(engine, user, "go", "ask", wait_for=WaitFor("approved", 60.0), definition=WEB),
        step(engine, user, "late", "ask", wait_for=WaitFor("never", 30.0, "run")),
        step(engine, user, "alarm", ("dead", "failure")),
        step(engine, user, "dead", "ask", wait_for=WaitFor("never", 30.0)),
    )
    made = await create(engine, user, *steps)
    await engine.settle_down()
    (why,) = (await engine.insight.job(user, jobs(made)["go"])).waiting_for
    assert (why.kind, why.message) == ("signal", f"It waits for the signal 'approved' of workflow {made.workflow.id}.")
    sent = await engine.workflows.signal(user, made.workflow.id, "approved", "k", '{"by":"ada"}', user)
    assert sent == ([jobs(made)["go"]], False)
    await engine.settle_down()
    assert engine.bus.sent[-1].inputs == '{"ask":null,"@approved":{"by":"ada"}}'
    assert await engine.workflows.run_once() == 0
    engine.clock.advance(30)
    assert await engine.workflows.run_once() == 2
    await engine.settle_down()
    found = await show(engine, user, made.workflow.id)
    assert states(found) == {
        "ask": S.SUCCEEDED,
        "go": S.SUCCEEDED,
        "late": S.SUCCEEDED,
        "alarm": S.SUCCEEDED,
        "dead": S.DEAD,
    }
    assert found.steps[-1].reason == "the signal 'never' did not come in time"
    with pytest.raises(Conflict, match="has ended as failed"):
        await engine.workflows.signal(user, made.workflow.id, "approved", "x", "1", user)
