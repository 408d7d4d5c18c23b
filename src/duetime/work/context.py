"""What a function sees of its run: which job and attempt it is, how much time is left, and where to report."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Self, TypeVar, overload

import msgspec
from msgspec import Raw, Struct

from ..client.local_clock import local_monotonic
from .outcomes import Cancelled, Ending
from .protocol.wire import Broadcast, TakenRun

T = TypeVar("T")
MOST_LINE = 8_000
"""Bytes of one log line that are kept."""


class Progress(Struct, frozen=True, omit_defaults=True):
    """How far a run is."""

    done: float
    of: float | None = None
    text: str | None = None


class Reports:
    """What a run has reported and no beat has sent yet. The function writes it, and other threads read it."""

    _lock = threading.Lock()
    """One for all runs: it is held for a moment, by a beat."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._checkpoint: bytes | None = None

    def put_progress(self, progress: Progress) -> None:
        """Remembers the last progress."""
        self._progress = progress

    def put_checkpoint(self, checkpoint: bytes) -> None:
        """Remembers the last checkpoint."""
        self._checkpoint = checkpoint

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is a checkpoint that no beat has taken."""
        return self._checkpoint is not None

    def put_back(self, progress: Progress | None, checkpoint: bytes | None) -> None:
        """Takes back what a beat could not send, unless there is newer."""
        with self._lock:
            self._progress = self._progress or progress
            self._checkpoint = self._checkpoint or checkpoint

    def collect(self) -> tuple[Progress | None, bytes | None]:
        """Returns what is new since the last call."""
        with self._lock:
            progress, self._progress = self._progress, None
            checkpoint, self._checkpoint = self._checkpoint, None
        return progress, checkpoint


class Context:
    """The run that a function carries out. A task whose first parameter is a `Context` receives it."""

    def __init__(self, run: TakenRun, *, write: Callable[[str], None] | None = None, reports: Reports | None = None):
        self._run = run
        self._reports = reports or Reports()
        self._write = write or _unwritten
        self._stop: Ending | None = None
        self._ends = None if run.deadline_ms is None else local_monotonic() + run.deadline_ms / 1000
        self._checkpoint: bytes | None = None if bytes(run.checkpoint) == b"null" else bytes(run.checkpoint)

    @classmethod
    def for_test(cls, **fields: Any) -> Self:
        """Returns a context for a direct call of a task's function in a test, with these fields of a run."""
        given: dict[str, Any] = {"run": "test", "job": 1, "queue": "default", "task": "test", "attempt": 1}
        if "checkpoint" in fields:
            fields["checkpoint"] = Raw(msgspec.json.encode(fields["checkpoint"]))
        if "inputs" in fields:
            fields["inputs"] = {ref: Raw(msgspec.json.encode(value)) for ref, value in fields["inputs"].items()}
        return cls(TakenRun(**given | fields))

    def __repr__(self) -> str:
        """Names the job and the attempt."""
        return f"Context(job={self.job}, task={self.task!r}, attempt={self.attempt})"

    @property
    def job(self) -> int:
        """The id of the job."""
        return self._run.job

    @property
    def token(self) -> str:
        """The fencing token of the run. A store that compares tokens can refuse what an older attempt writes."""
        return self._run.run

    @property
    def task(self) -> str:
        """The name of the task."""
        return self._run.task

    @property
    def queue(self) -> str:
        """The queue that the job came from."""
        return self._run.queue

    @property
    def attempt(self) -> int:
        """Which attempt of the job this is, from 1."""
        return self._run.attempt

    @property
    def attempts(self) -> int | None:
        """How many attempts the job has at most."""
        return self._run.attempts

    @property
    def due_at(self) -> datetime | None:
        """The instant from which this attempt was allowed to start."""
        return self._run.due_at

    @property
    def nominal_at(self) -> datetime | None:
        """The instant that the job is for. Retries do not change it."""
        return self._run.nominal_at or self._run.due_at

    @property
    def ordering_key(self) -> str | None:
        """The ordering key of the job."""
        return self._run.ordering_key

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the job."""
        return self._run.labels or {}

    @property
    def traceparent(self) -> str | None:
        """The span of this run, as in W3C Trace Context, to be the parent of your spans. None if it is not traced."""
        return self._run.traceparent

    @property
    def schedule(self) -> Any:
        """The schedule that created the job, if one did."""
        return self._run.schedule

    @property
    def broadcast(self) -> Broadcast | None:
        """Of a job for every worker: which of the workers this is, and how many there are."""
        return self._run.broadcast

    @property
    def time_left(self) -> float | None:
        """How many seconds are left until the time-out. None where there is none."""
        return None if self._ends is None else max(0.0, self._ends - local_monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether the function should end: the job was cancelled, its time is up, or the worker stops."""
        return self._stop is not None

    @property
    def stop_reason(self) -> Ending:
        """Why the function should end."""
        return self._stop or Cancelled("The function cancelled itself.")

    def progress(self, done: float, of: float | None = None, text: str | None = None) -> None:
        """Reports progress, and raises `Cancelled` or another reason to stop if there is one."""
        self._reports.put_progress(Progress(done, of, text))
        self.check()

    def check(self) -> None:
        """Raises the reason to stop if there is one."""
        if self._stop is not None:
            raise self._stop

    @property
    def inputs(self) -> dict[str, Any]:
        """The results of the steps before this one in its workflow, by their refs. None for one without a result."""
        return {ref: msgspec.json.decode(value) for ref, value in (self._run.inputs or {}).items()}

    def save(self, checkpoint: Any) -> None:
        """Saves a checkpoint: any value that JSON has. The next attempt of the job finds it in `checkpoint`."""
        self._checkpoint = msgspec.json.encode(checkpoint)
        self._reports.put_checkpoint(self._checkpoint)

    @overload
    def checkpoint(self) -> Any: ...
    @overload
    def checkpoint(self, kind: type[T]) -> T | None: ...
    def checkpoint(self, kind: Any = Any) -> Any:
        """Returns the last checkpoint of this job, of this attempt or an earlier one. None if there is none."""
        return None if self._checkpoint is None else msgspec.json.decode(self._checkpoint, type=kind)

    def log(self, text: str) -> None:
        """Writes lines to the log of the run, which is kept with it."""
        for line in str(text).splitlines() or [""]:
            self._write(line if len(line) <= MOST_LINE // 4 else line.encode()[:MOST_LINE].decode(errors="ignore"))

    def stop(self, reason: Ending | None = None) -> None:
        """Asks the function to end. The worker calls this; a test may, too."""
        self._stop = self._stop or reason or Cancelled()

    @property
    def reports(self) -> Reports:
        """What the run has reported, for the worker."""
        return self._reports


def _unwritten(line: str) -> None:
    """A context without a worker keeps no log."""


current_context: ContextVar[Context | None] = ContextVar("duetime_context", default=None)
"""The context of the run in whose function this code is, for loggers and for code far below the function."""
