"""Reads a file in batches, in a thread, while the batch before is being stored."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from duetime.injection.files.content import ContentReader, opened
from duetime.injection.files.formats.port import NotReadable, RawRecord, ReadRecords
from duetime.injection.files.records import FileParser, Request

BATCH = 2000
BATCH_BYTES = 8 * 1024 * 1024


class Batch(NamedTuple):
    """Some requests of a file. The last batch says whether the content is another one than that of the file's hash."""

    requests: list[Request]
    is_last: bool
    changed: bool


class Batches:
    """The batches of one file, from a record on. Raises `Unusable` if the file cannot be opened."""

    def __init__(self, path: Path, read: ReadRecords, parser: FileParser, content: bytes, first: int = 0) -> None:
        self._path, self._read_records, self._parser, self._content = path, read, parser, content
        self._number = first
        self._open: tuple[BinaryIO, ContentReader, Generator[RawRecord]] | None = None
        self._ahead: asyncio.Task[Batch] | None = None

    async def next(self) -> Batch:
        """Returns the next batch, and begins to read the one after it."""
        batch = await (self._ahead or asyncio.create_task(asyncio.to_thread(self._read)))
        self._ahead = None if batch.is_last else asyncio.create_task(asyncio.to_thread(self._read))
        return batch

    async def close(self) -> None:
        """Close the file."""
        if self._ahead is not None:
            await asyncio.wait([self._ahead])
            self._ahead.exception()
        if self._open is not None:
            stream, _, records = self._open
            records.close()
            stream.close()

    def _read(self) -> Batch:
        if self._open is None:
            stream, reader = opened(self._path)
            self._open = stream, reader, with_problem(self._read_records(stream))
            # Records that are stored already. If there are fewer now, the hash shows that the file has changed.
            next(islice(self._open[2], self._number, self._number), None)
        _, reader, records = self._open
        raw: list[RawRecord] = []
        size, is_last = 0, True
        for one in records:
            raw.append(one)
            size += len(one.body)
            if len(raw) == BATCH or size > BATCH_BYTES:
                is_last = False
                break
        requests = self._parser.parse(self._number, raw)
        self._number += len(requests)
        return Batch(requests, is_last, is_last and reader.digest() != self._content)


def with_problem(records: Iterator[RawRecord]) -> Generator[RawRecord]:
    """Yields records. Where a file cannot be read on, the last one says why."""
    try:
        yield from records
    except NotReadable as error:
        yield RawRecord(error.line, b"", error.message)
