"""Pages of a listing: the id that a page begins after, and the cursor of the next page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from duetime.api.server.cursors import decode_cursor, encode_cursor
from duetime.api.server.route import Listing


class HasId(Protocol):
    """Anything that is listed by id."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


T = TypeVar("T", bound=HasId)


def after_id(kind: str, cursor: str | None) -> int:
    """The id that a page begins after, in a listing with the lowest id first."""
    return 0 if cursor is None else decode_cursor(kind, cursor)


def before_id(kind: str, cursor: str | None) -> int | None:
    """The id that a page begins below, in a listing with the newest first; None for the first page."""
    return None if cursor is None else decode_cursor(kind, cursor)


def page(kind: str, found: Sequence[T], limit: int, view: Callable[[T], object]) -> Listing:
    """What was found, as it is shown. A full page has a cursor."""
    more = encode_cursor(kind, found[-1].id) if len(found) >= limit else None
    return Listing([view(one) for one in found], more)
