"""Strays: launches in this node's name that it knows nothing of, because the answer to their commit was lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import structlog

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.store.port import LaunchStore, SettleStore

log = structlog.get_logger()
LIMIT = 1000
STRAY_AFTER = timedelta(seconds=40)
"""Longer than any statement can take: by then what is not known here was never started."""


class Strays:
    """Gives back what was launched or taken for this node and never started."""

    def __init__(
        self,
        store: SettleStore,
        launches: LaunchStore,
        ownership: Ownership,
        clock: Clock,
        known: Callable[[int], bool],
    ) -> None:
        self._store, self._launches, self._ownership, self._clock = store, launches, ownership, clock
        self._known = known

    async def run_once(self) -> int:
        """Give back what is found; how many."""
        node, before = self._ownership.node, self._clock.now() - STRAY_AFTER
        old = await self._store.launched_before(node, before, LIMIT)
        strays = [one.job_id for one in old if not self._known(one.job_id)]
        if strays:
            log.warning("launches that were never started are given back", launches=len(strays))
            await self._launches.unlaunch(node, strays)
        return len(strays)
