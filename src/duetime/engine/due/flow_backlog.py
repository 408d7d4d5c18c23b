"""A queue in memory: due jobs in the order in which they go. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from datetime import datetime
from math import inf

from duetime.store.port import JobRef

KEPT = 250
"""So many entries that were taken are kept before they are cleared away together."""
Entry = tuple[int, datetime, int, int, JobRef]
"""A job in its queue: minus priority, due instant, id, order of coming, itself; compares in the order of going."""
Head = tuple[int, datetime, int, int]
"""The first of a queue: minus priority, due instant, id, and the queue; compares in the order of going."""


class FlowBacklog:
    """Entries in the order of going, taken from the front. They mostly come in that order, in pages.

    What comes out of order is kept apart: mostly the next of lanes, which go before what was read since.
    """

    __slots__ = ("_entries", "_first", "_others")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._first = 0
        self._others: list[Entry] = []
        """In order too; there are none without entries."""

    def __len__(self) -> int:
        return len(self._entries) - self._first + len(self._others)

    def head(self) -> Entry:
        """The first."""
        entry, others = self._entries[self._first], self._others
        return others[0] if others and others[0] < entry else entry

    def last(self) -> Entry:
        """The last of those that came in order."""
        return self._entries[-1]

    def add(self, entry: Entry) -> None:
        """Put one where it belongs."""
        if not self._entries or entry > self._entries[-1]:
            self._entries.append(entry)
        else:
            insort(self._others, entry)

    def pop(self, limit: int, before: Head | None = None) -> list[Entry]:
        """Take some of the first out, so many at most, and only what goes before a place; none when there is none."""
        entries, others, first = self._entries, self._others, self._first
        if not entries:
            return []
        if others and others[0] < entries[first]:
            end = _up_to(others, 0, limit, entries[first], before)
            taken = others[:end]
            del others[:end]
            return taken
        end = _up_to(entries, first, limit, others[0] if others else None, before)
        taken = entries[first:end]
        self._first = end
        if end >= KEPT or end == len(entries):
            del entries[:end]
            self._first = 0
            self._make_up()
        return taken

    def drop_last(self) -> Entry:
        """Take out the last of those that came in order."""
        last = self._entries.pop()
        if self._first == len(self._entries):
            self._entries.clear()
            self._first = 0
            self._make_up()
        return last

    def _make_up(self) -> None:
        if self._others and not self._entries:
            self._entries, self._others = self._others, []


def _up_to(entries: list[Entry], first: int, limit: int, rival: Entry | None, before: Head | None) -> int:
    """Where to stop taking: after so many, at the first that a rival goes before, or past a place."""
    end = min(first + limit, len(entries))
    if rival is not None:
        end = bisect_left(entries, rival, first, end)
    return end if before is None else bisect_right(entries, (*before[:3], inf), first, end)
