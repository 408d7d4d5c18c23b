"""The `workflow` target: the job's message is a workflow, which is created when the job runs. Pure."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from duetime.model.errors import Invalid
from duetime.model.message import MARK
from duetime.model.targets.port import AnswerKind, TargetKind


class _Step(Struct):
    ref: str
    message: Any
    depends_on: list[Any] = []


class _Message(Struct):
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    steps: Annotated[list[_Step], Meta(min_length=1)]


_decoder = msgspec.json.Decoder(_Message)


class WorkflowTarget(TargetKind, frozen=True, tag="workflow"):
    """Creates the workflow that the job's message is, as `POST /api/v1/me/workflows` takes it. A schedule with this
    target starts a workflow at each of its instants."""

    def check_message(self, message: str) -> None:
        """Raise `Invalid` if the message has not the form of a workflow. Its graph is checked when it is created."""
        try:
            _decoder.decode(message[1:] if message.startswith(MARK) else message)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Invalid(
                f"The target creates a workflow, so 'message' must be an object with 'name' and 'steps': {error}.",
                field="message",
            ) from None


CREATES_WORKFLOW: Final = WorkflowTarget()
"""The target of a job that is made of a workflow."""


class WorkflowAnswer(AnswerKind, frozen=True, tag="workflow"):
    """The workflow that was created."""

    workflow_id: int

    def value(self) -> dict[str, int]:
        """Returns the workflow."""
        return {"workflow_id": self.workflow_id}

    def summary(self) -> str:
        """Returns the workflow."""
        return f"workflow {self.workflow_id}"
