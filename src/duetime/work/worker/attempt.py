"""One run in a worker: the function to call, its context, and how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgspec import Raw

from ..context import Context
from ..outcomes import Ending, outcome_of
from ..protocol.wire import Outcome, TakenRun
from ..task import Task

MOST_LINES = 1_000
"""Log lines of a run that are kept until they are sent."""


class Attempt:
    """A run. It ends once, whoever says so first: the function, its time-out, a cancel, or the stop of the worker.

    Its slot is free when the function has really returned: a thread cannot be stopped.
    """

    __slots__ = (
        "_ended",
        "_freed",
        "context",
        "dropped",
        "lines",
        "outcome",
        "run",
        "runner_state",
        "sending",
        "seq",
        "task",
        "timer",
    )

    def __init__(
        self, run: TakenRun, task: Task[Any, Any], ended: Callable[[Attempt], None], freed: Callable[[Attempt], None]
    ) -> None:
        self.run, self.task = run, task
        self.context = Context(run, write=self.write)
        self.outcome: Outcome | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.runner_state: Any = None
        """What the runner needs to interrupt it."""
        self.lines: list[str] = []
        self.seq = 0
        """The number of the next line that is sent."""
        self.sending: asyncio.Lock | None = None
        """Held while lines are sent, so that they are sent in order."""
        self.dropped = 0
        self._ended: Callable[[Attempt], None] | None = ended
        self._freed: Callable[[Attempt], None] | None = freed

    def write(self, line: str) -> None:
        """Keeps a log line until it is sent. Of a run that writes too fast, lines are dropped and counted."""
        if len(self.lines) < MOST_LINES:
            self.lines.append(line)
        else:
            self.dropped += 1

    def collect_lines(self) -> list[str]:
        """Returns the lines that are not sent yet."""
        lines, self.lines = self.lines, []
        if self.dropped:
            lines.append(f"({self.dropped} lines came too fast and were dropped)")
            self.dropped = 0
        return lines

    @property
    def succeeded(self) -> bool:
        """Whether the run has ended well."""
        return self.outcome is not None and self.outcome.status == "succeeded"

    def succeed(self, result: Raw) -> None:
        """The function has returned. Called in the event loop."""
        self._end(Outcome(run=self.run.run, status="succeeded", result=result))

    def fail(self, error: BaseException) -> None:
        """The function has raised. Called in the event loop."""
        self._end(outcome_of(self.run.run, error))

    def end(self, outcome: Outcome) -> None:
        """The function has ended as another process says. Called in the event loop."""
        self._end(outcome)

    def free(self) -> None:
        """The function runs no more. Called in the event loop."""
        freed, self._freed = self._freed, None
        if freed is not None:
            freed(self)

    def stop(self, reason: Ending) -> None:
        """Asks the function to end. Any thread may call this."""
        self.context.stop(reason)

    def _end(self, outcome: Outcome) -> None:
        ended, self._ended = self._ended, None
        if ended is None:
            return
        self.outcome = outcome
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        ended(self)
