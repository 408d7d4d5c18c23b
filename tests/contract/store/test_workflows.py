"""Workflows: stored as a whole, ended step by step with what follows, stopped, opened again, and dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from contract.store.place import EVERYTHING, NOW, Audited, Place, at
from duetime.model.definition import Definition
from duetime.model.ids import shard_of
from duetime.model.job import NewJob
from duetime.model.outcome import Result
from duetime.model.states import JobState
from duetime.model.targets.queue import worker_answer
from duetime.model.workflow import Dependency, NewStep, NewWorkflow, On, WaitFor, WorkflowState
from duetime.store.port import Ending, JobRef, JobRow
from duetime.store.workflow_port import StoredWorkflow, WorkflowStore

S = JobState


def port(place: Place) -> WorkflowStore:
    """The port of workflows. The simulation has none."""
    if place.stores.workflows is None:
        pytest.skip("the simulation has no workflows")
    return place.stores.workflows


class Case:
    """A stored workflow: refs stand for jobs."""

    def __init__(self, place: Place, stored: StoredWorkflow, rows: list[JobRow], refs: list[str]) -> None:
        self.place, self.workflows, self.id = place, port(place), stored.id
        self.jobs = {ref: one.job_id for ref, one in zip(refs, stored.jobs, strict=True)}
        self._refs = {
            one.job_id: JobRef(one.job_id, row.user_id, row.flow, 5, row.due_at, 0, None, row.execute_at)
            for row, one in zip(rows, stored.jobs, strict=True)
        }

    async def end(self, ref: str, state: JobState = S.SUCCEEDED, **more: Any) -> tuple[set[str], set[str]]:
        """Launch a step and end it; the refs released and skipped."""
        job_id = self.jobs[ref]
        assert await self.place.launch(self._refs[job_id]) == {job_id}, "it can be launched"
        attempt = self._refs[job_id].attempt + 1
        ending = Ending(job_id, self.place.node, attempt, state, at(1), at(2), None, more.get("result"))
        done = await self.workflows.finish([ending])
        assert done.settled == {job_id}
        self.learn(done.released)
        names = {job: name for name, job in self.jobs.items()}
        return {names[one.id] for one in done.released}, {names[one.job_id] for one in done.skipped}

    def learn(self, released: Sequence[JobRef]) -> None:
        """Know from now on when these are due."""
        self._refs |= {one.id: one for one in released}

    async def redrive(self, ref: str) -> None:
        redriven = await self.place.stores.dead.redrive(
            self.place.user, [self.jobs[ref]], at(3), 0.0, at(3), self.place.user
        )
        self.learn(redriven)

    async def states(self) -> dict[str, JobState]:
        found = await self.workflows.show(self.place.user, self.id)
        assert found is not None
        return {one.ref: one.state for one in found.steps}

    async def state(self) -> WorkflowState:
        found = await self.workflows.show(self.place.user, self.id)
        assert found is not None
        return found.workflow.state


async def make(place: Place, steps: dict[str, list[str | tuple[str, On]]], **more: Any) -> Case:
    """Store a workflow. Steps wait for all of those that they name; `any` in a name joins by any."""
    workflows = port(place)
    job = NewJob(place.user, Definition(), "m", NOW)
    given = [
        NewStep(
            ref,
            job,
            tuple(Dependency(one) if isinstance(one, str) else Dependency(*one) for one in parents),
            "any" if "any" in ref else "all",
            more.get("delay", 0.0) if parents else 0.0,
            wait_for=more["wait_for"] if ref in ("gate", "free") else None,
        )
        for ref, parents in steps.items()
    ]
    rows = [place.row(ready=not one.waits) for one in given]
    names = ("deadline_at", "on_deadline", "idempotency_key", "fingerprint")
    fields = {name: more[name] for name in names if name in more}
    stored = await workflows.create(NewWorkflow(place.user, "w", tuple(given), **fields), rows, NOW)
    return Case(place, stored, rows, list(steps))


async def test_a_chain_runs_step_by_step(place: Place) -> None:
    case = await make(place, {"a": [], "b": ["a"], "c": ["b"]}, delay=5.0)
    assert {shard_of(one) for one in case.jobs.values()} == {shard_of(case.id)}
    assert await case.states() == {"a": S.CREATED, "b": S.SUSPENDED, "c": S.SUSPENDED}
    due = await place.stores.due.due((at(-100), 0), at(100), EVERYTHING, 10)
    backlog = await place.stores.due.due_flows(at(100))
    assert (due, len(backlog)) == ([], 1), "it was due when it was stored, and steps that wait are in no index"
    assert await case.end("a") == ({"b"}, set())
    assert await place.state(case.jobs["b"]) == "created"
    job = await place.stores.insight.job(place.user, case.jobs["b"])
    assert job is not None
    assert job.due_at == job.execute_at == at(7), "two seconds for the step before it, and its own delay"
    assert await case.end("b") == ({"c"}, set())
    assert await case.state() is WorkflowState.RUNNING
    await case.end("c")
    assert await case.state() is WorkflowState.SUCCEEDED


async def test_ends_meet_the_edges_that_ask_for_them(place: Place) -> None:
    edges: dict[str, list[str | tuple[str, On]]] = {
        "a": [],
        "good": ["a"],
        "bad": [("a", "failure")],
        "done": [("a", "done")],
    }
    case = await make(place, edges)
    assert await case.end("a") == ({"good", "done"}, {"bad"})
    case = await make(place, edges)
    assert await case.end("a", S.DEAD) == ({"bad", "done"}, {"good"})
    case = await make(place, edges)
    assert await case.end("a", S.CANCELLED) == ({"done"}, {"good", "bad"})


async def test_what_cannot_start_any_more_is_skipped_with_all_below(place: Place) -> None:
    case = await make(place, {"a": [], "b": ["a"], "c": ["b"], "after": [("c", "done")], "any": ["b", "a"]})
    assert await case.end("a", S.DEAD) == ({"after"}, {"b", "c", "any"})
    job = await place.stores.insight.job(place.user, case.jobs["c"])
    assert job is not None
    assert (job.state, job.reason) == (S.SKIPPED, "upstream: step 'b' is skipped")
    await case.end("after")
    assert await case.state() is WorkflowState.FAILED


async def test_a_join_by_any_starts_once(place: Place) -> None:
    case = await make(place, {"a": [], "b": [], "any": ["a", "b"]})
    assert await case.end("a", S.LOST) == (set(), set())
    assert await case.end("b") == ({"any"}, set())
    case = await make(place, {"a": [], "b": [], "any": ["a", "b"]})
    assert await case.end("a") == ({"any"}, set())
    assert await case.end("b") == (set(), set()), "it is released already"


async def test_only_the_holder_settles_a_step(place: Place) -> None:
    case = await make(place, {"a": [], "b": ["a"]})
    other, _ = await place.new_node()
    await place.launch(JobRef(case.jobs["a"], place.user, place.row().flow, 5, NOW, 0, None, NOW))
    stranger = Ending(case.jobs["a"], other, 1, S.SUCCEEDED, NOW, NOW, None, None)
    assert await case.workflows.finish([stranger]) == (set(), [], [])
    assert (await case.states())["b"] is S.SUSPENDED
    own = stranger._replace(executor=place.node)
    done = await case.workflows.finish([own, own])
    assert (done.settled, [one.id for one in done.released]) == ({case.jobs["a"]}, [case.jobs["b"]])
    assert await case.workflows.finish([own]) == (set(), [], []), "a repeat does nothing"


async def test_a_person_ends_a_waiting_step(place: Place) -> None:
    case = await make(place, {"a": [], "b": ["a"], "c": ["b"], "d": [("b", "done")]})
    withdrawn = await place.stores.control.withdraw(place.user, case.jobs["b"], S.CANCELLED, "x", at(1), place.user)
    assert withdrawn is not None
    assert [one.job_id for one in withdrawn.ended] == [case.jobs["b"], case.jobs["c"]]
    assert [one.id for one in withdrawn.released] == [case.jobs["d"]]
    many = await place.stores.control.cancel_many(place.user, [case.jobs["a"]], at(1), place.user)
    assert [one.job_id for one in many.ended] == [case.jobs["a"]]
    case.learn(withdrawn.released)
    await case.end("d")
    assert await case.state() is WorkflowState.CANCELLED


async def test_redriving_a_dead_step_opens_what_was_skipped_for_it(place: Place) -> None:
    case = await make(place, {"a": [], "x": [], "b": ["a"], "c": ["b"], "both": ["c", "x"]})
    assert await case.end("a", S.DEAD) == (set(), {"b", "c", "both"})
    await case.end("x", S.DEAD)
    assert await case.state() is WorkflowState.FAILED
    await case.redrive("a")
    assert await case.states() == {"a": S.CREATED, "x": S.DEAD, "b": S.SUSPENDED, "c": S.SUSPENDED, "both": S.SKIPPED}
    assert await case.state() is WorkflowState.RUNNING
    await case.redrive("x")
    assert (await case.states())["both"] is S.SUSPENDED
    await case.end("x")
    assert await case.end("a") == ({"b"}, set())
    assert await case.end("b") == ({"c"}, set())
    assert await case.end("c") == ({"both"}, set())
    await case.end("both")
    assert await case.state() is WorkflowState.SUCCEEDED


async def test_stopping_a_workflow_ends_what_waits_and_asks_what_runs(place: Place) -> None:
    case = await make(place, {"a": [], "b": [], "c": ["a"], "d": [("a", "done")]})
    run = JobRef(case.jobs["a"], place.user, place.row().flow, 5, NOW, 0, None, NOW)
    await place.launch(run)
    stopped = await case.workflows.stop(place.user, case.id, WorkflowState.FAILED, "late", at(1), place.user)
    assert stopped is not None
    assert {one.job_id for one in stopped.ended} == {case.jobs[ref] for ref in "bcd"}
    assert stopped.asked == {case.jobs["a"]: place.node}
    assert Audited(place.user, "workflow.stopped", f"workflow:{case.id}") in await place.audit()
    done = await case.workflows.finish([Ending(run.id, place.node, 1, S.SUCCEEDED, NOW, NOW, None, None)])
    assert (done.released, done.skipped) == ([], [])
    assert await case.state() is WorkflowState.FAILED
    assert await case.workflows.stop(place.user, case.id, WorkflowState.CANCELLED, "x", at(2), place.user) is None
    stranger = await place.new_user()
    assert await case.workflows.stop(stranger, case.id, WorkflowState.CANCELLED, "x", at(2), stranger) is None


async def test_results_reach_the_steps_that_wait_for_them(place: Place) -> None:
    case = await make(place, {"a": [], "b": [], "c": ["b", ("a", "done")]})
    result = msgspec.json.encode(Result(answer=worker_answer(result={"rows": 7}))).decode()
    await case.end("a", result=result)
    await case.end("b")
    found = await case.workflows.inputs([case.jobs["c"], case.jobs["a"]], 1000)
    assert [(one.job_id, one.ref, one.succeeded, one.result) for one in found] == [
        (case.jobs["c"], "b", True, None),
        (case.jobs["c"], "a", True, result),
    ]
    small = await case.workflows.inputs([case.jobs["c"]], 10)
    assert [(one.ref, one.result, one.bytes) for one in small] == [("b", None, len(result)), ("a", None, len(result))]


async def test_a_key_belongs_to_one_workflow(place: Place) -> None:
    first = await make(place, {"a": []}, idempotency_key="k", fingerprint=b"1")
    job = NewJob(place.user, Definition(), "m", NOW)
    again = NewWorkflow(place.user, "w", (NewStep("a", job),), idempotency_key="k", fingerprint=b"2")
    stored = await first.workflows.create(again, [place.row()], NOW)
    assert stored.holder is not None
    assert (stored.id, stored.jobs, stored.holder.fingerprint) == (first.id, [], b"1")


async def test_workflows_are_listed_shown_and_dropped(place: Place) -> None:
    first, last = await make(place, {"a": []}), await make(place, {"a": [], "b": [("a", "failure")]})
    await last.end("a", S.DEAD)
    workflows, user = first.workflows, place.user
    assert [one.id for one in await workflows.list(user, None, 10, None, None)] == [last.id, first.id]
    assert [one.id for one in await workflows.list(user, last.id, 10, None, "w")] == [first.id]
    assert await workflows.list(user, None, 10, WorkflowState.FAILED, None) == []
    waits = await workflows.waits(user, [*last.jobs.values()])
    assert waits == {}
    waiting = await make(place, {"a": [], "b": ["a"]})
    assert (await workflows.waits(user, [waiting.jobs["b"]]))[waiting.jobs["b"]].refs == ("a",)
    stranger = await place.new_user()
    assert await workflows.show(stranger, first.id) is None
    assert await workflows.waits(stranger, [waiting.jobs["b"]]) == {}
    outline = await workflows.show(user, last.id)
    assert outline is not None
    assert outline.steps[1].depends_on == (Dependency("a", "failure"),)
    await last.end("b")
    assert await workflows.drop(at(2), 10) == 0, "not before it ended"
    assert await workflows.drop(at(3), 10) == 1
    assert await workflows.show(user, last.id) is None
    assert await workflows.show(user, first.id) is not None


async def test_workflows_past_their_deadline_are_found(place: Place) -> None:
    case = await make(place, {"a": []}, deadline_at=at(5), on_deadline="fail")
    await make(place, {"a": []}, deadline_at=at(50))
    assert await case.workflows.overdue(EVERYTHING, at(4), 10) == []
    (one,) = await case.workflows.overdue(EVERYTHING, at(5), 10)
    assert one == (case.id, place.user, WorkflowState.FAILED)
    assert await case.workflows.overdue([False] * len(EVERYTHING), at(5), 10) == []
    await case.workflows.stop(place.user, case.id, one.state, "late", at(5), None)
    assert await case.workflows.overdue(EVERYTHING, at(5), 10) == []


async def test_a_signal_starts_a_step_whose_edges_are_met(place: Place) -> None:
    case = await make(place, {"a": [], "gate": ["a"], "free": [], "c": ["gate"]}, wait_for=WaitFor("go"))
    assert await case.states() == {"a": S.CREATED, "gate": S.SUSPENDED, "free": S.SUSPENDED, "c": S.SUSPENDED}
    waits = await case.workflows.waits(place.user, [case.jobs["gate"], case.jobs["free"]])
    assert [waits[case.jobs[ref]].signal for ref in ("gate", "free")] == [None, "go"]
    sent = await case.workflows.signal(place.user, case.id, "go", "k", '{"by":1}', at(1), place.user)
    assert sent is not None
    assert [one.id for one in sent.released] == [case.jobs["free"]]
    again = await case.workflows.signal(place.user, case.id, "go", "k", "2", at(1), place.user)
    assert again == ([], True)
    other = await case.workflows.signal(place.user, case.id, "go", "other", "2", at(2), place.user)
    assert other == ([], False), "the first one counts"
    assert await case.end("a") == ({"gate"}, set()), "it came early, and was kept"
    found = await case.workflows.inputs([case.jobs["gate"]], 1000)
    assert [(one.ref, one.succeeded, one.result) for one in found] == [("a", True, None), ("@go", True, '{"by":1}')]
    assert await case.end("gate") == ({"c"}, set())
    stranger = await place.new_user()
    assert await case.workflows.signal(stranger, case.id, "go", "x", "1", at(3), stranger) is None


@pytest.mark.parametrize("runs", [True, False], ids=["run", "fail"])
async def test_a_signal_that_does_not_come_in_time(place: Place, runs: bool) -> None:
    wait = WaitFor("go", 10.0, "run" if runs else "fail")
    case = await make(place, {"a": [], "gate": ["a"], "c": [("gate", "failure")]}, wait_for=wait)
    assert await case.workflows.timed_out(EVERYTHING, at(100), 10) == []
    assert await case.end("a") == (set(), set())
    assert await case.workflows.timed_out(EVERYTHING, at(11), 10) == []
    (late,) = await case.workflows.timed_out(EVERYTHING, at(12), 10)
    assert late == (case.jobs["gate"], place.user, case.id, "go", runs)
    assert await case.workflows.timed_out([False] * len(EVERYTHING), at(12), 10) == []
    done = await case.workflows.time_out(late, "too late", at(12))
    if runs:
        assert (done.ended, [one.id for one in done.released]) == ([], [case.jobs["gate"]])
        assert (await case.states())["gate"] is S.CREATED
    else:
        assert [(one.job_id, one.state, one.reason) for one in done.ended] == [(late.job_id, S.DEAD, "too late")]
        assert [one.id for one in done.released] == [case.jobs["c"]]
    assert await case.workflows.timed_out(EVERYTHING, at(100), 10) == []
    assert await case.workflows.time_out(late, "too late", at(12)) == ([], ()), "a repeat does nothing"


async def test_days_of_history_that_do_not_exist_are_made(place: Place) -> None:
    case = await make(place, {"a": []})
    job_id = case.jobs["a"]
    await place.launch(JobRef(job_id, place.user, place.row().flow, 5, NOW, 0, None, NOW))
    late = at(10 * 86_400)
    done = await case.workflows.finish([Ending(job_id, place.node, 1, S.SUCCEEDED, NOW, late, None, None)])
    assert done.settled == {job_id}


async def test_parents_that_end_at_once_release_their_child_once(place: Place) -> None:
    for _ in range(5):
        parents = [f"p{number}" for number in range(8)]
        case = await make(place, {**{ref: [] for ref in parents}, "last": list(parents)})
        flow = place.row().flow
        await place.launch(*(JobRef(case.jobs[ref], place.user, flow, 5, NOW, 0, None, NOW) for ref in parents))
        ends = [Ending(case.jobs[ref], place.node, 1, S.SUCCEEDED, NOW, at(1), None, None) for ref in parents]
        done = await asyncio.gather(*(case.workflows.finish([one]) for one in ends))
        assert [ref.id for one in done for ref in one.released] == [case.jobs["last"]]


async def test_a_person_who_ends_a_waiting_step_while_its_parent_ends(place: Place) -> None:
    """Either comes first, and nothing is half done; neither waits for the other in a circle."""
    for _ in range(5):
        case = await make(place, {"a": [], "b": ["a"], "c": [("b", "done")]})
        ref = JobRef(case.jobs["a"], place.user, place.row().flow, 5, NOW, 0, None, NOW)
        await place.launch(ref)
        done, withdrawn = await asyncio.gather(
            case.workflows.finish([Ending(ref.id, place.node, 1, S.SUCCEEDED, NOW, at(1), None, None)]),
            place.stores.control.withdraw(place.user, case.jobs["b"], S.CANCELLED, "x", at(1), place.user),
        )
        assert done.settled == {ref.id}
        assert withdrawn is not None
        assert [one.id for one in withdrawn.released] == [case.jobs["c"]]
        assert await case.states() == {"a": S.SUCCEEDED, "b": S.CANCELLED, "c": S.CREATED}
