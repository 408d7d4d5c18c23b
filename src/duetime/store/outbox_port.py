"""The contract of the outbox: ends of jobs for readers that must not miss one. Obligations: see `store.port`.

The statement that ends a job writes the outbox in the same transaction, and only where a subscription asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from duetime.model.events import JobEnded
from duetime.model.states import JobState


class Subscription(Struct, frozen=True):
    """A reader's name, and the ends that it reads: those in these states, of one user or of all."""

    name: str
    states: tuple[JobState, ...]
    user_id: int | None = None


class OutboxPosition(NamedTuple):
    """How far a reader has read: a transaction, and a row within it."""

    transaction: int
    row: int


class OutboxPage(NamedTuple):
    """Ends in the order of their transactions, and the position after them. None when there is nothing to read."""

    ended: Sequence[JobEnded]
    position: OutboxPosition | None


class OutboxStore(Protocol):
    """Reads ends, each at least once."""

    async def subscribe(self, subscription: Subscription) -> None:
        """Write ends to the outbox for a subscription, from every statement that begins after this call returns.

        A repeat changes what the subscription asks for, and keeps its position. A new subscription may also read ends
        from shortly before the call.
        """
        ...

    async def unsubscribe(self, name: str) -> None:
        """Stop writing for a subscription, and forget its position. A repeat has no effect."""
        ...

    async def read(self, name: str, limit: int) -> OutboxPage:
        """Returns the next ends, of at most `limit` statements. A repeat returns them again until acknowledged."""
        ...

    async def acknowledge(self, name: str, position: OutboxPosition) -> None:
        """Move a reader to a position, never back. Deletes what every reader has acknowledged."""
        ...
