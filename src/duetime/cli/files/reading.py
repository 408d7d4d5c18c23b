"""Reads a file of records as a node does that watches a directory: the same formats, converters, checks and errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from duetime.cli.shared.exits import UsageError
from duetime.client.local_clock import local_now
from duetime.conversion.port import CannotConvert
from duetime.conversion.registry import find_converter
from duetime.injection.files.batches import with_problem
from duetime.injection.files.content import Unusable, content_of, opened
from duetime.injection.files.formats.choice import FORMATS, format_of
from duetime.injection.files.formats.converted import converting
from duetime.injection.files.formats.port import MAX_RECORD_BYTES, RawRecord, ReadRecords
from duetime.injection.files.records import FileParser, FileRules, Request
from duetime.model.bounds import MAX_TIMEOUT

AT_ONCE = 1000
MAX_BYTES = 1000**3
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class FileRecords:
    """The records of one file. They are read as often as they are asked for, and never kept all at once."""

    def __init__(self, file: Path, format_name: str | None, converter: str | None, options: Mapping[str, str]) -> None:
        self._file, self._read = file, _reader(file, format_name, converter, options)
        try:
            content_of(file.resolve(), MAX_BYTES)
        except Unusable as error:
            raise UsageError(f"{file}: {error}") from None

    def checked(self) -> Iterator[tuple[RawRecord, Request]]:
        """Yields every record with what it asks for. Only the server knows its limits, and which targets it allows."""
        rules = FileRules(0, "", None, MAX_RECORD_BYTES, MAX_TIMEOUT)
        parser, number = FileParser(rules, local_now()), 0
        stream, _ = opened(self._file.resolve())
        with stream:
            for some in _batches(with_problem(self._read(stream))):
                yield from zip(some, parser.parse(number, some), strict=True)
                number += len(some)


def as_sent(record: RawRecord) -> dict[str, Any]:
    """Returns a record as the API takes it, without its kind. A workflow becomes the job that creates it."""
    found = _decode(record.body)
    kind = found.pop("kind", "job")
    return {"message": found, "target": {"kind": "workflow"}} if kind == "workflow" else found


def _batches(records: Iterator[RawRecord]) -> Iterator[list[RawRecord]]:
    while some := list(islice(records, AT_ONCE)):
        yield some


def _reader(file: Path, format_name: str | None, converter: str | None, options: Mapping[str, str]) -> ReadRecords:
    if converter is not None:
        if format_name is not None:
            raise UsageError("Give either --format or --converter, not both.")
        added = {converter: converter} if ":" in converter else {}
        try:
            return converting(converter, find_converter(converter, added), options)
        except CannotConvert as error:
            raise UsageError(error.message) from None
    if options:
        raise UsageError("--option is for a --converter: give both.")
    if format_name is not None:
        return FORMATS[format_name]
    found = format_of(file.name)
    if found is None:
        raise UsageError(
            f"The name of {file} says no format: give --format ({', '.join(FORMATS)}), or a --converter for a file of "
            "another scheduler."
        )
    return found
