"""Steps of workflows, and short ways to write common graphs: `chain`, and `group` with `then`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from .spec import JobSpec, encode

On = Literal["success", "failure", "done"]
Job = JobSpec | Mapping[str, Any]
"""A job, such as `JobSpec(message="hello")` or `task.job(7)`, or its fields as the API takes them."""


class Step(Struct, frozen=True, kw_only=True):
    """A step: a job, its name within the workflow, and the steps that it waits for."""

    ref: str
    job: Job
    depends_on: Sequence[str | Mapping[str, str]] = ()
    """Refs, which mean their success, or mappings with `ref` and `on`."""
    join: Literal["all", "any"] = "all"
    pass_inputs: bool = True
    wait_for: Mapping[str, Any] | None = None
    """A signal: `signal`, `timeout` and `on_timeout`."""


class Group:
    """Steps that run side by side, and what comes after them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = tuple(steps)

    def then(self, job: Step | Job, *, on: On = "success", ref: str = "then") -> list[Step]:
        """Returns the steps of the group, and one that starts when all of them have ended as `on` says."""
        parents = [{"ref": step.ref, "on": on} for step in self._steps]
        last = _named(job, ref)
        return [*self._steps, msgspec.structs.replace(last, depends_on=[*last.depends_on, *parents])]


def chain(*jobs: Step | Job) -> list[Step]:
    """Returns steps of which each starts when the one before it has succeeded."""
    steps: list[Step] = []
    for number, job in enumerate(jobs, 1):
        step = _named(job, f"step{number}")
        if steps:
            step = msgspec.structs.replace(step, depends_on=[*step.depends_on, steps[-1].ref])
        steps.append(step)
    return steps


def group(*jobs: Step | Job) -> Group:
    """Returns jobs that run side by side; `then` names the job that follows them."""
    return Group([_named(job, f"step{number}") for number, job in enumerate(jobs, 1)])


def step_fields(step: Step | Mapping[str, Any]) -> Any:
    """Returns a step as the API takes it. A mapping is such already."""
    if not isinstance(step, Step):
        return step
    job = encode(step.job) if isinstance(step.job, JobSpec) else msgspec.json.encode(step.job)
    fields: dict[str, Any] = msgspec.json.decode(job, type=dict[str, Raw])
    fields |= {"ref": step.ref, "depends_on": list(step.depends_on), "join": step.join}
    fields |= {} if step.wait_for is None else {"wait_for": step.wait_for}
    return fields | ({} if step.pass_inputs else {"pass_inputs": False})


def _named(job: Step | Job, ref: str) -> Step:
    return job if isinstance(job, Step) else Step(ref=ref, job=job)
