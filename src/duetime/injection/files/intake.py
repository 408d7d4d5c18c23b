"""The way of one file: claimed by its content, checked, stored in batches, finished, and put away with a report.

After a kill at any step, this node or another one goes on: the records that are stored are known by their number, and
an end that is recorded is only carried out.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.intake.submit import Submit
from duetime.engine.recurring.schedules import Schedules
from duetime.injection.files.batches import BATCH, Batch, Batches
from duetime.injection.files.content import Unusable, content_of
from duetime.injection.files.directory import Directory, Folder, Found, shown_name
from duetime.injection.files.formats.port import ReadRecords
from duetime.injection.files.records import FileParser, FileRules, Request
from duetime.injection.files.report import MOST_REFUSED, RefusedRecord, Report, as_line, as_refused
from duetime.injection.files.schedules import ScheduleRecords
from duetime.model.errors import DuetimeError, OverLimit, Stopping, StoreAway
from duetime.store.file_port import FileEnd, FileStore, KnownFile
from duetime.store.injection_port import InjectionStore, Move, Overtaken
from duetime.store.port import JobRow, Stored

log = structlog.get_logger()
LEASE: Final = timedelta(seconds=15)
HOLD_EVERY: Final = 5.0
PAUSE: Final = 0.2
CHANGED: Final = "The file was changed while it was being read."
MARK: Final = 10
"""Hexadecimal digits of the content's hash in the names of files that are put away."""


class IntakeSettings(Struct, frozen=True):
    """One source of files, as a whole."""

    source: str
    """What files are stored under."""
    name: str
    username: str
    atomic: Literal["file", "record"]
    max_size: int
    remember: timedelta
    read_as: Callable[[str], ReadRecords | None]
    """Returns the format of a file by its name."""


class IntakeParts(Struct, frozen=True):
    """What takes the records in."""

    files: FileStore
    injection: InjectionStore
    submit: Submit
    schedules: Schedules
    clock: Clock


class HeldElsewhere(DuetimeError):
    """Another node reads the file."""


class FileIntake:
    """Takes in the files of one directory, one at a time."""

    def __init__(self, settings: IntakeSettings, directory: Directory, parts: IntakeParts, holder: str) -> None:
        self._settings, self._directory, self._parts, self._holder = settings, directory, parts, holder
        self._clock, self._files = parts.clock, parts.files
        self.stopping = False
        self._hold_at = 0.0
        self._is_waiting = False

    async def admit(self, found: Found, rules: FileRules) -> None:
        """Admit one file, from wherever it stands. Raises `HeldElsewhere` if another node has it."""
        self._is_waiting = False
        name, problem, content = found.name, found.problem, b""
        read = self._settings.read_as(name)
        if problem is None and read is None:
            problem = "The name says no format: use .ndjson, .jsonl, .json, .yaml, .yml or .csv, or set 'format'."
        path = self._directory.path / name
        try:
            if problem is None:
                content = await asyncio.to_thread(content_of, path, self._settings.max_size)
        except Unusable as error:
            if not await asyncio.to_thread(os.path.lexists, path):
                return  # Another node has put it away.
            problem = str(error)
        if problem is not None or read is None:
            await self._put_away_unread(found, problem or "")
            return
        file = await self._claim(content, name)
        if file is None:
            return
        if file.held:
            file = await self._store(path, read, file, content, rules)
        await self._put_away(name, file, content)

    async def _claim(self, content: bytes, name: str) -> KnownFile | None:
        """Take a file. Returns it as it is, or None if another node has put it away meanwhile."""
        settings, now = self._settings, self._clock.now()
        file = await self._files.claim(settings.source, content, shown_name(name), self._holder, now, now + LEASE)
        if file is None or (file.state == "open" and not file.held):
            raise HeldElsewhere
        if file.ended_at is not None:
            if not await asyncio.to_thread(os.path.lexists, self._directory.path / name):
                return None
            if await self._is_new_again(file, name, content, file.ended_at):
                await self._files.forget(file.id)
                return await self._claim(content, name)
        self._hold_at = self._clock.monotonic() + HOLD_EVERY
        return file

    async def _is_new_again(self, file: KnownFile, name: str, content: bytes, ended_at: datetime) -> bool:
        """Returns whether content that was read before is to be read again.

        It is after a while, and where nothing of it was stored: what was wrong may be right by now.
        """
        if ended_at + self._settings.remember <= self._clock.now():
            return True
        if file.state == "done" or file.stored:
            return False
        # A node can die between the move and the note of it.
        away = self._directory.was_put_away
        return file.moved or await asyncio.to_thread(away, name, "failed", content.hex()[:MARK])

    async def _store(
        self, path: Path, read: ReadRecords, file: KnownFile, content: bytes, rules: FileRules
    ) -> KnownFile:
        """Store a file's records, from the first that is not stored. Returns the file as it ended."""
        parser = FileParser(rules, file.taken_at)
        first = file.next_record
        schedules = ScheduleRecords(self._parts.schedules, rules.user_id)
        if self._settings.atomic == "file" and not first:
            checked = await self._check(Batches(path, read, parser, content), file, schedules)
            if isinstance(checked, FileEnd):
                return await self._finish(file, checked)
            if checked is not None:
                refused = await self._store_batch(file, checked.requests, schedules)
                return await self._finish(file, _end(len(checked.requests), refused))
        refused, reason = len(await self._refused(file.id)), None
        batches = Batches(path, read, parser, content, first)
        try:
            while reason is None:
                batch = await batches.next()
                if batch.changed:
                    reason = CHANGED
                    break
                refused += await self._store_batch(file, batch.requests, schedules)
                first += len(batch.requests)
                if batch.is_last:
                    break
                if refused >= MOST_REFUSED:
                    reason = f"It has {refused} wrong records or more: it is read no further."
                await self._hold(file)
        finally:
            await batches.close()
        return await self._finish(file, _end(first, refused, reason))

    async def _check(self, batches: Batches, file: KnownFile, schedules: ScheduleRecords) -> FileEnd | Batch | None:
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
                wrong = await self._wrong(file, batch.requests, schedules)
                refused += wrong[: MOST_REFUSED - len(refused)]
                if batch.changed:
                    reason = CHANGED
                if batch.is_last or len(refused) >= MOST_REFUSED:
                    break
                await self._hold(file)
        finally:
            await batches.close()
        if not refused and reason is None:
            return only
        reason = reason or "Nothing of the file is stored, because not all of its records are right."
        return FileEnd("failed", records, 0, reason, tuple(as_refused(file.id, one) for one in refused))

    async def _wrong(self, file: KnownFile, requests: Sequence[Request], schedules: ScheduleRecords) -> list[Request]:
        """Returns the requests that would be refused."""
        wrong = [one for one in requests if one.refusal is not None]
        left = [one for one in requests if one.schedule is not None]
        while left:
            try:
                await schedules.check([one.schedule for one in left if one.schedule is not None])
                break
            except (OverLimit, StoreAway) as error:
                await self._wait(file, error)
            except DuetimeError as error:
                index = error.details.get("index")
                at = index if isinstance(index, int) and index < len(left) else 0
                wrong.append(left[at]._replace(schedule=None, refusal=error))
                left = left[at + 1 :]
        return sorted(wrong)

    async def _store_batch(self, file: KnownFile, requests: list[Request], schedules: ScheduleRecords) -> int:
        """Store requests and move the offset. Returns how many were refused: each alone, where the store refuses it."""
        while requests:
            try:
                await self._write(file, requests, schedules)
                break
            except (Overtaken, Stopping):
                raise
            except (OverLimit, StoreAway) as error:
                await self._wait(file, error)
            except DuetimeError as error:
                if len(requests) > 1:
                    middle = len(requests) // 2
                    halves = requests[:middle], requests[middle:]
                    return sum([await self._store_batch(file, half, schedules) for half in halves])
                if requests[0].refusal is not None:
                    raise
                requests = [Request(requests[0].number, requests[0].line, refusal=error)]
        return sum(one.refusal is not None for one in requests)

    async def _write(self, file: KnownFile, requests: Sequence[Request], schedules: ScheduleRecords) -> None:
        """Apply schedules, which a repeat does not change, and then store jobs and refusals with the offset."""
        contents = [one.schedule for one in requests if one.schedule is not None]
        if contents:
            await schedules.apply(contents)
        refused = [as_refused(file.id, one) for one in requests if one.refusal is not None]
        move = Move(file.id, requests[0].number, requests[-1].number + 1)

        async def write(rows: Sequence[JobRow], now: datetime) -> list[Stored]:
            return await self._parts.injection.inject(self._settings.source, [move], rows, [], refused, now)

        await self._parts.submit.through([one.job for one in requests if one.job is not None], write)

    async def _hold(self, file: KnownFile) -> None:
        """Keep the lease. Raises `HeldElsewhere` if it was lost, and `Stopping` when the node stops."""
        if self.stopping:
            raise Stopping
        if self._clock.monotonic() >= self._hold_at:
            if not await self._files.hold(file.id, self._holder, self._clock.now() + LEASE):
                raise HeldElsewhere
            self._hold_at = self._clock.monotonic() + HOLD_EVERY

    async def _wait(self, file: KnownFile, error: DuetimeError) -> None:
        """Wait before another try: for the database, or until the user is below its quota."""
        if not self._is_waiting:
            log.warning("a source of files waits", source=self._settings.name, file=file.name, reason=error.message)
        self._is_waiting = True
        await self._clock.sleep(PAUSE)
        if self.stopping:
            raise Stopping
        if isinstance(error, OverLimit):
            await self._hold(file)

    async def _finish(self, file: KnownFile, end: FileEnd) -> KnownFile:
        now = self._clock.now()
        if not await self._files.finish(file.id, end, now):
            raise Overtaken
        return file._replace(state=end.state, ended_at=now, records=end.records, stored=end.stored, reason=end.reason)

    async def _refused(self, file_id: int) -> list[RefusedRecord]:
        refused = await self._parts.injection.refused(self._settings.source, [file_id], 2 * (MOST_REFUSED + BATCH))
        return [as_line(one) for one in refused]

    async def _put_away(self, name: str, file: KnownFile, content: bytes) -> None:
        """Write the report, and move the file."""
        lines = await self._refused(file.id)
        repeated = file.moved
        reason = file.reason
        if repeated:
            reason = (
                f"The same content was read before, as '{file.name}' on {file.ended_at:%Y-%m-%d %H:%M:%S} UTC: "
                "nothing is stored again."
            )
        report = Report(
            file=shown_name(name),
            source=self._settings.name,
            user=self._settings.username,
            state="repeated" if repeated else "done" if file.state == "done" else "failed",
            content=content.hex(),
            records=file.records,
            stored=0 if repeated else file.stored,
            refused=len(lines),
            reason=reason,
            taken_at=file.taken_at,
            ended_at=file.ended_at,
            lines=tuple(lines[:MOST_REFUSED]),
        )
        folder: Folder = "done" if file.state == "done" else "failed"
        mark = content.hex()[:MARK] + (".repeated" if repeated else "")
        await asyncio.to_thread(self._directory.put_away, name, folder, mark, report.written())
        await self._files.moved(file.id)
        log.info(
            "a file was read",
            source=self._settings.name,
            file=report.file,
            state=report.state,
            records=report.records,
            stored=report.stored,
            refused=report.refused,
        )

    async def _put_away_unread(self, found: Found, problem: str) -> None:
        """Move what is no file to read, with a report that says why."""
        report = Report(
            file=shown_name(found.name),
            source=self._settings.name,
            user=self._settings.username,
            state="failed",
            reason=problem,
            ended_at=self._clock.now(),
        )
        mark = f"{found.stamp.inode:x}-{found.stamp.changed % 16**6:x}"
        await asyncio.to_thread(self._directory.put_away, found.name, "failed", mark, report.written())
        log.info("a file cannot be read", source=self._settings.name, file=report.file, reason=problem)


def _end(records: int, refused: int, reason: str | None = None) -> FileEnd:
    return FileEnd("failed" if refused or reason is not None else "done", records, records - refused, reason)
