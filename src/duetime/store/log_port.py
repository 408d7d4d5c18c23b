"""The contract of the store for lines that runs logged.

A chunk is what one call added: lines of one attempt, with the instant at which they arrived. Lines never stand in the
way of a run: they are written beside it, and what does not fit is left out.

Lines become searchable a little after they are stored: `index` does that, and any node may call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from duetime.model.ids import NodeId
from duetime.model.logs import LogFilter, LogPage


class LogStore(Protocol):
    """Logs of runs."""

    async def add(
        self, holder: NodeId, run: tuple[int, int], seq: int, lines: Sequence[str], now: datetime
    ) -> int | None:
        """Add lines to the log of a run (job, attempt). Returns how many were kept; None if it is not the holder's.

        Lines whose numbers are there already are left out.
        """
        ...

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of a run, without its first `skip` lines."""
        ...

    async def index(self, limit: int) -> int:
        """Make about `limit` further chunks searchable, oldest first. Returns how many there were.

        A chunk is indexed once, whatever nodes call at the same time.
        """
        ...

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Returns chunks with lines that match, newest first.

        It reads a bounded number of chunks. Where that ends the search early, the page names the instant down to which
        was searched, and the caller continues before it.
        """
        ...
