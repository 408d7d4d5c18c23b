"""The contract of the outbox: ends of jobs for readers that must not miss one. See `store.port` for what holds for all.

The statement that ends a job writes the outbox in the same transaction, and only where a subscription asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct

from duetime.model.events import JobEnded
from duetime.model.states import JobState


class Subscription(Struct, frozen=True):
    """Who reads, and which ends: those in these states, of one user or of all."""

    name: str
    states: tuple[JobState, ...]
    user_id: int | None = None


class OutboxPosition(NamedTuple):
    """How far a reader has read: a transaction, and a row within it."""

    transaction: int
    row: int


class OutboxPage(NamedTuple):
    """Ends in the order of their transactions, and the position after them; None when there was nothing to read."""

    ended: Sequence[JobEnded]
    position: OutboxPosition | None


class OutboxStore(Protocol):
    """Reading ends, at least once."""

    async def subscribe(self, subscription: Subscription) -> None:
        """Have ends written that are recorded by statements which begin after this call returns.

        A repeat changes what the subscription asks for and keeps how far it has read. A new one may also read ends
        from shortly before.
        """
        ...

    async def unsubscribe(self, name: str) -> None:
        """Stop writing for a subscription, and forget how far it has read. Repeats are harmless."""
        ...

    async def read(self, name: str, limit: int) -> OutboxPage:
        """The next ends, of at most `limit` statements. A repeat returns them again until they are acknowledged."""
        ...

    async def acknowledge(self, name: str, position: OutboxPosition) -> None:
        """Everything up to a position is dealt with. What every reader has dealt with is deleted."""
        ...
