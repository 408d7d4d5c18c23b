"""A violation as a value: which invariant, a sentence, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct


class Violation(Struct, frozen=True):
    """A violated invariant."""

    invariant: str
    sentence: str
    evidence: tuple[Any, ...] = ()

    def __str__(self) -> str:
        """The sentence, then the evidence line by line."""
        return "\n    ".join([f"{self.invariant}: {self.sentence}", *map(repr, self.evidence[:12])])


Found = Iterator[Violation]
