"""`Traces` where none are exported: a job's trace parent is handed on to its target as it was given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from msgspec import Struct

from duetime.model.message import trace_of
from duetime.model.run import LaunchedRun, Settlement


class HandedOn(Struct, frozen=True):
    """A trace parent without a span of ours."""

    parent: str

    def end(
        self,
        at: datetime,
        *,
        jobs: Sequence[int] = (),
        status: int | None = None,
        error: str | None = None,
    ) -> None:
        """There is no span to report."""


class HandOn:
    """Hands trace parents on, and reports nothing."""

    reads_header: ClassVar[bool] = False

    def create(self, parent: str, user_id: int, at: datetime) -> HandedOn:
        """Returns the caller's own trace parent."""
        return HandedOn(parent)

    def launched(self, runs: Sequence[LaunchedRun], at: datetime, committed_at: datetime) -> None:
        """Nothing is reported."""

    def ended(self, settlements: Sequence[Settlement]) -> None:
        """Nothing is reported."""

    def parent_of_run(self, run: LaunchedRun) -> str | None:
        """Returns the trace parent that the job was created with."""
        return trace_of(run.message)

    def request(self, run: LaunchedRun, method: str, url: str, at: datetime) -> HandedOn | None:
        """Returns the trace parent that the job was created with."""
        parent = trace_of(run.message)
        return None if parent is None else HandedOn(parent)

    async def close(self) -> None:
        """There is nothing to send."""
