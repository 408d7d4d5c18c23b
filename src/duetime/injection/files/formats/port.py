"""The contract of a format: it reads a file and yields its records as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from duetime.model.errors import DuetimeError

MAX_RECORD_BYTES = 4 * 1024 * 1024
"""How long one record may be: more than any job that a server accepts."""


class RawRecord(NamedTuple):
    """A record as it stands in a file: the line where it begins, and its JSON, or why there is none."""

    line: int
    body: bytes
    problem: str | None = None


class NotReadable(DuetimeError):
    """The file cannot be read on from some place: where its next record would begin is not known."""

    code = "not_readable"

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message, line=line)
        self.line = line


ReadRecords = Callable[[BinaryIO], Iterator[RawRecord]]
"""Reads a file from its beginning. The same bytes give the same records. Raises `NotReadable`."""


def too_long(line: int) -> RawRecord:
    """Returns what stands for a record that is longer than any can be."""
    return RawRecord(line, b"", f"The record is longer than {MAX_RECORD_BYTES // 1024**2} MiB, the most that is read.")
