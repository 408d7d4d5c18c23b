"""Workflows with several databases: each is in one of them as a whole, and moves with its shard."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.model.errors import Conflict
from duetime.model.ids import shard_of, shard_of_key
from duetime.model.outcome import SUCCEEDED
from duetime.model.states import JobState
from duetime.model.workflow import Dependency, NewStep, NewWorkflow, Outline, WaitFor, WorkflowState
from harness.cells import CellEngines
from integration.cells.test_move import FAILED, LEFT, ONCE, mover, while_nodes_turn

S = JobState


def workflow(cells: CellEngines, user: int, *, key: str | None = None) -> NewWorkflow:
    """A first step, one that needs its success, one after a signal, and one for its failure."""

    def step(ref: str, *parents: Any, **more: Any) -> NewStep:
        return NewStep(ref, cells.job(user, ref, definition=ONCE), parents, **more)

    steps = (
        step("first"),
        step("then", Dependency("first")),
        step("gate", Dependency("then"), wait_for=WaitFor("go")),
        step("alarm", Dependency("first", "failure")),
    )
    print_of_it = None if key is None else b"f"
    return NewWorkflow(cells.job(user).user_id, "w", steps, idempotency_key=key, fingerprint=print_of_it)


def states(outline: Outline) -> dict[str, JobState]:
    return {one.ref: one.state for one in outline.steps}


async def test_workflows_live_in_both_databases_and_are_found_there(cells: CellEngines) -> None:
    user = await cells.user()
    workflows = cells.routed.jobs.workflows
    made = [(await workflows.create(workflow(cells, user))).outline.workflow.id for _ in range(6)]
    homes = [{row["id"] for row in await pool.rows("SELECT id FROM workflows")} for pool in cells.straight]
    assert all(homes)
    assert homes[0] | homes[1] == set(made)
    await cells.settle_down()
    listed = await workflows.list(user, None, 4, None, None)
    assert [one.id for one in listed] == sorted(made, reverse=True)[:4]
    for one in made:
        assert await workflows.signal(user, one, "go", "k", "1", user)
    await cells.settle_down()
    for one in made:
        found = await workflows.show(user, one)
        assert states(found) == {"first": S.SUCCEEDED, "then": S.SUCCEEDED, "gate": S.SUCCEEDED, "alarm": S.SKIPPED}
        assert found.workflow.state is WorkflowState.SUCCEEDED
        with pytest.raises(Conflict):
            await workflows.cancel(user, one, user)


async def test_a_workflow_moves_with_its_shard_and_is_repaired_there(cells: CellEngines, dsns: list[str]) -> None:
    user = await cells.user()
    workflows = cells.routed.jobs.workflows
    key = next(key for key in (f"key {n}" for n in range(2000)) if shard_of_key(user, key) in LEFT)
    cells.bus.answer = lambda run: FAILED if run.message == "first" else SUCCEEDED
    made = (await workflows.create(workflow(cells, user, key=key))).outline
    number = made.workflow.id
    assert shard_of(number) in LEFT
    await cells.settle_down()
    before = await workflows.show(user, number)
    assert states(before) == {"first": S.DEAD, "then": S.SKIPPED, "gate": S.SKIPPED, "alarm": S.SUCCEEDED}
    counts = await cells.insight.stats(user)
    async with mover(dsns) as moving:
        await while_nodes_turn(cells, moving.move(LEFT, 1))
    assert await cells.straight[0].rows("SELECT id FROM workflows") == []
    assert states(await workflows.show(user, number)) == states(before)
    assert await cells.insight.stats(user) == counts
    cells.bus.answer = lambda run: SUCCEEDED
    assert await cells.dead_letters.redrive(user, [made.steps[0].job_id], None, user)
    await cells.settle_down()
    assert await workflows.signal(user, number, "go", "k", "1", user)
    await cells.settle_down()
    after = await workflows.show(user, number)
    assert states(after) == dict.fromkeys(("first", "then", "gate", "alarm"), S.SUCCEEDED)
    repeated = await workflows.create(workflow(cells, user, key=key))
    assert (repeated.repeated, repeated.outline.workflow.id) == (True, number)
