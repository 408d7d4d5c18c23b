"""Errors about one line of NDJSON. An index counts objects from 0; a line counts from 1, blank lines included."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from duetime.model.errors import DuetimeError

_NOT_BLANK: Final = re.compile(rb"[^\s][^\n]*")
_WHICH: Final = re.compile(r"^(Job|Schedule) [0-9]+: ")


def line_of(body: bytes, index: int) -> int | None:
    """The number of the line that holds the object with an index; None where there is no such line."""
    line = next(islice(_NOT_BLANK.finditer(body), index, None), None)
    return None if line is None else body.count(b"\n", 0, line.start()) + 1


def name_line(error: DuetimeError, body: bytes) -> None:
    """Adds the line to an error that names the index of one object."""
    index = error.details.get("index")
    line = line_of(body, index) if isinstance(index, int) else None
    if line is None or "line" in error.details:
        return
    said = _WHICH.sub("", error.message).replace(f"'[{index}].", "'", 1)
    error.details["line"], error.message = line, f"Line {line}: {said}"
