"""The contract of traces: what the stages of a job report about jobs that have a trace parent.

Common obligations:
- Only jobs whose request was sampled have a trace parent, and only they are reported on. No call blocks or raises.
- A run is a trace of its own, linked to the span that created its job: days may lie between the two.
- The ids of a run's trace follow from its job, its attempt and its parent (`duetime.tracing.run_trace`). So the node
  that launches a run, the one that carries it out and the one that settles it report spans of the same trace.
- Spans are lost rather than waited for: memory is bounded, and nothing depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Protocol

from duetime.model.run import LaunchedRun, Settlement


class Creation(Protocol):
    """The span of one request that creates jobs."""

    @property
    def parent(self) -> str:
        """The trace parent that the request's jobs are stored with."""
        ...

    def end(self, at: datetime, *, jobs: Sequence[int] = (), error: str | None = None) -> None:
        """Report the span: the jobs that the request created, or why it did not."""
        ...


class Request(Protocol):
    """The span of one request to a target."""

    @property
    def parent(self) -> str:
        """The trace parent that the target receives."""
        ...

    def end(self, at: datetime, *, status: int | None = None, error: str | None = None) -> None:
        """Report the span: the status of the answer, or what went wrong."""
        ...


class Traces(Protocol):
    """Reports spans, or only hands trace parents on."""

    reads_header: ClassVar[bool]
    """Whether the header `traceparent` of a request counts. A field of a job always does."""

    def create(self, parent: str, user_id: int, at: datetime) -> Creation:
        """Begin the span of a request that creates jobs, below its caller's span."""
        ...

    def launched(self, runs: Sequence[LaunchedRun], at: datetime, committed_at: datetime) -> None:
        """Report the launches of those of these runs that are traced."""
        ...

    def ended(self, settlements: Sequence[Settlement]) -> None:
        """Report those of these runs that are traced. They are on record."""
        ...

    def parent_of_run(self, run: LaunchedRun) -> str | None:
        """Returns the trace parent that a run hands on; None for a run that is not traced."""
        ...

    def request(self, run: LaunchedRun, method: str, url: str, at: datetime) -> Request | None:
        """Begin the span of a request to a target; None for a run that is not traced. `url` has no secrets in it."""
        ...

    async def close(self) -> None:
        """Send what has been reported, within a bounded time."""
        ...
