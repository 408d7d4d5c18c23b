"""The `queue` target: a worker of the job's user pulls the job and carries it out. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duetime.model.bounds import MAX_TIMEOUT
from duetime.model.errors import Invalid
from duetime.model.pull import BroadcastPart, Pulled, QueueName
from duetime.model.targets.port import AnswerKind, TargetKind

MAX_RESULT_BYTES: Final = 262_144
MAX_TRACE: Final = 16_384


class QueueTarget(TargetKind, frozen=True, tag="queue", omit_defaults=True):
    """Waits in a queue until a worker of the same user takes it."""

    takes_slot: ClassVar[bool] = False
    takes_inputs: ClassVar[Literal["message", "beside"] | None] = "beside"

    queue: QueueName
    task: Annotated[QueueName, Meta(description="What the worker does.")] = "default"
    stall_after: (
        Annotated[float, Meta(gt=0, le=MAX_TIMEOUT, description="Seconds: an attempt without progress has failed.")]
        | UnsetType
    ) = UNSET

    part: Annotated[BroadcastPart, Meta(description="Of a broadcast: set by Duetime.")] | UnsetType = UNSET

    def check(self) -> None:
        """Refuse a part of a broadcast that a client makes up."""
        if self.part is not UNSET:
            raise Invalid("'part' is set by Duetime, for the jobs of a broadcast.", field="target.part")

    def pulled(self) -> Pulled:
        """Returns the queue and the task, and the worker for a part of a broadcast."""
        return Pulled(self.queue, self.task, None if self.part is UNSET else self.part.worker)

    def part_of(self) -> BroadcastPart | None:
        """Returns the part of a broadcast that this is."""
        return None if self.part is UNSET else self.part

    def stalls_after(self) -> float | None:
        """Returns `stall_after`."""
        return None if self.stall_after is UNSET else self.stall_after


class QueueAnswer(AnswerKind, frozen=True, tag="queue", omit_defaults=True):
    """What a worker gave back: the result of a success, or the trace of a failure."""

    result: Annotated[Any, Meta(description="The result of the task.")] = None
    trace: Annotated[str, Meta(description="Where the task failed, as the worker tells it.")] | UnsetType = UNSET

    def masked(self, mask: Callable[..., str]) -> QueueAnswer:
        """Returns the same: a queue has no secrets."""
        return self

    def value(self) -> Any:
        """Returns the result."""
        return self.result

    def summary(self) -> str:
        """Returns the beginning of the result."""
        text = msgspec.json.encode(self.result).decode()
        return text if len(text) <= 40 else text[:39] + "…"


def worker_answer(*, result: Any = None, trace: str | None = None) -> QueueAnswer:
    """Returns what the record keeps of a worker's result or trace."""
    return QueueAnswer(result, UNSET if trace is None else trace[-MAX_TRACE:])
