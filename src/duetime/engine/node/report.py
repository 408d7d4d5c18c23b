"""Report: this node reports its state for people to see, and learns in return whether it is being drained."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.engine.due.backlog import Backlog

log = structlog.get_logger()


class Report:
    """Writes the node's lag and clock skew beside its lease, and learns whether it is being drained."""

    def __init__(
        self, census: Census, ownership: Ownership, backlog: Backlog, skew: Callable[[], float], max_skew: float
    ) -> None:
        self._census, self._ownership, self._backlog = census, ownership, backlog
        self._skew, self._max_skew = skew, max_skew
        self._warned = False

    async def run_once(self) -> None:
        """Write one report."""
        skew = self._skew()
        self._warn(skew)
        oldest = self._backlog.oldest() if self._ownership.count else None
        node = self._ownership.node
        draining = await self._census.report(node, oldest, skew)
        if draining is not None and node == self._ownership.node:
            self._ownership.draining = draining

    def _warn(self, skew: float) -> None:
        wrong = abs(skew) > self._max_skew
        if wrong and not self._warned:
            log.warning("this machine's clock is far from the database's: correct it", seconds=round(skew))
        self._warned = wrong
