"""Presence: what a node says of itself, so that others know what it can do."""

from __future__ import annotations

from collections.abc import Callable

from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.model.ids import NodeId
from duetime.store.offer_port import Abilities, OfferStore


class Presence:
    """Reports when there is something new: a new id after a new lease, other slots free."""

    def __init__(self, store: OfferStore, ownership: Ownership, hints: Hints, report: Callable[[], Abilities]) -> None:
        self._store, self._ownership, self._hints, self._report = store, ownership, hints, report
        self._node = NodeId(0)
        self._said: Abilities | None = None

    async def run_once(self) -> None:
        """Say it, if it was not said already."""
        node, report = self._ownership.node, self._report()
        if (node, report) == (self._node, self._said):
            return
        first = node != self._node
        await self._store.report(node, report, first=first)
        self._node, self._said = node, report
        if first:
            self._hints.send("executors", "")
