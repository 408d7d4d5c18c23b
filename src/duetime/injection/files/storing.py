"""Stores the records of one file in batches, from the first that is not stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.intake.submit import Submit
from duetime.engine.recurring.schedules import Schedules
from duetime.injection.files.batches import Batch, Batches
from duetime.injection.files.formats.port import ReadRecords
from duetime.injection.files.records import FileParser, FileRules, Request
from duetime.injection.files.report import MOST_REFUSED, as_refused
from duetime.injection.files.schedules import ScheduleRecords
from duetime.model.errors import DuetimeError, OverLimit, Stopping, StoreAway
from duetime.store.file_port import FileEnd, FileStore, KnownFile
from duetime.store.injection_port import InjectionStore, Move, Overtaken
from duetime.store.port import JobRow, Stored

log = structlog.get_logger()
LEASE: Final = timedelta(seconds=5)
HOLD_EVERY: Final = 1.5
PAUSE: Final = 0.2
CHANGED: Final = "The file was changed while it was being read."
WRONG: Final = "Nothing of the file is stored, because not all of its records are right."


class StoringParts(Struct, frozen=True):
    """What takes the records in."""

    files: FileStore
    injection: InjectionStore
    submit: Submit
    schedules: Schedules
    clock: Clock


class HeldElsewhere(DuetimeError):
    """Another node reads the file."""


class RecordStoring:
    """Stores the records of one file, which this node holds."""

    def __init__(
        self,
        source: str,
        atomic: Literal["file", "record"],
        file: KnownFile,
        parts: StoringParts,
        rules: FileRules,
        holder: str,
    ) -> None:
        self._source, self._atomic, self._file, self._parts, self._holder = source, atomic, file, parts, holder
        self._parser = FileParser(rules, file.taken_at)
        self._schedules = ScheduleRecords(parts.schedules, rules.user_id)
        self._clock = parts.clock
        self._hold_at = self._clock.monotonic() + HOLD_EVERY
        self._is_waiting = False
        self.stopping = False

    async def run(self, path: Path, read: ReadRecords, content: bytes, refused: int) -> FileEnd:
        """Store the records. Returns how the file ends. `refused` is how many were refused before.

        Raises `HeldElsewhere` or `Overtaken` if another node has the file now, and `Stopping` when the node stops.
        """
        first = self._file.next_record
        if self._atomic == "file" and not first:
            checked = await self._check(Batches(path, read, self._parser, content))
            if isinstance(checked, FileEnd):
                return checked
            if checked is not None:
                refused = await self._store_batch(checked.requests)
                return _end(len(checked.requests), refused)
        batches, reason = Batches(path, read, self._parser, content, first), None
        try:
            while True:
                if refused >= MOST_REFUSED:
                    reason = f"It has {refused} wrong records or more: it is read no further."
                    break
                batch = await batches.next()
                if batch.changed:
                    reason = CHANGED
                    break
                refused += await self._store_batch(batch.requests)
                first += len(batch.requests)
                if batch.is_last:
                    break
                await self._hold()
        finally:
            await batches.close()
        return _end(first, refused, reason)

    async def _check(self, batches: Batches) -> FileEnd | Batch | None:
        """Look at every record before one is stored. Returns how the file ends if one is wrong.

        If all are right, returns the batch of a file that has only one, and otherwise None.
        """
        refused: list[Request] = []
        records, reason, only = 0, None, None
        try:
            while True:
                batch = await batches.next()
                only = batch if batch.is_last and not records else None
                records += len(batch.requests)
                wrong = await self._wrong(batch.requests)
                refused += wrong[: MOST_REFUSED - len(refused)]
                if batch.changed:
                    reason = CHANGED
                if batch.is_last or len(refused) >= MOST_REFUSED:
                    break
                await self._hold()
        finally:
            await batches.close()
        if not refused and reason is None:
            return only
        return FileEnd("failed", records, 0, reason or WRONG, tuple(as_refused(self._file.id, one) for one in refused))

    async def _wrong(self, requests: Sequence[Request]) -> list[Request]:
        """Returns the requests that would be refused."""
        wrong = [one for one in requests if one.refusal is not None]
        left = [one for one in requests if one.schedule is not None]
        while left:
            try:
                await self._schedules.check([one.schedule for one in left if one.schedule is not None])
                break
            except (OverLimit, StoreAway) as error:
                await self._wait(error)
            except DuetimeError as error:
                index = error.details.get("index")
                at = index if isinstance(index, int) and index < len(left) else 0
                wrong.append(left[at]._replace(schedule=None, refusal=error))
                left = left[at + 1 :]
        return sorted(wrong)

    async def _store_batch(self, requests: list[Request]) -> int:
        """Store requests and move the offset. Returns how many were refused: each alone, where the store refuses it."""
        while requests:
            try:
                await self._write(requests)
                break
            except (Overtaken, Stopping):
                raise
            except (OverLimit, StoreAway) as error:
                await self._wait(error)
            except DuetimeError as error:
                if len(requests) > 1:
                    middle = len(requests) // 2
                    halves = requests[:middle], requests[middle:]
                    return sum([await self._store_batch(half) for half in halves])
                if requests[0].refusal is not None:
                    raise
                requests = [Request(requests[0].number, requests[0].line, refusal=error)]
        return sum(one.refusal is not None for one in requests)

    async def _write(self, requests: Sequence[Request]) -> None:
        """Apply schedules, which a repeat does not change, and then store jobs and refusals with the offset."""
        contents = [one.schedule for one in requests if one.schedule is not None]
        if contents:
            await self._schedules.apply(contents)
        refused = [as_refused(self._file.id, one) for one in requests if one.refusal is not None]
        move = Move(self._file.id, requests[0].number, requests[-1].number + 1)

        async def write(rows: Sequence[JobRow], now: datetime) -> list[Stored]:
            return await self._parts.injection.inject(self._source, [move], rows, [], refused, now)

        await self._parts.submit.through([one.job for one in requests if one.job is not None], write)

    async def _hold(self) -> None:
        """Keep the lease. Raises `HeldElsewhere` if it was lost, and `Stopping` when the node stops."""
        if self.stopping:
            raise Stopping
        if self._clock.monotonic() >= self._hold_at:
            if not await self._parts.files.hold(self._file.id, self._holder, self._clock.now() + LEASE):
                raise HeldElsewhere
            self._hold_at = self._clock.monotonic() + HOLD_EVERY

    async def _wait(self, error: DuetimeError) -> None:
        """Wait before another try: for the database, or until the user is below its quota."""
        if not self._is_waiting:
            log.warning("a source of files waits", source=self._source, file=self._file.name, reason=error.message)
        self._is_waiting = True
        await self._clock.sleep(PAUSE)
        if self.stopping:
            raise Stopping
        if isinstance(error, OverLimit):
            await self._hold()


def _end(records: int, refused: int, reason: str | None = None) -> FileEnd:
    return FileEnd("failed" if refused or reason is not None else "done", records, records - refused, reason)
