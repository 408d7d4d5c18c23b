"""Pages of a listing: bounded by number and by bytes, and the cursor of the next page.

Rows are read in parts, and reading ends when the page has its bytes. So neither the answer nor what is read for it
grows with the size of messages. A page may therefore have fewer items than were asked for, and a cursor.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from duetime.api.server.cursors import Listed, decode_cursor, encode_cursor
from duetime.api.server.envelope import encode
from duetime.api.server.route import Call, Listing
from duetime.engine.slices import RequestSlices

PAGE_BYTES: Final = 1024 * 1024
READ_BYTES: Final = 4 * PAGE_BYTES
"""What the rows of the first part may have at most, if each has the largest text."""
SMALL_PAGE: Final = 64 * 1024
"""Bytes of items that are encoded at once. What is larger takes turns with other requests."""
GROWTH: Final = 4
"""By how much later parts may be larger."""


class PageQuery(Protocol):
    """A query for a page."""

    @property
    def limit(self) -> int:
        """How many items the page may have."""
        ...

    @property
    def cursor(self) -> str | None:
        """The `next_cursor` of the previous page."""
        ...


class HasId(Protocol):
    """Anything that is listed by id."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


T = TypeVar("T", bound=HasId)


class Searched(NamedTuple, Generic[T]):
    """Rows that were found, and the id down to which was searched; None if that was to the end."""

    found: Sequence[T]
    floor: int | None


def after_id(kind: Listed, cursor: str | None) -> int:
    """The id that a page begins after, in a listing with the lowest id first."""
    return 0 if cursor is None else decode_cursor(kind, cursor)


def before_id(kind: Listed, cursor: str | None) -> int | None:
    """The id that a page begins below, in a listing with the newest first; None for the first page."""
    return None if cursor is None else decode_cursor(kind, cursor)


def page(kind: Listed, found: Sequence[T], limit: int, view: Callable[[T], object]) -> Listing:
    """Small rows that were found, as they are shown. A full page has a cursor."""
    more = encode_cursor(kind, found[-1].id) if len(found) >= limit else None
    return Listing([view(one) for one in found], more)


async def read_page(
    kind: Listed,
    call: Call[Any, Any],
    read: Callable[[int | None, int], Awaitable[Sequence[T] | Searched[T]]],
    view: Callable[[T], object],
    *,
    largest: int | None = None,
) -> Listing:
    """Reads rows in parts, until the page has as many items as were asked for, or its bytes.

    `read` gets the id that the part begins after, and how many rows it may have. A search that ended early (`Searched`)
    ends the page, which then has a cursor, even without items. A row has about `largest` bytes at
    most; if not given, those of the largest message.
    """
    query: PageQuery = call.query
    largest = largest or call.services.settings.max_message_bytes
    items, size = list[msgspec.Raw](), 0
    last = None if query.cursor is None else decode_cursor(kind, query.cursor)
    first = part = max(1, min(query.limit, READ_BYTES // largest))
    slices: RequestSlices | None = None
    async with call.parts.page_reads.turn(call.user.id):
        while True:
            answer = await read(last, part)
            found, floor = answer if isinstance(answer, Searched) else Searched(answer, None)
            for one in found:
                item = encode(view(one))
                size += len(item)
                if items and size > PAGE_BYTES:
                    return Listing(items, encode_cursor(kind, last or 0))
                items.append(msgspec.Raw(item))
                last = one.id
                if size > SMALL_PAGE:
                    slices = slices or RequestSlices(call.services.clock)
                    await slices.pause()
            if len(found) < part:
                return Listing(items, None if floor is None else encode_cursor(kind, floor))
            if len(items) >= query.limit:
                return Listing(items, encode_cursor(kind, last or 0))
            # As many as should fit by those so far. Not many more, as the next ones may all be the largest.
            fitting = (PAGE_BYTES - size) * len(items) // max(1, size) + 1
            part = max(1, min(query.limit - len(items), fitting, GROWTH * first))
