"""The `broadcast` target: every living worker of a queue carries the job out once. Pure."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from duetime.model.pull import BroadcastPart, Pulled, QueueName
from duetime.model.targets.port import AnswerKind, TargetKind
from duetime.model.targets.queue import QueueTarget


class BroadcastTarget(TargetKind, frozen=True, tag="broadcast", omit_defaults=True):
    """Becomes one job for each living worker of a queue, each told its number among them."""

    queue: QueueName
    task: Annotated[QueueName, Meta(description="What the workers do.")] = "default"

    def spreads(self) -> Pulled:
        """Returns the queue and the task."""
        return Pulled(self.queue, self.task)

    def part_for(self, part: BroadcastPart) -> QueueTarget:
        """Returns the target of one worker's job."""
        return QueueTarget(self.queue, self.task, part=part)


class BroadcastAnswer(AnswerKind, frozen=True, tag="broadcast"):
    """The jobs of a broadcast, one for each worker."""

    jobs: Annotated[list[int], Meta(description="The jobs, in the order of their index.")]

    def value(self) -> dict[str, list[int]]:
        """Returns the jobs."""
        return {"jobs": self.jobs}

    def summary(self) -> str:
        """Returns how many workers there were."""
        return f"{len(self.jobs)} worker{'s' if len(self.jobs) != 1 else ''}"
