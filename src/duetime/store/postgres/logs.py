"""`LogStore` on PostgreSQL: chunks of lines, and finding them by their words.

A search reads the user's newest chunks first, one after the other: that finds what is common. What is rare is found by
the index of words, in stretches of time that double. Both return chunks that may match, and a last statement looks at
their lines. Every statement returns a bounded number of chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from duetime.model.ids import NodeId
from duetime.model.logs import LEVELS, SHOWN_CHARACTERS, SHOWN_LINES, LogFilter, LogHit, LogLine, LogPage, first_of
from duetime.model.run import MAX_LOG_BYTES
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql

NEWEST: Final = 2000
"""How many chunks are read one after the other."""
CANDIDATES: Final = 1000
"""How many chunks that may match one statement returns."""
LOOKED_AT: Final = 5000
"""How many chunks that may match a search looks at."""
AT_ONCE: Final = 50
"""How many of them one statement looks at."""
FIRST_STRETCH: Final = timedelta(hours=6)
MOST_STRETCHES: Final = 20
_LAST = timedelta(microseconds=1)
_END: Final = datetime(9999, 1, 1, tzinfo=UTC)


class PostgresLogs:
    """`LogStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def add(
        self, holder: NodeId, run: tuple[int, int], seq: int, lines: Sequence[str], now: datetime
    ) -> int | None:
        """Add lines to the log of a run."""
        row = await self._pool.row(sql("logs.add"), holder, *run, seq, list(lines), now, MAX_LOG_BYTES)
        return None if row is None else row[0]

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of a run."""
        rows = await self._pool.rows(sql("logs.lines"), user_id, job_id, attempt, skip)
        return [line for row in rows for line in row["lines"]]

    async def index(self, limit: int) -> int:
        """Make further chunks searchable."""
        row = await self._pool.row(sql("logs.index"), limit)
        return 0 if row is None else row["n"]

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Returns chunks with lines that match, newest first."""
        return await _Search(self._pool, user_id, wanted).page()


class _Search:
    """One search: what is wanted, and how much it has looked at."""

    def __init__(self, pool: Pool, user_id: int, wanted: LogFilter) -> None:
        self._pool, self._user, self._wanted = pool, user_id, wanted
        self._chunks: str = ""
        self._lines: str | None = None
        self._looked_at = 0

    async def page(self) -> LogPage:
        wanted, hits = self._wanted, list[LogHit]()
        oldest = await self._pool.row(sql("logs.oldest"), self._user)
        if oldest is None:
            return LogPage([], None)
        since = oldest[0] if wanted.from_ is None else max(wanted.from_, oldest[0])
        until = wanted.before
        if until is None:
            newest = await self._pool.row(sql("logs.floor"), self._user, since, _END, 0)
            until = since if newest is None else newest[0] + _LAST
        await self._read_query()
        row = await self._pool.row(sql("logs.floor"), self._user, since, until, NEWEST - 1)
        floor = since if row is None else row[0]
        for statement, first, last in [("logs.newest", floor, until), *_stretches(since, floor)]:
            searched = await self._look(statement, first, last, hits)
            full = first_of(hits, wanted.limit)
            if full is not None:
                return full
            if searched > first or self._looked_at >= LOOKED_AT:
                return LogPage(hits, searched if searched > since else None)
        return LogPage(hits, None)

    async def _read_query(self) -> None:
        wanted = self._wanted
        marks = [f"@{self._user}"]
        if wanted.job_id is not None:
            marks.append(f"@j{wanted.job_id}")
        if wanted.schedule_id is not None:
            marks.append(f"@s{wanted.schedule_id}")
        marks += [f"@l{name}={value}" for name, value in (wanted.labels or {}).items()]
        levels = [] if wanted.level is None else list(LEVELS[wanted.level])
        row = await self._pool.row(sql("logs.query"), list(wanted.terms), levels, marks)
        if row is not None:
            self._chunks, self._lines = row["chunks"], row["lines"]

    async def _look(self, statement: str, first: datetime, last: datetime, hits: list[LogHit]) -> datetime:
        """Add the hits of a stretch of time. Returns the instant down to which was searched."""
        # Reading one after the other ends with the hits that are wanted; the index of words finds all at once.
        most = max(AT_ONCE, self._wanted.limit) if statement == "logs.newest" else CANDIDATES
        while True:
            found = await self._pool.rows(sql(statement), self._user, first, last, self._chunks, most)
            self._looked_at += len(found)
            for some in _together(found):
                hits += await self._match(some)
                if len(hits) >= self._wanted.limit:
                    return some[-1]["finished_at"]
            if len(found) < most:
                return first
            last = found[-1]["finished_at"]
            if self._looked_at >= LOOKED_AT:
                return last

    async def _match(self, chunks: Sequence[Any]) -> list[LogHit]:
        columns = [[row[n] for row in chunks] for n in range(4)]
        rows = await self._pool.rows(
            sql("logs.match"),
            self._user,
            *columns,
            self._lines,
            list(self._wanted.statuses) or None,
            SHOWN_LINES,
            SHOWN_CHARACTERS,
        )
        hits = [
            LogHit(job_id, attempt, at, n, tuple(map(LogLine, numbers, texts)))
            for job_id, attempt, at, n, numbers, texts in rows
        ]
        return sorted(hits, key=lambda hit: hit.at, reverse=True)


def _stretches(since: datetime, until: datetime) -> Iterator[tuple[str, datetime, datetime]]:
    """Yields stretches of time for the index of words, newest first, each twice as long as the one before."""
    length = FIRST_STRETCH
    for number in range(MOST_STRETCHES):
        if until <= since:
            return
        first = since if number == MOST_STRETCHES - 1 else max(since, until - length)
        yield "logs.with_words", first, until
        until, length = first, length * 2


def _together(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yields rows in parts, without separating those of the same instant."""
    first = 0
    while first < len(rows):
        last = min(first + AT_ONCE, len(rows))
        while last < len(rows) and rows[last]["finished_at"] == rows[last - 1]["finished_at"]:
            last += 1
        yield rows[first:last]
        first = last
