"""The run of a target that this executor has no runner for."""

from __future__ import annotations

from typing import ClassVar, Literal

from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun


class UnknownKindRunner:
    """Fails at once, with the kind in the message."""

    waits: ClassVar[Literal[False]] = False

    def run(self, run: LaunchedRun) -> Outcome:
        """Returns the failure."""
        return failed("no_target", f"This executor cannot carry out targets of kind '{run.definition.target.kind}'.")
