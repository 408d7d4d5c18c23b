"""Reads a long list in slices, while its bytes come. Between them, launches and other requests get the event loop."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final

import msgspec

from duetime.api.server.envelope import Header
from duetime.api.server.explain import Explainer, located
from duetime.api.server.lines import LineNumbers
from duetime.api.server.unstorable import NulFound, storable
from duetime.model.errors import Malformed, TooLarge

SLICE = 16 * 1024
"""Bytes: one slice takes the decoder some tenths of a millisecond."""
NDJSON: Final = (b"application/x-ndjson", b"application/ndjson", b"application/jsonl", b"application/x-jsonlines")

_BLANK: Final = rb"[ \t\r\n]*"
_BEGIN: Final = re.compile(rb"%b\[%b" % (_BLANK, _BLANK))
_BOUNDARY: Final = re.compile(rb"\}%b,%b(?=\{%b\")" % (_BLANK, _BLANK, _BLANK))
"""What separates two objects of a list. A text or a nested list can hold the same bytes."""
_SEPARATOR: Final = re.compile(r"[ \t\r\n]*(?:,[ \t\r\n]*|(\])[ \t\r\n]*)")
_INDEX: Final = re.compile(r"^\[(\d+)\]")
_CUT: Final = 16
"""Characters: an error this near to the end may be about a word, a number or an escape that was cut."""
_read_one = JSONDecoder().raw_decode


def is_ndjson(headers: list[Header]) -> bool:
    """Whether a body with these headers is read line by line."""
    return any(name == b"content-type" and value.lower().startswith(NDJSON) for name, value in headers)


class SliceDecoder:
    """Decodes lists of objects, JSON or NDJSON. It prepares what all bodies of a call share."""

    def __init__(self, item: Any, noun: str) -> None:
        self.decode = storable(msgspec.json.Decoder(list[item]).decode)
        self.decode_lines = storable(msgspec.json.Decoder(item).decode_lines, lines=True)
        self.explainer, self.noun = Explainer(list[item]), noun

    def items(self, body: bytes, headers: list[Header], most: int, largest: int) -> Iterator[list[Any]]:
        """Yields the objects of a whole body, some at a time."""
        return SliceReader(self, headers, most, largest).feed(body, last=True)


class SliceReader:
    """Reads one body, part by part.

    Nothing beyond a limit is decoded: `feed` raises `TooLarge` as soon as there are more than `most` objects, or one
    of them has more than `largest` bytes. It raises `Malformed` where a body is not JSON, and `Invalid` where an object
    is not of the type. Of the bytes, only the object that is not complete yet is kept.
    """

    def __init__(self, decoder: SliceDecoder, headers: list[Header], most: int, largest: int) -> None:
        self._decoder, self._most, self._largest = decoder, most, largest
        self.lines = LineNumbers() if is_ndjson(headers) else None
        """For NDJSON: the line of each object."""
        self._count = 0
        self._parts: list[bytes] = []
        self._size, self._enough = 0, 0
        """How many bytes wait, and with how many it is worth looking for the next object."""
        self._begun = self._ended = self._is_cut_exactly = False
        self._text, self._utf8 = "", getincrementaldecoder("utf-8")()

    def feed(self, part: bytes, *, last: bool) -> Iterator[list[Any]]:
        """Yields the objects that are complete with this part, some at a time."""
        self._parts.append(part)
        self._size += len(part)
        if self._size < self._enough and not last:
            return
        data = part if len(self._parts) == 1 else b"".join(self._parts)
        self._keep(b"")
        read = self._read_lines if self.lines is not None else self._read_list
        try:
            for found in read(data, last):
                self._count += len(found)
                if self._count > self._most:
                    noun = self._decoder.noun
                    raise TooLarge(f"There may be at most {self._most} {noun}s in one request.", limit=self._most)
                yield found
        except msgspec.ValidationError as error:
            raise self._decoder.explainer.explain(error, self._count) from None
        except NulFound as found:
            path = _INDEX.sub(lambda index: f"[{self._count + int(index[1])}]", found.path, count=1)
            raise located(found.sentence(path), path) from None
        except UnicodeDecodeError:
            raise Malformed("The body is not valid UTF-8.") from None
        except RecursionError:
            raise Malformed("The body is nested too deeply.") from None

    def _keep(self, rest: bytes) -> None:
        """Keeps what is not complete. To look at it again is worth it when there is twice as much."""
        self._parts = [rest] if rest else []
        self._size, self._enough = len(rest), max(SLICE, 2 * len(rest))

    def _read_lines(self, data: bytes, last: bool) -> Iterator[list[Any]]:
        at, lines = 0, self.lines or LineNumbers()
        while at < len(data):
            newline = data.find(b"\n", at + SLICE)
            end = len(data) if newline < 0 else newline
            if end - at > SLICE + self._largest:
                raise self._too_large()
            if newline < 0 and not last:
                self._keep(data[at:])
                return
            piece = data[at:end]
            try:
                found = self._decoder.decode_lines(piece)
            except (msgspec.ValidationError, NulFound):
                lines.add(piece)
                raise
            except msgspec.DecodeError:
                lines.add(piece)
                raise _malformed_line(piece, self._count, lines) from None
            lines.add(piece, len(found))
            yield found
            at = end + 1

    def _read_list(self, data: bytes, last: bool) -> Iterator[list[Any]]:
        """Cuts the list where two objects seem to meet. A slice that was cut in a wrong place is not JSON."""
        if self._is_cut_exactly:
            yield from self._read_one_by_one(data, last)
            return
        at = 0
        if not self._begun:
            begin = _BEGIN.match(data)
            if begin is None:
                if last or data.strip():
                    yield self._whole(data)
                return
            at, self._begun = begin.end(), True
        while True:
            longest = at + SLICE + self._largest
            cut = _BOUNDARY.search(data, at + SLICE, longest)
            if cut is None and not last and len(data) < longest:
                self._keep(data[at:])
                return
            # Without a cut, what is left is the last slice, or an object is too large: then this is not JSON either.
            try:
                found = self._decoder.decode(
                    b"[" + (data[at:longest] if cut is None else data[at : cut.start() + 1] + b"]")
                )
            except msgspec.ValidationError:
                raise
            except msgspec.DecodeError:
                self._is_cut_exactly = True
                yield from self._read_one_by_one(data[at:], last)
                return
            yield found
            if cut is None:
                return
            at = cut.end()

    def _whole(self, body: bytes) -> list[Any]:
        if not body:
            raise Malformed("The body is empty: send JSON.")
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            raise Malformed(f"The body is not valid JSON: {error}.") from None

    def _read_one_by_one(self, data: bytes, last: bool) -> Iterator[list[Any]]:
        """Cuts the list after every object, by reading each of them. This takes longer, and is never wrong."""
        text = self._text + self._utf8.decode(data, last)
        start = end = at = 0
        while not self._ended:
            try:
                following = _read_one(text, at)[1]
            except JSONDecodeError as error:
                if error.pos < len(text) - _CUT and not error.msg.startswith("Unterminated"):
                    raise _not_json(error.msg) from None
                if len(text) - at > self._largest:
                    raise self._too_large() from None
                if last:
                    raise _not_json(error.msg) from None
                break
            if following - at > self._largest:
                raise self._too_large()
            separator = _SEPARATOR.match(text, following)
            if separator is None:
                if not last and not text[following:].strip():
                    break
                raise _not_json("a comma or the end of the list is missing")
            end, at, self._ended = following, separator.end(), separator[1] is not None
            if at - start > SLICE:
                yield self._decoder.decode(("[" + text[start:end] + "]").encode())
                start = at
        if self._ended and text[at:].strip():
            raise _not_json("there is more after the list")
        if start < at:
            yield self._decoder.decode(("[" + text[start:end] + "]").encode())
        self._text = text[at:]
        self._enough = max(SLICE, len(self._text))

    def _too_large(self) -> TooLarge:
        return TooLarge(f"One {self._decoder.noun} may have at most {self._largest} bytes.", limit=self._largest)


def _not_json(what: str) -> Malformed:
    return Malformed(f"The body is not valid JSON: {what}.")


def _malformed_line(piece: bytes, count: int, lines: LineNumbers) -> Malformed:
    """Finds the wrong line in a second pass, so that valid bodies are read only once."""
    for index, line in enumerate(filter(bytes.strip, piece.split(b"\n")), count):
        try:
            msgspec.json.decode(line, type=msgspec.Raw)
        except msgspec.DecodeError as error:
            number = lines.line_of(index)
            return Malformed(f"Line {number} is not valid JSON: {error}.", index=index, line=number)
    return _not_json("a line cannot be read")
