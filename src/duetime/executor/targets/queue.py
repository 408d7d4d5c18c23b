"""The run of a `queue` target at an executor, which only happens when a job was changed while it was being launched."""

from __future__ import annotations

from typing import ClassVar, Literal

from duetime.model.outcome import Failure, Outcome
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState


class QueueRunner:
    """Gives the run back: a worker pulls it next, and no attempt is used up."""

    waits: ClassVar[Literal[False]] = False

    def run(self, run: LaunchedRun) -> Outcome:
        """Returns that the run is given back."""
        return Outcome(JobState.SUSPENDED, Failure("released", "The job was changed into one for workers."))
