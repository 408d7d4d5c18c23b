"""A converter as a format: what it yields are the records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import BinaryIO

import msgspec
import structlog

from duetime.conversion.port import CannotConvert, Converter, Rejected
from duetime.injection.files.formats.port import NotReadable, RawRecord, ReadRecords

log = structlog.get_logger()


def converting(name: str, converter: Converter, options: Mapping[str, str]) -> ReadRecords:
    """Returns the format that a converter reads."""
    return partial(_read, name, converter, options)


def _read(name: str, converter: Converter, options: Mapping[str, str], file: BinaryIO) -> Iterator[RawRecord]:
    line = 1
    try:
        for one in converter(file, options):
            line = one.line
            if isinstance(one, Rejected):
                yield RawRecord(line, b"", one.reason)
            else:
                yield RawRecord(line, msgspec.json.encode(one.record))
    except CannotConvert as error:
        raise NotReadable(error.message, line) from None
    except Exception as error:
        log.exception("a converter broke", converter=name)
        raise NotReadable(
            f"The converter '{name}' broke after line {line} ({type(error).__name__}: {str(error)[:200]}).", line
        ) from error
