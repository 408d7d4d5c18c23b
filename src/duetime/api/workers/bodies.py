"""What workers send."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.jobs.bodies import Labels
from duetime.api.server.fields import NO_NUL
from duetime.model.pull import MAX_QUEUES, MAX_SLOTS, MAX_TASKS, QueueName

MAX_WAIT_MS: Final = 20_000
MAX_RUNS: Final = 10_000
MAX_OUTCOMES: Final = 1000
MAX_AGAIN_MS: Final = 31_536_000_000
MAX_LINES: Final = 1000
MAX_LINE: Final = 8192

RunToken = Annotated[str, Meta(max_length=128, description="The token of a run, as `take` gave it.")]
WaitMs = Annotated[int, Meta(ge=0, le=MAX_WAIT_MS, description="How long to wait at most, in milliseconds; default 0.")]
AgainMs = Annotated[int, Meta(ge=0, le=MAX_AGAIN_MS, description="Milliseconds until the next attempt.")]
JsonText = Annotated[str, Meta(extra_json_schema=NO_NUL)]


class WorkerBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A worker that registers."""

    queues: Annotated[list[QueueName], Meta(min_length=1, max_length=MAX_QUEUES)]
    slots: Annotated[int, Meta(ge=1, le=MAX_SLOTS, description="How many runs the worker has at a time.")]
    name: Annotated[str, Meta(min_length=1, max_length=100, extra_json_schema=NO_NUL)] = "worker"
    tasks: Annotated[
        list[QueueName], Meta(max_length=MAX_TASKS, description="What it can do; empty means every task.")
    ] = []
    labels: Labels = {}
    sdk: Annotated[str, Meta(max_length=100, extra_json_schema=NO_NUL)] = ""


class TakeBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A worker that asks for runs."""

    take_id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="New for each take. The same one again gives the same runs.",
            extra_json_schema=NO_NUL,
        ),
    ]
    max: Annotated[int, Meta(ge=1, le=MAX_SLOTS, description="The free slots of the worker.")]
    wait_ms: WaitMs = 0


class BeatRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run that a worker has."""

    run: RunToken
    progress: Annotated[Any, Meta(description="Any JSON of up to 4 KiB.")] | UnsetType = UNSET
    checkpoint: Annotated[Any, Meta(description="Any JSON of up to 64 KiB, for the next attempt.")] | UnsetType = UNSET


class BeatBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A worker that is alive, with every run that it has."""

    runs: Annotated[list[BeatRun], Meta(max_length=MAX_RUNS)] = []
    free: Annotated[int, Meta(ge=0, le=MAX_SLOTS, description="The free slots.")] | None = None


class ErrorBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Why a run failed."""

    message: Annotated[str, Meta(max_length=8192, extra_json_schema=NO_NUL)]
    kind: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_.:-]{1,100}$",
            description="The class of failure that retry rules name; default `error`.",
        ),
    ] = "error"
    trace: Annotated[str, Meta(max_length=65_536, extra_json_schema=NO_NUL)] | UnsetType = UNSET


class OutcomeBody(Struct, frozen=True, forbid_unknown_fields=True):
    """How a run ended."""

    run: RunToken
    status: Literal["succeeded", "failed", "released", "snoozed"]
    result: Annotated[Any, Meta(description="With `succeeded`: any JSON of up to 256 KiB.")] = None
    error: Annotated[ErrorBody, Meta(description="With `failed`.")] | None = None
    retryable: Annotated[bool, Meta(description="With `failed`: false ends the job now.")] = True
    retry_in_ms: AgainMs | None = None


class SettleBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Runs that ended."""

    outcomes: Annotated[list[OutcomeBody], Meta(min_length=1, max_length=MAX_OUTCOMES)]


class LogBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that a run logged."""

    run: RunToken
    seq: Annotated[int, Meta(ge=0, le=2**31 - 1 - MAX_LINES, description="The number of the first line, from 0.")]
    lines: Annotated[
        list[Annotated[str, Meta(max_length=MAX_LINE, extra_json_schema=NO_NUL)]],
        Meta(min_length=1, max_length=MAX_LINES),
    ]


class DrainBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether a worker takes nothing more."""

    drain: bool = True


class ResultQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How long to wait for a result."""

    wait_ms: WaitMs = 0
