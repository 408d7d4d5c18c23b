"""The run of a `workflow` target: creates the workflow that the job's message is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal

from msgspec.structs import replace

from duetime.model.errors import DuetimeError, Invalid, OverLimit, Stopping, StoreAway
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.workflow import WorkflowAnswer

StartWorkflow = Callable[[LaunchedRun], Awaitable[int]]
"""Creates the workflow of a run, once for all attempts of its job. Returns its id."""
TRY_AGAIN = (OverLimit, Stopping, StoreAway)
"""Errors that end by themselves."""


async def _no_workflows(run: LaunchedRun) -> int:
    raise Invalid("This node creates no workflows.")


NO_WORKFLOWS: StartWorkflow = _no_workflows


class WorkflowRunner:
    """Succeeds when the workflow is stored. What becomes of it is on its own record."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self, start: StartWorkflow) -> None:
        self._start = start

    async def run(self, run: LaunchedRun) -> Outcome:
        """Create the workflow. A message that is none fails for good, with the reason."""
        try:
            return Outcome(JobState.SUCCEEDED, answer=WorkflowAnswer(await self._start(run)))
        except DuetimeError as error:
            return replace(failed(error.code, error.message), final=not isinstance(error, TRY_AGAIN))

    async def close(self) -> None:
        """There is nothing to release."""
