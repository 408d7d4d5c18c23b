"""What clients send about workflows."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from duetime.api.jobs.bodies import Duration, JobBody
from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.model.workflow import Join, On, OnDeadline, OnTimeout, WorkflowState

Name = Annotated[
    str, Meta(min_length=1, max_length=255, description="A name of your choice.", extra_json_schema=NO_NUL)
]
Ref = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The step's name within its workflow: letters, digits, `_`, `-` and `.`.",
        examples=["extract"],
    ),
]


class DependencyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A step that this one waits for."""

    ref: Ref
    on: Annotated[
        On,
        Meta(
            description="Which end counts. `success`: it succeeded; `failure`: it is dead after its retries, lost, or "
            "expired; `done`: it ended in any way."
        ),
    ] = "success"


class WaitForBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A signal that the step waits for, once the steps before it have ended as asked."""

    signal: Annotated[str, Meta(min_length=1, max_length=64, description="The name of the signal, spelled like a ref.")]
    timeout: Annotated[Duration, Meta(description="How long it waits at most; without it, for ever.")] | None = None
    on_timeout: Annotated[
        OnTimeout, Meta(description="Then the step is dead (`fail`), or runs without the signal (`run`).")
    ] = "fail"


class StepBody(JobBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A step: a job with a name, and with the steps that it waits for.

    Its `delay` counts from when it is released, and `execute_at` is the earliest instant. It has no `ordering_key`,
    `limit` and `hours`.
    """

    ref: Ref
    depends_on: Annotated[
        tuple[Ref | DependencyBody, ...],
        Meta(description="The steps that it waits for; a plain name means their success.", examples=[["extract"]]),
    ] = ()
    join: Annotated[
        Join, Meta(description="Whether it waits for all of them, or for the first that ends as asked.")
    ] = "all"
    pass_inputs: Annotated[
        bool,
        Meta(
            description="Whether an HTTP target and a program get the results of those steps with the message, as "
            '`{"message": …, "inputs": {REF: RESULT}}`. Workers get them in any case.'
        ),
    ] = True
    wait_for: WaitForBody | None = None


class WorkflowBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Jobs that wait for each other. All are stored, or none."""

    name: Name
    steps: Annotated[list[StepBody], Meta(description="1 to 10,000 steps.")]
    deadline: (
        Annotated[
            Duration,
            Meta(description="How long after its creation the workflow may run: seconds or a duration."),
        ]
        | None
    ) = None
    on_deadline: Annotated[
        OnDeadline,
        Meta(
            description="What becomes of the workflow then. Its open steps are cancelled in either case; it ends as "
            "`cancelled` (`cancel`) or `failed` (`fail`)."
        ),
    ] = "cancel"


class SignalBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A signal for a workflow."""

    name: Annotated[str, Meta(min_length=1, max_length=64, pattern="^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
    payload: Annotated[
        Any,
        Meta(
            description="Any JSON value of up to 64 KiB, without NUL. Steps that wait for the signal get it as "
            '`inputs["@NAME"]`.',
            extra_json_schema=NO_NUL,
        ),
    ] = None
    key: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            description="A repeat with the same name and key does nothing. Without a key, the signal is sent once.",
            extra_json_schema=NO_NUL,
        ),
    ] = "signal"


class WorkflowsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which workflows to list."""

    status: Annotated[WorkflowState, Meta(description="Only workflows in this state.")] | None = None
    name: Annotated[str, Meta(max_length=255, description="Only workflows with this name.")] | None = None
    limit: PageSize = 100
    cursor: Cursor | None = None
