"""Presence: a node reports what it can do, so that other nodes know it."""

from __future__ import annotations

from collections.abc import Callable

from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.model.ids import NodeId
from duetime.store.offer_port import Abilities, OfferStore


class Presence:
    """Reports what has changed, such as the node id after a new lease or the number of free slots."""

    def __init__(self, store: OfferStore, ownership: Ownership, hints: Hints, report: Callable[[], Abilities]) -> None:
        self._store, self._ownership, self._hints, self._report = store, ownership, hints, report
        self._node = NodeId(0)
        self._reported: Abilities | None = None

    async def run_once(self) -> None:
        """Report, unless the last report says the same."""
        node, report = self._ownership.node, self._report()
        if (node, report) == (self._node, self._reported):
            return
        first = node != self._node
        await self._store.report(node, report, first=first)
        self._node, self._reported = node, report
        if first:
            self._hints.send("executors", "")
