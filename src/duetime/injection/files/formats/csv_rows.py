"""CSV with a header: each row is a record, and each column a field, by its name.

`target.url` is the field `url` of `target`. A cell is text where the field takes text, and JSON where it does not: a
number, true or false, or an object. An empty cell leaves the field out.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Final, NamedTuple, cast

import msgspec
from msgspec import inspect

from duetime.api.jobs.bodies import JobBody
from duetime.api.schedules.bodies import ScheduleBody
from duetime.injection.files.formats.port import MAX_RECORD_BYTES, NotReadable, RawRecord

KIND: Final = "kind"
MAX_COLUMNS: Final = 200
_BODIES: Final = (inspect.type_info(JobBody), inspect.type_info(ScheduleBody))


class _Column(NamedTuple):
    path: tuple[str, ...]
    is_text: bool


def read_csv(file: BinaryIO) -> Iterator[RawRecord]:
    """Yields a record for each row that has a cell."""
    # The limit is that of the whole process, and smaller than a record may be.
    csv.field_size_limit(MAX_RECORD_BYTES)
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    rows = csv.reader(_lines(text), strict=True)
    try:
        header = next(rows, None)
        if header is None:
            return
        columns = _columns(header)
        line = rows.line_num + 1
        for cells in rows:
            if any(cells):
                yield _record(line, columns, cells)
            line = rows.line_num + 1
    except csv.Error as error:
        raise NotReadable(f"Line {rows.line_num + 1} is not CSV: {error}.", rows.line_num + 1) from None
    except UnicodeDecodeError:
        raise NotReadable(f"After line {rows.line_num} the file is not text in UTF-8.", rows.line_num + 1) from None
    finally:
        text.detach()


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """Yields lines, or pieces of lines that are too long for one: `csv` refuses the field then."""
    while line := text.readline(MAX_RECORD_BYTES):
        yield line


def _columns(header: list[str]) -> list[_Column]:
    names = [name.strip() for name in header]
    if len(names) > MAX_COLUMNS:
        raise NotReadable(f"The first line names {len(names)} columns: at most {MAX_COLUMNS} are read.", 1)
    if len(set(names)) < len(names):
        raise NotReadable("The first line names a column twice.", 1)
    if not any(_kinds(body, name.split(".")) for body in _BODIES for name in names):
        raise NotReadable("The first line must name the columns, such as message,execute_at,target.kind.", 1)
    return [_Column(tuple(name.split(".")), _takes_text(name)) for name in names]


def _takes_text(name: str) -> bool:
    """Returns whether a field takes text. A field that does not exist does: the error names it."""
    found = [kind for body in _BODIES for kind in _kinds(body, name.split("."))]
    texts = (inspect.StrType, inspect.AnyType, inspect.DateTimeType, inspect.LiteralType, inspect.EnumType)
    return not found or any(isinstance(kind, texts) for kind in found)


def _kinds(kind: inspect.Type, path: list[str]) -> list[inspect.Type]:
    """Returns the types that a field may have; none if there is no such field."""
    if isinstance(kind, inspect.Metadata):
        return _kinds(kind.type, path)
    if isinstance(kind, inspect.UnionType):
        return [one for part in kind.types for one in _kinds(part, path)]
    if not path:
        return [] if isinstance(kind, inspect.NoneType) else [kind]
    if isinstance(kind, inspect.StructType):
        if path == [kind.tag_field]:
            return [inspect.StrType()]
        return [one for field in kind.fields if field.encode_name == path[0] for one in _kinds(field.type, path[1:])]
    if isinstance(kind, inspect.DictType):
        return _kinds(kind.value_type, path[1:])
    return [inspect.StrType()] if isinstance(kind, inspect.AnyType) else []


def _record(line: int, columns: list[_Column], cells: list[str]) -> RawRecord:
    if len(cells) != len(columns):
        return RawRecord(line, b"", f"The row has {len(cells)} cells, and the first line names {len(columns)} columns.")
    found: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        if not cell and column.path != ("message",):
            continue
        value: Any = cell
        if not column.is_text:
            # What is no JSON stays text: the error names the field and what would be right.
            with suppress(msgspec.DecodeError, RecursionError):
                value = msgspec.json.decode(cell)
        if not _put(found, column.path, value):
            return RawRecord(line, b"", f"The column '{'.'.join(column.path)}' is within one that has a value itself.")
    return RawRecord(line, msgspec.json.encode(found))


def _put(found: dict[str, Any], path: tuple[str, ...], value: Any) -> bool:
    for name in path[:-1]:
        below: Any = found.setdefault(name, {})
        if not isinstance(below, dict):
            return False
        found = cast("dict[str, Any]", below)
    if path[-1] in found:
        return False
    found[path[-1]] = value
    return True
