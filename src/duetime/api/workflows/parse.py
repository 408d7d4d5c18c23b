"""Turns what a client sent into a workflow for the engine. Pure: the present instant is an argument."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.server.fields import duration, job_instant, refuse_nul
from duetime.api.workflows.bodies import SignalBody, StepBody, WaitForBody, WorkflowBody
from duetime.model.errors import Invalid, TooLarge
from duetime.model.ids import UserId
from duetime.model.workflow import Dependency, NewStep, NewWorkflow, WaitFor

MAX_PAYLOAD = 65_536
_canonical = msgspec.json.Encoder(order="deterministic")


def parse_step(body: StepBody, parser: JobParser) -> NewStep:
    """Returns a step. The delay of a step that waits for others counts from its release."""
    waits = bool(body.depends_on) or body.wait_for is not None
    delay = duration("delay", body.delay).total_seconds() if waits and body.delay is not None else 0.0
    if waits and body.delay is not None and body.execute_at is not None:
        raise Invalid("Give either 'execute_at' or 'delay', not both.", field="delay")
    given = replace(body, delay=None) if waits else body
    job = parser.parse(JobBody(**{name: getattr(given, name) for name in JobBody.__struct_fields__}))
    parents = tuple(Dependency(one) if isinstance(one, str) else Dependency(one.ref, one.on) for one in body.depends_on)
    return NewStep(body.ref, job, parents, body.join, delay, body.pass_inputs, _wait_for(body.wait_for))


def _wait_for(body: WaitForBody | None) -> WaitFor | None:
    if body is None:
        return None
    timeout = None if body.timeout is None else duration("wait_for.timeout", body.timeout).total_seconds()
    if timeout == 0:
        raise Invalid("'wait_for.timeout' must be more than 0 seconds.", field="wait_for.timeout")
    return WaitFor(body.signal, timeout, body.on_timeout)


def signal_payload(body: SignalBody) -> str:
    """Returns the payload of a signal as JSON text, if it is not too large and has no NUL."""
    refuse_nul("key", body.key)
    try:
        payload = msgspec.json.encode(body.payload).decode()
    except RecursionError:
        raise Invalid("'payload' is nested too deeply.", field="payload") from None
    if len(payload.encode()) > MAX_PAYLOAD:
        raise TooLarge(f"'payload' may have at most {MAX_PAYLOAD} bytes as JSON.", field="payload", limit=MAX_PAYLOAD)
    if "\\u0000" in payload:
        raise Invalid("'payload' must not contain NUL.", field="payload")
    return payload


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
