"""`OutboxStore` in memory. Every end is a statement of its own here."""

from __future__ import annotations

from duetime.store.outbox_port import OutboxPage, OutboxPosition, Subscription
from simulation.memory.link import Link
from simulation.memory.tables import Subscriber, Tables


class MemoryOutbox:
    """Ends for readers that must not miss one."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def subscribe(self, subscription: Subscription) -> None:
        """Have ends written."""
        await self._link.call("subscribe", lambda: _subscribe(self._tables, subscription))

    async def unsubscribe(self, name: str) -> None:
        """Stop writing for a subscription."""
        await self._link.call("unsubscribe", lambda: unsubscribe(self._tables, name))

    async def read(self, name: str, limit: int) -> OutboxPage:
        """The next ends."""
        return await self._link.call("read", lambda: read(self._tables, name, limit))

    async def acknowledge(self, name: str, position: OutboxPosition) -> None:
        """Move a reader on."""
        await self._link.call("acknowledge", lambda: acknowledge(self._tables, name, position))


def _subscribe(tables: Tables, asked: Subscription) -> None:
    known = tables.subscribers.get(asked.name)
    read_until = tables.number("outbox") if known is None else known.read_until
    tables.subscribers[asked.name] = Subscriber(asked.states, asked.user_id, read_until)


def unsubscribe(tables: Tables, name: str) -> None:
    """Remove a reader."""
    tables.subscribers.pop(name, None)
    _clear(tables)


def read(tables: Tables, name: str, limit: int) -> OutboxPage:
    """The next ends of a reader."""
    reader = tables.subscribers.get(name)
    rows = [] if reader is None else [row for row in tables.outbox if row[0] > reader.read_until][:limit]
    if reader is None or not rows:
        return OutboxPage([], None)
    return OutboxPage([ended for _, ended in rows if reader.wants(ended)], OutboxPosition(rows[-1][0], 0))


def acknowledge(tables: Tables, name: str, position: OutboxPosition) -> None:
    """Move a reader on."""
    reader = tables.subscribers.get(name)
    if reader is not None:
        reader.read_until = max(reader.read_until, position.transaction)
    _clear(tables)


def _clear(tables: Tables) -> None:
    """Delete what no subscription has still to read."""
    oldest = min((one.read_until for one in tables.subscribers.values()), default=None)
    tables.outbox[:] = [] if oldest is None else [row for row in tables.outbox if row[0] > oldest]
