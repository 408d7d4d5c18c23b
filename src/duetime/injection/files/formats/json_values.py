"""JSON: a list of objects, or objects one after the other. They are found one by one, so memory stays small."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from duetime.injection.files.formats.port import MAX_RECORD_BYTES, NotReadable, RawRecord

PIECE = 256 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")
_scan = json.JSONDecoder().raw_decode


class _Text:
    """A window on the text of a file, which grows while a value does not end in it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._decode = file, codecs.getincrementaldecoder("utf-8-sig")().decode
        self.text, self.at, self.line, self.ended = "", 0, 1, False
        self._counted = 0

    def skip_space(self) -> str:
        """Go to the next character that is no space. Returns it; empty at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr] - it matches the empty text
            if self.at < len(self.text) or not self.more():
                self._count()
                return self.text[self.at : self.at + 1]

    def value(self) -> str:
        """Returns the text of the JSON value here, and goes behind it."""
        while True:
            try:
                found, end = _scan(self.text, self.at)
            except json.JSONDecodeError as error:
                problem = error
            except RecursionError:
                raise NotReadable(f"Line {self.line}: The record is nested too deeply.", self.line) from None
            else:
                # A number at the end of the window may go on.
                if end < len(self.text) or isinstance(found, dict) or not self.more():
                    text, self.at = self.text[self.at : end], end
                    return text
                continue
            if len(self.text) - self.at > MAX_RECORD_BYTES:
                raise NotReadable(
                    f"Line {self.line}: The record is longer than {MAX_RECORD_BYTES // 1024**2} MiB, or does not end.",
                    self.line,
                )
            if not _may_continue(problem, self.text) or not self.more():
                line = self.line + self.text.count("\n", self.at, problem.pos)
                raise NotReadable(f"Line {line} is not valid JSON: {problem.msg}.", line)

    def more(self) -> bool:
        """Read a piece. As much again as there is, so that a long value is not scanned too often."""
        if self.ended:
            return False
        self._count()
        piece = self._file.read(max(PIECE, len(self.text) - self.at))
        self.ended = not piece
        try:
            self.text = self.text[self.at :] + self._decode(piece, final=self.ended)
        except UnicodeDecodeError:
            line = self.line + self.text.count("\n", self.at)
            raise NotReadable(f"After line {line} the file is not text in UTF-8.", line) from None
        self.at = self._counted = 0
        return bool(piece)

    def _count(self) -> None:
        self.line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at


def read_json(file: BinaryIO) -> Iterator[RawRecord]:
    """Yields the objects of a list, or of the file itself."""
    text = _Text(file)
    is_list = text.skip_space() == "["
    if is_list:
        text.at += 1
        if text.skip_space() == "]":
            text.at += 1
            _end(text)
            return
    while text.skip_space():
        line = text.line
        yield RawRecord(line, text.value().encode())
        following = text.skip_space()
        if not is_list:
            continue
        if following not in (",", "]"):
            raise NotReadable(f"Line {text.line} is not valid JSON: a comma or ']' is missing.", text.line)
        text.at += 1
        if following == "]":
            _end(text)
            return
    if is_list:
        raise NotReadable(f"Line {text.line} ends the file within the list: it is not complete.", text.line)


def _may_continue(problem: json.JSONDecodeError, text: str) -> bool:
    """Returns whether more text can end a value: it breaks off at the end of the window, or within a string."""
    return problem.pos >= len(text) - 16 or problem.msg.startswith("Unterminated string")


def _end(text: _Text) -> None:
    if text.skip_space():
        raise NotReadable(f"Line {text.line} has text behind the list.", text.line)
