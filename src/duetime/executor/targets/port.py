"""The contract of a runner: what carries out the runs of one kind of target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, NamedTuple, Protocol

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


class Ended(NamedTuple):
    """A run that a `ReportingRunner` began, and what it ended with."""

    run: LaunchedRun
    outcome: Outcome


class ReportingRunner(Protocol):
    """A runner that begins runs together and reports their ends later, in batches. A run takes a slot, but no task.

    Obligations:
    - `send` never raises and never blocks. Every run that it begins is reported once, with an `Outcome` for everything
      that can go wrong. Reports come on the event loop, and may come before `send` returns.
    - A run may be reported after the executor has given it up: the executor enforces the policy's time-out, and passes
      over late reports.
    """

    waits: ClassVar[Literal["report"]]

    def listen(self, ended: Callable[[Sequence[Ended]], None]) -> None:
        """Call `ended` with runs that ended. Called once, before the first run."""
        ...

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Begin runs."""
        ...

    async def close(self) -> None:
        """Wait a bounded time for outstanding reports, and release connections."""
        ...


Runner = WaitingRunner | InstantRunner | ReportingRunner
