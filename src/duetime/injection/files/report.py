"""The report beside a file that was read: how it ended, and which lines were refused, with the reason."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct

from duetime.injection.files.records import Request
from duetime.model.errors import DuetimeError
from duetime.store.injection_port import RecordId, Refused

MOST_REFUSED = 1000
"""A file is read no further when it has so many wrong records: it is another format, or damaged."""


_POSITION = re.compile(r"^(Job|Schedule) \d+: ")
_INDEX = re.compile(r"^\[\d+\]\.")


class RefusedRecord(Struct, frozen=True, omit_defaults=True):
    """A record that was not stored."""

    line: int
    reason: str
    field: str | None = None


class Report(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a report says."""

    file: str
    source: str
    user: str
    state: Literal["done", "failed", "repeated"]
    content: str | None = None
    """The hash of the content, by which a file is known."""
    records: int = 0
    """How many records were read."""
    stored: int = 0
    refused: int = 0
    reason: str | None = None
    """Why the file as a whole failed, or was left alone."""
    taken_at: datetime | None = None
    ended_at: datetime | None = None
    lines: tuple[RefusedRecord, ...] = ()

    def written(self) -> bytes:
        """Returns the report as a file has it."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"


def refused_record(request: Request) -> RefusedRecord:
    """Returns a refused request as reports name it."""
    error = request.refusal or DuetimeError()
    field = error.details.get("field")
    # The line says which one it is, and no position in a batch does.
    said = _POSITION.sub("", error.message).replace("The body ", "The record ", 1)
    return RefusedRecord(request.line, said, _INDEX.sub("", field) if isinstance(field, str) else None)


def as_refused(file_id: int, request: Request) -> Refused:
    """Returns a refused request as it is stored until the report is written."""
    return Refused(RecordId(file_id, request.number), msgspec.json.encode(refused_record(request)))


_decode = msgspec.json.Decoder(RefusedRecord).decode


def as_line(refused: Refused) -> RefusedRecord:
    """Returns a stored refusal."""
    return _decode(refused.record)
