"""What an answer lacks: while one database of several is away, reads answer with the rest and say so here."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_missing: ContextVar[list[str] | None] = ContextVar("missing", default=None)


@contextmanager
def noting_what_is_missing() -> Generator[list[str]]:
    """Sentences about what could not be read within this block, in tasks started from it too."""
    found: list[str] = []
    token = _missing.set(found)
    try:
        yield found
    finally:
        _missing.reset(token)


def missing(sentence: str) -> None:
    """Something could not be read."""
    found = _missing.get()
    if found is not None and sentence not in found:
        found.append(sentence)
