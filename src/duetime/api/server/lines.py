"""Errors about one line of NDJSON. An index counts objects from 0; a line counts from 1, blank lines included."""

from __future__ import annotations

import re
from array import array
from typing import Final

from duetime.model.errors import DuetimeError

_NOT_BLANK: Final = re.compile(rb"[^\s][^\n]*")
_WHICH: Final = re.compile(r"^(Job|Schedule) [0-9]+: ")


class LineNumbers:
    """The number of the line that each object is in. It keeps a number for each object, and none for blank lines."""

    def __init__(self) -> None:
        self._of = array("I")
        self._next = 1

    def add(self, piece: bytes, count: int | None = None) -> None:
        """Adds the lines of one piece, which the next piece follows on a new line.

        `count` objects were found in it, if that is known: as many as lines where none is blank.
        """
        after = self._next + piece.count(b"\n") + 1
        if count == after - self._next:
            self._of.extend(range(self._next, after))
        else:
            at, number = 0, self._next
            for line in _NOT_BLANK.finditer(piece):
                number += piece.count(b"\n", at, line.start())
                at = line.start()
                self._of.append(number)
        self._next = after

    def line_of(self, index: int) -> int | None:
        """The number of the line that holds the object with an index; None where there is no such line."""
        return self._of[index] if index < len(self._of) else None


def name_line(error: DuetimeError, lines: LineNumbers) -> None:
    """Adds the line to an error that names the index of one object."""
    index = error.details.get("index")
    line = lines.line_of(index) if isinstance(index, int) else None
    if line is None or "line" in error.details:
        return
    said = _WHICH.sub("", error.message).replace(f"'[{index}].", "'", 1)
    error.details["line"], error.message = line, f"Line {line}: {said}"
