"""YAML: a list of records, or documents with one record each. It is read item by item.

Aliases are refused, which can make a small file grow without bound. Dates and times stay text, as in JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from duetime.injection.files.formats.port import NotReadable, RawRecord

MAX_DEPTH = 64
MAX_EVENTS = 100_000
"""How many values one record may have."""


class _Loader(Composer, SafeConstructor, Resolver):
    """Composes one value at a time from the events of libyaml, which reads the stream."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as the library has it
        first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in Resolver.yaml_implicit_resolvers.items()
    }

    def __init__(self, file: BinaryIO) -> None:
        self._events = yaml.parse(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self._next: yaml.Event | None = None
        self._depth = self._taken = 0
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)

    def peek_event(self) -> Any:
        """Returns the next event without taking it."""
        if self._next is None:
            self._next = next(self._events, None)
        return self._next

    def check_event(self, *choices: type[yaml.Event]) -> bool:
        """Returns whether the next event is of one of these kinds."""
        return isinstance(self.peek_event(), choices)

    def get_event(self) -> Any:
        """Takes the next event. Refuses aliases, deep nesting and values without end."""
        event, self._next = self.peek_event(), None
        self._taken += 1
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise NotReadable(
                f"Line {line} has the alias '*{event.anchor}', which is not read: write the value in full.", line
            )
        self._depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if self._depth > MAX_DEPTH:
            raise NotReadable(f"Line {line} is nested too deeply: at most {MAX_DEPTH} levels are read.", line)
        if self._taken > MAX_EVENTS:
            raise NotReadable(f"The record before line {line} has more than {MAX_EVENTS:,} values.", line)
        return event

    def record(self) -> RawRecord:
        """Returns the next value as a record."""
        self._taken, line = 0, self.peek_event().start_mark.line + 1
        node = self.compose_node(None, 0)
        self.anchors = {}
        try:
            return RawRecord(line, msgspec.json.encode(self.construct_document(node)))
        except yaml.YAMLError as error:
            return RawRecord(line, b"", f"The record is not valid YAML: {_said(error)}.")
        except (ValueError, OverflowError, TypeError, RecursionError) as error:
            return RawRecord(line, b"", f"The record has a value that JSON cannot have: {str(error).rstrip('.')}.")


def read_yaml(file: BinaryIO) -> Iterator[RawRecord]:
    """Yields the items of lists, and every other document as a record."""
    loader = _Loader(file)
    try:
        loader.get_event()
        while loader.check_event(yaml.DocumentStartEvent):
            loader.get_event()
            if loader.check_event(yaml.SequenceStartEvent):
                loader.get_event()
                while not loader.check_event(yaml.SequenceEndEvent):
                    yield loader.record()
                loader.get_event()
            else:
                yield loader.record()
            loader.get_event()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        raise NotReadable(f"Line {line} is not valid YAML: {_said(error)}.", line) from None


def _said(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or " ".join(str(error).split())).rstrip(".")
