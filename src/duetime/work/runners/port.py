"""The contract of a runner."""

from __future__ import annotations

from typing import Protocol

from ..outcomes import Ending
from ..worker.attempt import Attempt


class Runner(Protocol):
    """Carries out runs. Every method is called in the event loop of the worker.

    Obligations:
    - `start` returns at once. For each run the runner calls, in the event loop, `succeed`, `fail` or `end` once, and
      `free` once when the function has really returned.
    - An error of a function is given to `fail`, whatever it is, and never stops the runner.
    - `interrupt` makes the run end soon where that is possible: at the next `await` in the event loop, at once in a
      process. In a thread the run ends for the worker, and the function goes on until it asks its context.
    - A runner uses threads and processes of its own, never the loop's default executor.
    """

    def start(self, attempt: Attempt) -> None:
        """Starts a run."""
        ...

    def interrupt(self, attempt: Attempt, reason: Ending) -> None:
        """Asks a run to end, for this reason."""
        ...

    async def close(self) -> None:
        """Ends threads and processes. Runs that have not ended are given up."""
        ...
