"""Answers that lack a part: while one of several databases cannot be reached, a read answers with the others' data.

The read notes here what is missing, and the API adds it to the answer.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_missing: ContextVar[list[str] | None] = ContextVar("missing", default=None)


@contextmanager
def collect_missing() -> Generator[list[str]]:
    """Collect sentences about what could not be read within this block, also in tasks that it starts."""
    sentences: list[str] = []
    token = _missing.set(sentences)
    try:
        yield sentences
    finally:
        _missing.reset(token)


def note_missing(sentence: str) -> None:
    """Note that a part could not be read; each sentence is kept once."""
    sentences = _missing.get()
    if sentences is not None and sentence not in sentences:
        sentences.append(sentence)
