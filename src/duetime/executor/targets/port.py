"""The contract of a target."""

from __future__ import annotations

from typing import Protocol

from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun


class Target(Protocol):
    """Carries out one attempt of a run of its kind.

    Obligations:
    - Returns an `Outcome` for everything that can go wrong with the attempt; raises only on defects.
    - Keeps no state between runs other than pooled connections; may be called for many runs at once.
    - On cancellation (`asyncio.CancelledError`) stops the work (closes the request, kills the process)
      and lets the cancellation through. The caller enforces the policy's time-out by cancelling.
    """

    async def run(self, run: LaunchedRun) -> Outcome:
        """Do it, and say what came of it."""
        ...

    async def close(self) -> None:
        """Let go of pooled connections."""
        ...


class InstantTarget(Protocol):
    """A target that needs no waiting: the executor calls it in line, without a task for each run."""

    def run_now(self, run: LaunchedRun) -> Outcome:
        """Do it at once."""
        ...
