"""Pages of a listing: where one begins, and where the next one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from duetime.api.server.cursors import decode_cursor, encode_cursor
from duetime.api.server.route import Listing


class Numbered(Protocol):
    """Something with an id."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


T = TypeVar("T", bound=Numbered)


def position(kind: str, cursor: str | None) -> int:
    """After which id a page of a listing by id begins."""
    return 0 if cursor is None else decode_cursor(kind, cursor)


def page(kind: str, found: Sequence[T], limit: int, view: Callable[[T], object]) -> Listing:
    """What was found, as it is shown; a full page says where to go on."""
    more = encode_cursor(kind, found[-1].id) if len(found) >= limit else None
    return Listing([view(one) for one in found], more)
