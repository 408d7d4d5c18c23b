"""What to find in logs, and what was found. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from duetime.model.errors import Invalid
from duetime.model.states import JobState

Level = Literal["debug", "info", "warning", "error"]

SHOWN_LINES: Final = 10
"""How many matching lines of one chunk are shown."""
SHOWN_CHARACTERS: Final = 1000
"""How much of a matching line is shown."""
MAX_TERMS: Final = 20

_ERROR = ("error", "fatal", "critical", "panic")
_WARNING = ("warning", "warn", *_ERROR)
_INFO = ("info", "notice", *_WARNING)
LEVELS: Final[Mapping[Level, tuple[str, ...]]] = {
    "error": _ERROR,
    "warning": _WARNING,
    "info": _INFO,
    "debug": ("debug", "trace", *_INFO),
}
"""The words by which a line is known to be of a level, or of a higher one."""

_TERM = re.compile(r'"([^"]*)"?|([^\s"]+)')
_HAS_WORD = re.compile(r"[^\W_]")


class LogFilter(Struct, frozen=True):
    """Which lines are meant; without any field, all of them."""

    terms: tuple[str, ...] = ()
    """Words, and phrases of several words. A line has all of them."""
    level: Level | None = None
    job_id: int | None = None
    schedule_id: int | None = None
    labels: Mapping[str, str] | None = None
    statuses: tuple[JobState, ...] = ()
    """Of the jobs, which have ended then; empty: whatever became of them."""
    from_: datetime | None = None
    """Stored at this instant or later."""
    before: datetime | None = None
    """Stored before this instant."""
    limit: int = 50
    """How many chunks to return. Chunks that were stored at the same instant stay together, so there may be more."""


class LogLine(NamedTuple):
    """A line that matches."""

    number: int
    """Its number in the log of its attempt, from 1."""
    text: str


class LogHit(Struct, frozen=True):
    """Lines of one attempt that were stored together, and those of them that match."""

    job_id: int
    attempt: int
    at: datetime
    """When they were stored."""
    matches: int
    lines: tuple[LogLine, ...]
    """The first of the lines that match."""


class LogPage(NamedTuple):
    """Hits, newest first, and the instant down to which was searched; None if that was to the end."""

    hits: list[LogHit]
    floor: datetime | None


def first_of(hits: list[LogHit], limit: int) -> LogPage | None:
    """Returns the page of the first hits; None if these are fewer. Hits of the same instant stay together."""
    if len(hits) < limit:
        return None
    kept = [hit for hit in hits if hit.at >= hits[limit - 1].at]
    return LogPage(kept, kept[-1].at)


def terms_of(text: str) -> tuple[str, ...]:
    """Returns the words and the "quoted phrases" of a search. Raises `Invalid` for one that no line can match."""
    found = tuple(phrase or word for phrase, word in _TERM.findall(text) if phrase or word)
    for term in found:
        if not _HAS_WORD.search(term):
            raise Invalid(f"'{term[:80]}' has no letter and no digit: logs are searched by words.", field="q")
    if len(found) > MAX_TERMS:
        raise Invalid(f"A search may have at most {MAX_TERMS} words and phrases, not {len(found)}.", field="q")
    if not found and text:
        raise Invalid("'q' must have a word to search for.", field="q")
    return found
