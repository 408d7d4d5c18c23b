"""Which shard a job that fits in any shard is stored in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import randbelow
from typing import Protocol

from duetime.model.ids import SHARDS

Picker = Callable[[int, str | None, Sequence[int] | None], int]
"""From a user, an optional idempotency key and the shards that the user is pinned to, to the shard of a job."""


class Placement(Protocol):
    """The shards of one database as intake sees them. Every answer comes from memory, so asking costs nothing."""

    def picker(self) -> Picker:
        """Returns a picker for one request. It cycles through open shards."""
        ...

    def closed(self, shard: int) -> bool:
        """Returns whether nothing can be stored in a shard: it lives in another database, or is just leaving."""
        ...

    async def look_again(self) -> None:
        """Read the placement again: the store found a shard closed that was open in memory."""
        ...


class SingleDatabase:
    """One database: every shard is open."""

    def __init__(self, start: int | None = None) -> None:
        """Each node starts at a random shard, so that all nodes together use all shards alike."""
        self._next = randbelow(SHARDS) if start is None else start

    def picker(self) -> Picker:
        """Returns a picker that cycles through all shards, or through those that a user is pinned to."""
        return self._pick

    def closed(self, shard: int) -> bool:
        """Returns False: no shard is ever closed."""
        return False

    async def look_again(self) -> None:
        """Does nothing: the placement never changes."""

    def _pick(self, user_id: int, key: str | None, pins: Sequence[int] | None) -> int:
        self._next = (self._next + 1) % SHARDS
        return self._next if pins is None else pins[self._next % len(pins)]
