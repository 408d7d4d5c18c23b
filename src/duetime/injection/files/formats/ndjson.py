"""NDJSON: a JSON object in each line. Blank lines count as lines, and are no records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from duetime.injection.files.formats.port import MAX_RECORD_BYTES, RawRecord, too_long

BOM = b"\xef\xbb\xbf"


def read_ndjson(file: BinaryIO) -> Iterator[RawRecord]:
    """Yields a record for each line that is not blank."""
    number = 0
    while line := file.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(BOM)
        if len(line) > MAX_RECORD_BYTES:
            _pass_over(file, line)
            yield too_long(number)
        elif body := line.strip():
            yield RawRecord(number, body)


def _pass_over(file: BinaryIO, piece: bytes) -> None:
    """Read on to the end of a line."""
    while piece and not piece.endswith(b"\n"):
        piece = file.readline(MAX_RECORD_BYTES)
