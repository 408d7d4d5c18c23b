"""Finds launches in this node's name that it never started, because the answer to their commit was lost."""

from __future__ import annotations

import structlog

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.engine.launching.held import HeldRuns
from duetime.engine.launching.unanswered import LONGEST, UnansweredLaunches
from duetime.engine.settling.ends import Ends
from duetime.store.port import SettleStore

log = structlog.get_logger()
LIMIT = 1000


class NeverStarted:
    """Takes back launches and taken offers of this node that were never started.

    Unanswered launches are found early, by their instants. A second search is the safety net: a launch that is older
    than any answer can be late, and that this node does not know, was never started.
    """

    def __init__(
        self,
        store: SettleStore,
        ends: Ends,
        ownership: Ownership,
        clock: Clock,
        unanswered: UnansweredLaunches,
        held: HeldRuns,
    ) -> None:
        self._store, self._ends, self._ownership, self._clock = store, ends, ownership, clock
        self._unanswered, self._held = unanswered, held

    async def run_once(self) -> int:
        """Take back the launches that are found now. Returns how many."""
        taken_back = await self._unanswered.take_back()
        node, before = self._ownership.node, self._clock.now() - LONGEST
        old = await self._store.launched_before(node, before, LIMIT)
        found = [one for one in old if one.job_id not in self._held]
        if found:
            log.warning("taking back launches that were never started", launches=len(found))
            until = max(one.launched_at for one in found)
            await self._ends.by_taking_back(node, [one.job_id for one in found], until)
        return taken_back + len(found)
