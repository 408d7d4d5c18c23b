"""Random graphs with random outcomes, cancels and redrives on the real store, against a brute-force evaluator.

After each change every step is what the evaluator says: none starts before its rules hold, and none waits when they do.
"""

from __future__ import annotations

from random import Random

import pytest

from duetime.model.ids import UserId
from duetime.model.outcome import SUCCEEDED, Failure, Outcome, failed
from duetime.model.states import FINAL, JobState
from duetime.model.workflow import NewStep, WorkflowState
from harness.engine import Engine
from harness.workflows import LOSABLE, ONCE, Model, create, jobs, show, states, step

GRAPHS = 30
LOST = Outcome(JobState.FAILED, Failure("crash", "gone"))


def random_steps(engine: Engine, user: int, random: Random) -> list[NewStep]:
    """A graph whose steps depend on earlier ones, in a random order."""
    refs = [f"s{number}" for number in range(random.randint(1, 9))]
    steps: list[NewStep] = []
    for number, ref in enumerate(refs):
        parents = random.sample(refs[:number], min(number, random.choice((0, 1, 1, 2, 3))))
        edges = [(one, random.choice(("success", "success", "success", "failure", "done"))) for one in parents]
        definition = LOSABLE if random.random() < 0.3 else ONCE
        join = random.choice(("all", "all", "any"))
        steps.append(step(engine, user, ref, *edges, join=join, definition=definition))  # type: ignore[arg-type]
    random.shuffle(steps)
    return steps


async def agree(engine: Engine, user: int, workflow_id: int, model: Model) -> None:
    """Everything that is shown, stored and launched is as the evaluator says."""
    await engine.settle_down()
    outline = await show(engine, user, workflow_id)
    running = {ref: JobState.RUNNING if state is JobState.CREATED else state for ref, state in model.state.items()}
    assert states(outline) == running
    ended = [state for state in model.state.values() if state in FINAL]
    workflow = outline.workflow
    assert workflow.open == len(model.state) - len(ended)
    assert (workflow.state is WorkflowState.RUNNING) == (workflow.open > 0)
    assert (workflow.finished_at is None) == (workflow.open > 0)
    upstream = {one.ref for one in outline.steps if (one.reason or "").startswith("upstream: ")}
    assert upstream == model.upstream
    for one in outline.steps:
        assert (await engine.insight.job(user, one.job_id)).state is one.state


@pytest.mark.parametrize("seed", range(2))
async def test_every_step_is_what_its_parents_say(engine: Engine, seed: int) -> None:
    random, user = Random(seed), await engine.user()
    engine.bus.answer = lambda run: None
    assert engine.workflows is not None
    for _ in range(GRAPHS):
        steps = random_steps(engine, user, random)
        model = Model(steps)
        outline = await create(engine, user, *steps)
        workflow_id, ids = outline.workflow.id, jobs(outline)
        await agree(engine, user, workflow_id, model)
        for _ in range(60):
            dead = [ref for ref, state in model.state.items() if state is JobState.DEAD]
            waiting = [ref for ref, state in model.state.items() if state is JobState.SUSPENDED]
            if dead and random.random() < 0.15:
                ref = random.choice(dead)
                assert await engine.dead_letters.redrive(UserId(user), [ids[ref]], None, user) == [ids[ref]]
                model.redrive(ref)
            elif waiting and random.random() < 0.1:
                ref = random.choice(waiting)
                await engine.control.cancel(user, ids[ref], user)
                model.end(ref, JobState.CANCELLED)
            elif model.open and random.random() < 0.03:
                running = set(model.open)
                await engine.workflows.cancel(user, workflow_id, user)
                model.stop(running)
            elif model.open:
                ref = random.choice(model.open)
                model.end(ref, _end(engine, ids[ref], random, steps, ref))
            else:
                break
            await agree(engine, user, workflow_id, model)
    assert await engine.count("in_flight") == len(engine.bus.open)
    await counts_agree(engine, user)


def _end(engine: Engine, job_id: int, random: Random, steps: list[NewStep], ref: str) -> JobState:
    """End a run in some way; the state that its job ends in."""
    losable = next(one for one in steps if one.ref == ref).job.definition is LOSABLE
    if random.random() < 0.6:
        engine.bus.end(job_id, SUCCEEDED)
        return JobState.SUCCEEDED
    engine.bus.end(job_id, LOST if losable else failed("error", "broken"))
    return JobState.LOST if losable else JobState.DEAD


async def counts_agree(engine: Engine, user: int) -> None:
    """The counts by state are those of the rows."""
    counted = {state: n for state, n in (await engine.insight.stats(user)).items() if n}
    rows = await engine.pool.rows(
        "SELECT state, count(*) AS n FROM (SELECT state FROM open_jobs UNION ALL SELECT state::text FROM history) jobs"
        " GROUP BY state"
    )
    assert counted == {JobState(row["state"]): row["n"] for row in rows}
