"""Reads the files that commands are given: text, YAML or JSON, within bounds. `-` is standard input."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from duetime.cli.shared.exits import UsageError

if TYPE_CHECKING:
    from yaml import Event

MAX_BYTES = 16 * 1024 * 1024
"""How large a file may be that is read as a whole."""
MAX_VALUES = 500_000
"""How many values a document may have: each takes about half a kilobyte of memory while YAML is read."""
MAX_LINE_BYTES = 4 * 1024 * 1024
"""How long a line of a file may be that is read line by line: more than any job that a server accepts."""
MAX_DEPTH = 64


def read_text(file: Path) -> str:
    """Returns a file's text. Raises `UsageError` if it is larger than `MAX_BYTES`."""
    with _opened(file) as stream:
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UsageError(f"{_named(file)} is larger than {MAX_BYTES // 1024**2} MiB, the most that is read.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{_named(file)} is not text in UTF-8.") from None


def read_document(file: Path) -> Any:
    """Returns a file's content, parsed as YAML. JSON is a subset of YAML.

    Raises `UsageError` for aliases, which can make a small file grow without bound, for deep nesting, for too many
    values, and for what JSON cannot express.
    """
    import msgspec
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text, where = read_text(file), _named(file)
    try:
        _check_events(yaml.parse(text, Loader=loader), where)
        found = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe loaders
        msgspec.json.encode(found)
    except yaml.YAMLError as error:
        raise UsageError(f"{where} is not valid YAML: {' '.join(str(error).split())}.") from None
    except (ValueError, OverflowError, TypeError) as error:
        raise UsageError(f"{where} has a value that cannot be read: {str(error).rstrip('.')}.") from None
    return found


def read_lines(file: Path) -> Iterator[bytes]:
    """Yields the lines of a file. Raises `UsageError` for one that is longer than `MAX_LINE_BYTES`."""
    with _opened(file) as stream:
        number = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                most = MAX_LINE_BYTES // 1024**2
                raise UsageError(f"Line {number} of {_named(file)} is longer than {most} MiB, the most that is read.")
            yield line


def _check_events(events: Iterator[Event], where: str) -> None:
    """Refuses aliases and deep nesting while the document is still a stream of events."""
    from yaml import AliasEvent, CollectionEndEvent, CollectionStartEvent

    depth = 0
    for count, event in enumerate(events):
        line = event.start_mark.line + 1
        if count > MAX_VALUES:
            raise UsageError(f"{where} has more than {MAX_VALUES:,} values, the most that are read.")
        if isinstance(event, AliasEvent):
            raise UsageError(
                f"Line {line} of {where} has the alias '*{event.anchor}', which is not read: write the value in full."
            )
        if isinstance(event, CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise UsageError(f"Line {line} of {where} is nested too deeply: at most {MAX_DEPTH} levels are read.")
        elif isinstance(event, CollectionEndEvent):
            depth -= 1


@contextmanager
def _opened(file: Path) -> Generator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    try:
        with file.open("rb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from None


def _named(file: Path) -> str:
    return "Standard input" if str(file) == "-" else str(file)
