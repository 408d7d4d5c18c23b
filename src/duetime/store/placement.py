"""Where a job can be stored: which shards are open, and which are stored together, all or none."""

from __future__ import annotations

from collections.abc import Callable
from secrets import randbelow
from typing import Protocol

from duetime.model.ids import SHARDS

Picker = Callable[[int, str | None], int]
"""From user and idempotency key, if there is one, to the shard of a job that may go anywhere."""


class Placement(Protocol):
    """The shards as whoever stores jobs sees them, from memory: asking costs nothing."""

    @property
    def several(self) -> bool:
        """Whether there is more than one database; if not, everything is open and stored together."""
        ...

    def picker(self) -> Picker:
        """For one request: shards in turn that are open, and stored together."""
        ...

    def part(self, shard: int) -> int:
        """What is in the same part is stored all or none."""
        ...

    def key_part(self, user_id: int, key: str) -> int:
        """The part that an idempotency key is in."""
        ...

    def closed(self, shard: int) -> str | None:
        """Why nothing can be stored in a shard now, as a sentence."""
        ...

    async def look_again(self) -> None:
        """The store found a shard closed that was taken to be open: learn what is so now."""
        ...


class SingleDatabase:
    """One database: everything is open."""

    several = False

    def __init__(self, start: int | None = None) -> None:
        """Nodes start anywhere, so that together they use all shards alike."""
        self._next = randbelow(SHARDS) if start is None else start

    def picker(self) -> Picker:
        """Every shard in turn."""
        return self._pick

    def part(self, shard: int) -> int:
        """There is only one."""
        return 0

    def key_part(self, user_id: int, key: str) -> int:
        """There is only one."""
        return 0

    def closed(self, shard: int) -> str | None:
        """Never."""
        return None

    async def look_again(self) -> None:
        """There is nothing to learn."""

    def _pick(self, user_id: int, key: str | None) -> int:
        self._next = (self._next + 1) % SHARDS
        return self._next
