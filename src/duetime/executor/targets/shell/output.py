"""What a program prints: the end of each stream for the answer, and lines for the log while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from duetime.clock.port import Clock
from duetime.model.credentials import without_credentials
from duetime.model.run import MAX_LOG_BYTES
from duetime.model.targets.shell import SHOWN_BYTES

log = structlog.get_logger()
FLUSH_EVERY = 0.5
WAITING_BYTES = 131_072
"""How much may wait for the log's store. What comes beyond that is lost, and counted."""
LINE_BYTES = 16_384
"""A longer line is split."""
LAST_FLUSH = 5.0
"""Seconds that the store has for the last lines."""

Store = Callable[[int, Sequence[str]], Awaitable[None]]


class Stream:
    """One stream of a program: its end, and the line that has not ended yet."""

    def __init__(self) -> None:
        self._end = bytearray()
        self._line = bytearray()

    def add(self, data: bytes) -> list[bytes]:
        """Add what was printed. Returns the lines that are complete now."""
        self._end += data[-SHOWN_BYTES:]
        del self._end[:-SHOWN_BYTES]
        self._line += data
        *lines, rest = self._line.split(b"\n")
        while len(rest) >= LINE_BYTES:
            lines.append(rest[:LINE_BYTES])
            rest = rest[LINE_BYTES:]
        self._line = bytearray(rest)
        return [bytes(line[:LINE_BYTES]) for line in lines]

    def rest(self) -> list[bytes]:
        """Returns the line that never ended."""
        return [bytes(self._line)] if self._line else []

    def end(self) -> str:
        """Returns the end of the stream, as text."""
        return text_of(bytes(self._end))


class LogWriter:
    """Writes lines to the log of a run, while the program runs. A slow or absent store loses lines, never the run."""

    def __init__(self, store: Store, clock: Clock, mask: Callable[[str], str] | None) -> None:
        self._store, self._clock, self._mask = store, clock, mask
        self._waiting: list[str] = []
        self._waiting_bytes = self._kept_bytes = self._next = self._lost = 0
        self._task = asyncio.get_running_loop().create_task(self._write())

    def add(self, lines: Sequence[bytes]) -> None:
        """Add lines."""
        for line in lines:
            size = len(line) + 1
            if self._kept_bytes + size > MAX_LOG_BYTES or self._waiting_bytes + size > WAITING_BYTES:
                self._lost += 1
                continue
            text = without_credentials(text_of(line))
            self._waiting.append(text if self._mask is None else self._mask(text))
            self._waiting_bytes += size
            self._kept_bytes += size

    async def close(self) -> None:
        """Write the last lines, if the store answers in time."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._lost:
            lines = "line is" if self._lost == 1 else "lines are"
            self._waiting.append(f"[{self._lost} {lines} not in this log]")
        try:
            async with asyncio.timeout(LAST_FLUSH):
                await self._flush()
        except TimeoutError:
            log.warning("the last lines of a log were not stored in time", lines=len(self._waiting))

    async def _write(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_EVERY)
            await self._flush()

    async def _flush(self) -> None:
        lines = self._waiting
        if not lines:
            return
        first = self._next
        self._waiting, self._waiting_bytes = [], 0
        # The numbers go on whether or not the store has taken the lines: a repeat would be worse than a gap.
        self._next += len(lines)
        try:
            await self._store(first, lines)
        except Exception as error:
            self._lost += len(lines)
            log.warning("lines of a log could not be stored", lines=len(lines), error=str(error))


def text_of(data: bytes) -> str:
    """Returns printed bytes as text that every store takes."""
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")
