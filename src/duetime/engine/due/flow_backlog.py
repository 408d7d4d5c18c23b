"""The due jobs of one flow in memory, in launch order. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from datetime import datetime
from math import inf

from duetime.store.port import JobRef

KEPT = 250
"""How many popped entries are kept before they are deleted together."""
Entry = tuple[int, datetime, int, int, JobRef]
"""A job in its flow: minus priority, due instant, id, order of arrival, reference. Compares in launch order."""
Head = tuple[int, datetime, int, int]
"""The head of a flow: minus priority, due instant, id, flow. Compares in launch order."""


class FlowBacklog:
    """Entries in launch order, popped from the front. Most arrive in that order, in pages.

    Entries that arrive out of order are kept apart. Most of them are the next of lanes, before what was read since.
    """

    __slots__ = ("_entries", "_first", "_others")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._first = 0
        self._others: list[Entry] = []
        """In launch order too. Empty if `_entries` is."""

    def __len__(self) -> int:
        return len(self._entries) - self._first + len(self._others)

    def head(self) -> Entry:
        """Returns the first entry."""
        entry, others = self._entries[self._first], self._others
        return others[0] if others and others[0] < entry else entry

    def last(self) -> Entry:
        """Returns the last of the entries that arrived in order."""
        return self._entries[-1]

    def add(self, entry: Entry) -> None:
        """Add an entry at its position."""
        if not self._entries or entry > self._entries[-1]:
            self._entries.append(entry)
        else:
            insort(self._others, entry)

    def pop(self, limit: int, before: Head | None = None) -> list[Entry]:
        """Remove some of the first entries: at most `limit`, and only those before a position. May return []."""
        entries, others, first = self._entries, self._others, self._first
        if not entries:
            return []
        if others and others[0] < entries[first]:
            end = _up_to(others, 0, limit, entries[first], before)
            popped = others[:end]
            del others[:end]
            return popped
        end = _up_to(entries, first, limit, others[0] if others else None, before)
        popped = entries[first:end]
        self._first = end
        if end >= KEPT or end == len(entries):
            del entries[:end]
            self._first = 0
            self._fall_back_on_others()
        return popped

    def drop_last(self) -> Entry:
        """Remove and return the last of the entries that arrived in order."""
        last = self._entries.pop()
        if self._first == len(self._entries):
            self._entries.clear()
            self._first = 0
            self._fall_back_on_others()
        return last

    def _fall_back_on_others(self) -> None:
        if self._others and not self._entries:
            self._entries, self._others = self._others, []


def _up_to(entries: list[Entry], first: int, limit: int, rival: Entry | None, before: Head | None) -> int:
    """Returns the index to stop at: after `limit` entries, where `rival` is first, or at a position."""
    end = min(first + limit, len(entries))
    if rival is not None:
        end = bisect_left(entries, rival, first, end)
    return end if before is None else bisect_right(entries, (*before[:3], inf), first, end)
