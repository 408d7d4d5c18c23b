"""The contract of a runner: what carries out the runs of one kind of target."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol

from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun


class WaitingRunner(Protocol):
    """A runner whose runs wait for something. The executor gives each run a task and a slot.

    Obligations:
    - Returns an `Outcome` for everything that can go wrong with the attempt; raises only on defects.
    - Keeps no state between runs other than pooled connections; may be called for many runs at once.
    - On cancellation (`asyncio.CancelledError`) stops the work (closes the request, kills the process)
      and re-raises. The caller enforces the policy's time-out by cancelling.
    """

    waits: ClassVar[Literal[True]]

    async def run(self, run: LaunchedRun) -> Outcome:
        """Carry out one attempt. Returns what it ended with."""
        ...

    async def close(self) -> None:
        """Release pooled connections."""
        ...


class InstantRunner(Protocol):
    """A runner whose runs wait for nothing. The executor calls it directly: no task, no slot, no time-out.

    Obligations: returns an `Outcome` at once, never raises, never blocks.
    """

    waits: ClassVar[Literal[False]]

    def run(self, run: LaunchedRun) -> Outcome:
        """Carry out one attempt. Returns what it ended with."""
        ...


Runner = WaitingRunner | InstantRunner
