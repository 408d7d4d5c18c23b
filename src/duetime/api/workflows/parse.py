"""Turns what a client sent into a workflow for the engine. Pure: the present instant is an argument."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.server.fields import duration, job_instant, refuse_nul
from duetime.api.workflows.bodies import StepBody, WorkflowBody
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.workflow import Dependency, NewStep, NewWorkflow

_canonical = msgspec.json.Encoder(order="deterministic")


def parse_step(body: StepBody, parser: JobParser) -> NewStep:
    """Returns a step. The delay of a step that waits for others counts from its release."""
    waits = bool(body.depends_on)
    delay = duration("delay", body.delay).total_seconds() if waits and body.delay is not None else 0.0
    if waits and body.delay is not None and body.execute_at is not None:
        raise Invalid("Give either 'execute_at' or 'delay', not both.", field="delay")
    given = replace(body, delay=None) if waits else body
    job = parser.parse(JobBody(**{name: getattr(given, name) for name in JobBody.__struct_fields__}))
    parents = tuple(Dependency(one) if isinstance(one, str) else Dependency(one.ref, one.on) for one in body.depends_on)
    return NewStep(body.ref, job, parents, body.join, delay, body.pass_inputs)


def parse_workflow(
    body: WorkflowBody, steps: list[NewStep], user_id: UserId, now: datetime, idempotency_key: str | None
) -> NewWorkflow:
    """Returns a workflow of parsed steps."""
    refuse_nul("name", body.name)
    deadline = None
    if body.deadline is not None:
        length = duration("deadline", body.deadline)
        if not length:
            raise Invalid("'deadline' must be more than 0 seconds.", field="deadline")
        deadline = job_instant("deadline", now + length)
    return NewWorkflow(
        user_id,
        body.name,
        tuple(steps),
        deadline,
        body.on_deadline,
        idempotency_key,
        None if idempotency_key is None else blake2b(_canonical.encode(body), digest_size=16).digest(),
    )
