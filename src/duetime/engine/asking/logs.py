"""What runs logged: adding, reading and searching it, and the duty that makes it searchable."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.clock.port import Clock
from duetime.model.credentials import without_credentials
from duetime.model.errors import NotFound
from duetime.model.ids import NodeId
from duetime.model.logs import LogFilter, LogPage
from duetime.store.log_port import LogStore

AT_ONCE = 500
BEFORE_A_SEARCH = 4
"""How many times a search indexes first, so that it finds what was stored a moment ago."""


class Logs:
    """The logs of one database. Any scheduler makes them searchable; several at once do no harm."""

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def add(self, holder: int, run: tuple[int, int], seq: int, lines: Sequence[str]) -> int:
        """Add lines to the log of a run (job, attempt) that a worker holds. Returns how many were kept."""
        shown = [without_credentials(line) for line in lines]
        kept = await self._store.add(NodeId(holder), run, seq, shown, self._clock.now())
        if kept is None:
            raise NotFound("The run is not this worker's any more.")
        return kept

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of an attempt without its first `skip` lines; empty if it has none."""
        return await self._store.lines(user_id, job_id, attempt, skip)

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Returns lines that match, newest first, and the instant down to which was searched."""
        for _ in range(BEFORE_A_SEARCH):
            if await self._store.index(AT_ONCE) < AT_ONCE:
                break
        return await self._store.search(user_id, wanted)

    async def run_once(self) -> None:
        """Make everything searchable that is stored."""
        while await self._store.index(AT_ONCE) >= AT_ONCE:
            pass
