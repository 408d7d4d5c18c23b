"""Reads a long list in slices. Between them, launches, settlements and other requests get the event loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

import msgspec

from duetime.api.server.envelope import Header
from duetime.api.server.explain import Explainer, located
from duetime.api.server.lines import line_of
from duetime.api.server.unstorable import NulFound, storable
from duetime.model.errors import Malformed, TooLarge

SLICE = 64 * 1024
"""Bytes: one slice takes the decoder about a millisecond."""
NDJSON: Final = (b"application/x-ndjson", b"application/ndjson", b"application/jsonl", b"application/x-jsonlines")

_BLANK: Final = rb"[ \t\r\n]*"
_BEGIN: Final = re.compile(rb"%b\[%b" % (_BLANK, _BLANK))
_BOUNDARY: Final = re.compile(rb"\}%b,%b(?=\{%b\")" % (_BLANK, _BLANK, _BLANK))
"""What separates two objects of a list. A text or a nested list can hold the same bytes."""
_SEPARATOR: Final = re.compile(r"[ \t\r\n]*(?:,[ \t\r\n]*|(\])[ \t\r\n]*)")
_INDEX: Final = re.compile(r"^\[(\d+)\]")
_read_one = JSONDecoder().raw_decode


def is_ndjson(headers: list[Header]) -> bool:
    """Whether a body with these headers is read line by line."""
    return any(name == b"content-type" and value.lower().startswith(NDJSON) for name, value in headers)


class SliceDecoder:
    """Decodes a list of objects, JSON or NDJSON, slice by slice.

    Nothing beyond a limit is decoded: `items` raises `TooLarge` as soon as there are more than `most` objects, or one
    of them has more than `largest` bytes. It raises `Malformed` where a body is not JSON, and `Invalid` where an object
    is not of the type.
    """

    def __init__(self, item: Any, noun: str) -> None:
        self._decode = storable(msgspec.json.Decoder(list[item]).decode)
        self._decode_lines = storable(msgspec.json.Decoder(item).decode_lines, lines=True)
        self._explainer, self._noun = Explainer(list[item]), noun

    def items(self, body: bytes, headers: list[Header], most: int, largest: int) -> Iterator[list[Any]]:
        """Yields the objects of a body, some at a time."""
        count = 0
        try:
            for found in self._lines(body, largest) if is_ndjson(headers) else self._list(body, largest):
                count += len(found)
                if count > most:
                    raise TooLarge(f"There may be at most {most} {self._noun}s in one request.", limit=most)
                yield found
        except msgspec.ValidationError as error:
            raise self._explainer.explain(error, count) from None
        except NulFound as found:
            path = _INDEX.sub(lambda index: f"[{count + int(index[1])}]", found.path, count=1)
            raise located(found.sentence(path), path) from None
        except UnicodeDecodeError:
            raise Malformed("The body is not valid UTF-8.") from None
        except RecursionError:
            raise Malformed("The body is nested too deeply.") from None

    def _lines(self, body: bytes, largest: int) -> Iterator[list[Any]]:
        at, count = 0, 0
        while at < len(body):
            newline = body.find(b"\n", at + SLICE)
            end = len(body) if newline < 0 else newline
            if end - at > SLICE + largest:
                raise self._too_large(largest)
            try:
                found = self._decode_lines(body[at:end])
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                raise _malformed_line(body, at, end, count) from None
            yield found
            count, at = count + len(found), end + 1

    def _list(self, body: bytes, largest: int) -> Iterator[list[Any]]:
        """Cuts the list where two objects seem to meet. A slice that was cut in a wrong place is not JSON."""
        begin = _BEGIN.match(body)
        if begin is None:
            yield self._whole(body)
            return
        at = begin.end()
        while True:
            cut = _BOUNDARY.search(body, at + SLICE, at + SLICE + largest)
            # Without a cut, what is left is the last slice, or an object is too large: then this is not JSON either.
            try:
                found = self._decode(
                    b"[" + (body[at : at + SLICE + largest] if cut is None else body[at : cut.start() + 1] + b"]")
                )
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                yield from self._one_by_one(body[at:].decode(), largest)
                return
            yield found
            if cut is None:
                return
            at = cut.end()

    def _whole(self, body: bytes) -> list[Any]:
        if not body:
            raise Malformed("The body is empty: send JSON.")
        try:
            return self._decode(body)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            raise Malformed(f"The body is not valid JSON: {error}.") from None

    def _one_by_one(self, text: str, largest: int) -> Iterator[list[Any]]:
        """Cuts the list after every object, by reading each of them. This takes longer, and is never wrong."""
        base = start = at = end = 0
        window = text[: 2 * largest]
        last = False
        while not last:
            if at > largest and base + len(window) < len(text):
                base, start, at = base + at, start - at, 0
                window = text[base : base + 2 * largest]
            try:
                end = _read_one(window, at)[1]
            except JSONDecodeError as error:
                unfinished = error.pos >= len(window) - 1 or error.msg.startswith("Unterminated")
                if unfinished and base + len(window) < len(text):
                    raise self._too_large(largest) from None
                raise _not_json(error.msg) from None
            separator = _SEPARATOR.match(window, end)
            if separator is None:
                raise _not_json("a comma or the end of the list is missing")
            at, last = separator.end(), separator[1] is not None
            if last and base + at < len(text):
                raise _not_json("there is more after the list")
            if last or at - start > SLICE:
                yield self._decode(("[" + text[base + start : base + end] + "]").encode())
                start = at

    def _too_large(self, largest: int) -> TooLarge:
        return TooLarge(f"One {self._noun} may have at most {largest} bytes.", limit=largest)


def _not_json(what: str) -> Malformed:
    return Malformed(f"The body is not valid JSON: {what}.")


def _malformed_line(body: bytes, at: int, end: int, count: int) -> Malformed:
    """Finds the wrong line in a second pass, so that valid bodies are read only once."""
    for index, line in enumerate(filter(bytes.strip, body[at:end].split(b"\n")), count):
        try:
            msgspec.json.decode(line, type=msgspec.Raw)
        except msgspec.DecodeError as error:
            number = line_of(body, index)
            return Malformed(f"Line {number} is not valid JSON: {error}.", index=index, line=number)
    return _not_json("a line cannot be read")
