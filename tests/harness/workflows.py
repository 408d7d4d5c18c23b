"""Workflows in tests: short ways to write them, and a brute-force evaluator of what each step should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from duetime.model.definition import Definition
from duetime.model.graph import Judgement, decided, judge
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.policy import Policy, Retry
from duetime.model.states import FINAL, JobState
from duetime.model.workflow import Dependency, Join, NewStep, NewWorkflow, On, Outline
from harness.engine import Engine

ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))
LOSABLE = Definition(policy=Policy(delivery="at_most_once", retry=Retry(max_attempts=1)))


def step(
    engine: Engine, user: int, ref: str, *parents: str | tuple[str, On], join: Join = "all", **more: Any
) -> NewStep:
    """A step. Parents are refs, or refs with the end that counts."""
    given = {name: more.pop(name) for name in ("delay", "pass_inputs", "wait_for") if name in more}
    job: NewJob = engine.job(user, ref, definition=more.pop("definition", ONCE), **more)
    edges = tuple(Dependency(one) if isinstance(one, str) else Dependency(*one) for one in parents)
    return NewStep(ref, job, edges, join, **given)


async def create(engine: Engine, user: int, *steps: NewStep, **more: Any) -> Outline:
    """Store a workflow."""
    assert engine.workflows is not None
    return (await engine.workflows.create(NewWorkflow(UserId(user), "w", steps, **more))).outline


async def show(engine: Engine, user: int, workflow_id: int) -> Outline:
    assert engine.workflows is not None
    return await engine.workflows.show(user, workflow_id)


def states(outline: Outline) -> dict[str, JobState]:
    return {one.ref: one.state for one in outline.steps}


def jobs(outline: Outline) -> dict[str, int]:
    return {one.ref: one.job_id for one in outline.steps}


class Model:
    """What the steps of a workflow should be: computed from all edges again after each change, without counting."""

    def __init__(self, steps: Sequence[NewStep]) -> None:
        self.steps: Mapping[str, NewStep] = {one.ref: one for one in steps}
        self.state = {one.ref: JobState.SUSPENDED for one in steps}
        self.upstream: set[str] = set()
        self._spread()

    @property
    def open(self) -> list[str]:
        """The steps that are released and have not ended."""
        return [ref for ref, state in self.state.items() if state is JobState.CREATED]

    def end(self, ref: str, state: JobState) -> None:
        """A step ends by itself."""
        self.state[ref] = state
        self._spread()

    def stop(self, running: set[str]) -> None:
        """The whole is cancelled: what runs may still end."""
        for ref, state in self.state.items():
            if state not in FINAL and ref not in running:
                self.state[ref] = JobState.CANCELLED

    def redrive(self, ref: str) -> None:
        """A dead step gets another life: steps that were skipped for it are open again, unless others rule them out."""
        self.state[ref] = JobState.CREATED
        again, grows = {ref}, True
        while grows:
            more = {
                one.ref
                for one in self.steps.values()
                if one.ref in self.upstream and any(parent.ref in again for parent in one.depends_on)
            }
            grows, again = not more <= again, again | more
        for one in again - {ref}:
            self.state[one] = JobState.SUSPENDED
            self.upstream.discard(one)
        self._spread()

    def _spread(self) -> None:
        changed = True
        while changed:
            changed = False
            for ref, one in self.steps.items():
                if self.state[ref] is not JobState.SUSPENDED:
                    continue
                edges = [
                    decided(edge, self.state[edge.ref], upstream=edge.ref in self.upstream) for edge in one.depends_on
                ]
                judgement = judge(one.join, edges)
                if judgement is Judgement.RELEASE:
                    self.state[ref], changed = JobState.CREATED, True
                elif judgement is Judgement.SKIP:
                    self.state[ref], changed = JobState.SKIPPED, True
                    self.upstream.add(ref)
