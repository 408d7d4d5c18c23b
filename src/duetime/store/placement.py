"""Where a job can be stored: which shards are open, and which can be written together, all or none."""

from __future__ import annotations

from collections.abc import Callable
from secrets import randbelow
from typing import Protocol

from duetime.model.ids import SHARDS

Picker = Callable[[int, str | None], int]
"""From a user and an optional idempotency key to the shard of a job that fits in any shard."""


class Placement(Protocol):
    """The shards as intake sees them. Every answer comes from memory, so asking costs nothing."""

    @property
    def several(self) -> bool:
        """Whether there is more than one database. If not, every shard is open, and all are written together."""
        ...

    def picker(self) -> Picker:
        """Returns a picker for one request. It cycles through open shards that can be written together."""
        ...

    def part(self, shard: int) -> int:
        """Returns the part of a shard. Jobs in the same part are stored all or none."""
        ...

    def key_part(self, user_id: int, key: str) -> int:
        """Returns the part of an idempotency key."""
        ...

    def closed(self, shard: int) -> str | None:
        """Returns a sentence that says why nothing can be stored in a shard now; None when it is open."""
        ...

    async def look_again(self) -> None:
        """Read the placement again: the store found a shard closed that was open in memory."""
        ...


class SingleDatabase:
    """One database: every shard is open."""

    several = False

    def __init__(self, start: int | None = None) -> None:
        """Each node starts at a random shard, so that all nodes together use all shards alike."""
        self._next = randbelow(SHARDS) if start is None else start

    def picker(self) -> Picker:
        """Returns a picker that cycles through all shards."""
        return self._pick

    def part(self, shard: int) -> int:
        """Returns 0: there is one part."""
        return 0

    def key_part(self, user_id: int, key: str) -> int:
        """Returns 0: there is one part."""
        return 0

    def closed(self, shard: int) -> str | None:
        """Returns None: no shard is ever closed."""
        return None

    async def look_again(self) -> None:
        """Does nothing: the placement never changes."""

    def _pick(self, user_id: int, key: str | None) -> int:
        self._next = (self._next + 1) % SHARDS
        return self._next
