"""The health of a node with several cells: it is ready while one of them is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from duetime.engine.node.health import DatabaseHealth, Health, Readiness


class CellsHealth:
    """Asks every cell's `Health`. A cell whose database is away stops alone: the node stays ready with the others."""

    def __init__(self, healths: Sequence[Health], databases: Callable[[], list[DatabaseHealth]]) -> None:
        self._healths, self._databases = tuple(healths), databases

    @property
    def stopping(self) -> bool:
        """Whether this node is stopping."""
        return self._healths[0].stopping

    @stopping.setter
    def stopping(self, stopping: bool) -> None:
        for one in self._healths:
            one.stopping = stopping

    async def readiness(self) -> Readiness:
        """Returns the present state, from memory: a call costs nothing."""
        found = [await one.readiness() for one in self._healths]
        ready = any(one.ready for one in found)
        reasons = [] if ready else list(dict.fromkeys(reason for one in found for reason in one.reasons))
        return Readiness(ready, reasons, self._databases())
