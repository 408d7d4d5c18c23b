"""`LogStore` in memory: as sql/logs.sql."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from duetime.model.ids import NodeId
from duetime.model.logs import LEVELS, SHOWN_LINES, LogFilter, LogHit, LogLine, LogPage, first_of
from duetime.model.run import MAX_LOG_BYTES
from simulation.memory.tables import JobRecord, Tables


class _Chunk(NamedTuple):
    user_id: int
    run: tuple[int, int]
    seq: int
    at: datetime
    lines: list[str]


class MemoryLogs:
    """Chunks in the order in which they came. `_indexed` of them are searchable."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._chunks: list[_Chunk] = []
        self._indexed = 0

    async def add(
        self, holder: NodeId, run: tuple[int, int], seq: int, lines: Sequence[str], now: datetime
    ) -> int | None:
        """Add lines."""
        flight = self._tables.in_flight.get(run[0])
        if flight is None or (flight.executor, flight.attempt) != (holder, run[1]):
            return None
        before = [chunk for chunk in self._chunks if chunk.run == run]
        there = max((chunk.seq + len(chunk.lines) for chunk in before), default=0)
        size = sum(len(line.encode()) + 1 for chunk in before for line in chunk.lines)
        kept: list[str] = []
        for line in lines[max(0, there - seq) :]:
            size += len(line.encode()) + 1
            if size > MAX_LOG_BYTES:
                break
            kept.append(line)
        if kept:
            self._chunks.append(_Chunk(flight.user_id, run, max(seq, there), now, kept))
        return len(kept)

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """A run's log."""
        own = [chunk for chunk in self._chunks if (chunk.user_id, chunk.run) == (user_id, (job_id, attempt))]
        return [line for chunk in own for line in chunk.lines][skip:]

    async def index(self, limit: int) -> int:
        """Make chunks searchable."""
        before, self._indexed = self._indexed, min(len(self._chunks), self._indexed + limit)
        return self._indexed - before

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Chunks with lines that match."""
        hits: list[LogHit] = []
        for chunk in sorted(self._chunks[: self._indexed], key=lambda one: one.at, reverse=True):
            found = [
                LogLine(number, line)
                for number, line in enumerate(chunk.lines, chunk.seq + 1)
                if _matches(line, wanted)
            ]
            if chunk.user_id == user_id and found and self._is_meant(chunk, wanted):
                hits.append(LogHit(*chunk.run, chunk.at, len(found), tuple(found[:SHOWN_LINES])))
        return first_of(hits, wanted.limit) or LogPage(hits, None)

    def _is_meant(self, chunk: _Chunk, wanted: LogFilter) -> bool:
        job, state = self._job(chunk.run[0])
        labels = json.loads(job.labels) if job is not None and job.labels else {}
        return (
            (wanted.job_id is None or wanted.job_id == chunk.run[0])
            and (wanted.schedule_id is None or (job is not None and job.schedule_id == wanted.schedule_id))
            and (wanted.labels or {}).items() <= labels.items()
            and (not wanted.statuses or state in wanted.statuses)
            and (wanted.from_ is None or chunk.at >= wanted.from_)
            and (wanted.before is None or chunk.at < wanted.before)
        )

    def _job(self, job_id: int) -> tuple[JobRecord | None, str | None]:
        ended = next((one for one in self._tables.history if one.job.id == job_id), None)
        if ended is not None:
            return ended.job, ended.state
        return self._tables.jobs.get(job_id), None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _matches(line: str, wanted: LogFilter) -> bool:
    words = f" {' '.join(_words(line))} "
    levels = () if wanted.level is None else LEVELS[wanted.level]
    return all(f" {' '.join(_words(term))} " in words for term in wanted.terms) and (
        not levels or any(f" {level} " in words for level in levels)
    )
