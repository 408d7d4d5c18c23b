"""What a waiting job waits for."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from duetime.model.states import JobState

WaitKind = Literal[
    "instant",
    "retry",
    "hours",
    "lane",
    "upstream",
    "signal",
    "breaker",
    "definition_limit",
    "user_limit",
    "labels",
    "executor",
    "slots",
    "worker",
    "owner",
    "not_known",
]


class Waiting(Struct, frozen=True):
    """One thing that holds a job back."""

    kind: Annotated[
        WaitKind,
        Meta(
            description="`instant`: it is not due yet; `retry`: the next attempt is not; `hours`: these are closed; "
            "`lane`: another job of its lane comes first; `upstream`: other steps of its workflow have not "
            "ended; `signal`: one has not been sent; "
            "`breaker`: its host is down; `definition_limit`, "
            "`user_limit`: a limit is reached; `labels`: no living executor has the labels; `executor`: none is "
            "alive; `slots`: all are busy; `worker`: no worker has pulled it; `owner`: no living scheduler owns its "
            "shard; `not_known`: it should run, and its scheduler has not reported why it does not."
        ),
    ]
    message: Annotated[str, Meta(description="The same as a sentence.")]
    since: Annotated[datetime, Meta(description="Since when, where that is known.")] | None = None
    until: Annotated[datetime, Meta(description="When it ends by itself; of a breaker, the next probe.")] | None = None
    host: Annotated[str, Meta(description="The host whose breaker is open.")] | None = None
    job_id: Annotated[int, Meta(description="The job of the same lane that comes first.")] | None = None
    job_status: Annotated[JobState, Meta(description="The state of that job.")] | None = None
    workflow_id: Annotated[int, Meta(description="The workflow whose steps it waits for.")] | None = None
    labels: Annotated[dict[str, str], Meta(description="The labels that no living executor has all of.")] | None = None
