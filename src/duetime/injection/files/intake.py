"""The way of one file: claimed by its content, checked, stored in batches, finished, and put away with a report.

After a kill at any step, this node or another one goes on: the records that are stored are known by their number, and
an end that is recorded is only carried out.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

import structlog
from msgspec import Struct

from duetime.injection.files.batches import BATCH
from duetime.injection.files.content import Unusable, content_of
from duetime.injection.files.directory import Directory, Folder, Found, shown_name
from duetime.injection.files.formats.port import ReadRecords
from duetime.injection.files.records import FileRules
from duetime.injection.files.report import MOST_REFUSED, RefusedRecord, Report, as_line
from duetime.injection.files.storing import LEASE, HeldElsewhere, RecordStoring, StoringParts
from duetime.store.file_port import KnownFile
from duetime.store.injection_port import Overtaken

log = structlog.get_logger()
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


class FileIntake:
    """Takes in the files of one directory, one at a time."""

    def __init__(self, settings: IntakeSettings, directory: Directory, parts: StoringParts, holder: str) -> None:
        self._settings, self._directory, self._parts, self._holder = settings, directory, parts, holder
        self._clock, self._files = parts.clock, parts.files
        self._storing: RecordStoring | None = None
        self._stopping = False

    def stop(self) -> None:
        """Store no further batch. The rest of the file is read later."""
        self._stopping = True
        if self._storing is not None:
            self._storing.stopping = True

    async def admit(self, found: Found, rules: FileRules) -> None:
        """Admit one file, from wherever it stands. Raises `HeldElsewhere` if another node has it."""
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
        """Store a file's records, and record how it ended. Returns the file as it ended."""
        settings = self._settings
        self._storing = RecordStoring(settings.source, settings.atomic, file, self._parts, rules, self._holder)
        self._storing.stopping = self._stopping
        end = await self._storing.run(path, read, content, len(await self._refused(file.id)))
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
