"""Finding something by what a person calls it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeVar

from duetime.model.errors import NotFound


class Numbered(Protocol):
    """Something with an id."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


T = TypeVar("T", bound=Numbered)


async def find(kind: str, entries: AsyncIterator[T], wanted: str, name: Callable[[T], str]) -> T:
    """The one with a name, else the one with that id."""
    by_id: T | None = None
    async for entry in entries:
        if name(entry) == wanted:
            return entry
        if str(entry.id) == wanted:
            by_id = entry
    if by_id is None:
        raise NotFound(f"There is no {kind} '{wanted}'.")
    return by_id
