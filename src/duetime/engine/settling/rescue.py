"""Rescue: settle runs whose holder has lost its lease. At-least-once is tried again, at-most-once is lost."""

from __future__ import annotations

import structlog

from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.launch import Launch
from duetime.engine.launching.never_started import NeverStarted
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.settling.settle import Settle, Settlement
from duetime.engine.settling.verdict import CRASH
from duetime.engine.signal import Signal
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import failed
from duetime.model.run import LaunchedRun
from duetime.store.port import SettleStore

log = structlog.get_logger()
LIMIT = 1000
CRASHED = failed(CRASH, "The executor went away before the attempt ended.")


class Rescue:
    """Settles runs in the name of holders that no longer can, and takes back unanswered launches."""

    def __init__(
        self,
        store: SettleStore,
        ends: Ends,
        definitions: Definitions,
        node: NodeContext,
        settle: Settle,
        launch: Launch,
        never_started: NeverStarted,
        pick: Pick,
        due: LookAhead,
        signal: Signal,
    ) -> None:
        """`signal` wakes the scheduler: there may be more jobs to launch."""
        self._store, self._ends, self._definitions = store, ends, definitions
        self._ownership, self._clock, self._settle, self._launch = node.ownership, node.clock, settle, launch
        self._never_started, self._pick, self._due, self._signal = never_started, pick, due, signal
        self._counts = node.counts

    async def run_once(self) -> int:
        """Rescue the runs that are found now. Returns how many."""
        await self._take_back_unanswered()
        orphans = await self._store.orphans(self._ownership.held, LIMIT)
        if not orphans:
            return 0
        wanted = {orphan.definition_id for orphan in orphans if orphan.definition_id is not None}
        definitions = await self._definitions.by_ids(wanted)
        now, settlements = self._clock.now(), list[Settlement]()
        for orphan in orphans:
            if orphan.definition_id is None or orphan.execute_at is None:
                await self._ends.by_taking_back(NodeId(orphan.executor), [orphan.job_id], orphan.launched_at)
                continue
            run = LaunchedRun(
                job_id=JobId(orphan.job_id),
                user_id=UserId(orphan.user_id),
                attempt=orphan.attempt,
                definition_id=DefinitionId(orphan.definition_id),
                definition=definitions[orphan.definition_id],
                message="",
                execute_at=orphan.execute_at,
                due_at=orphan.execute_at,
                executor=NodeId(orphan.executor),
                lane=orphan.lane,
                base_attempt=orphan.base_attempt or 0,
                flow=orphan.flow or 0,
            )
            settlements.append(Settlement(run, CRASHED, None, now, orphan.cancel))
        self._counts.rescued += len(orphans)
        log.warning("rescuing runs whose executor lost its lease", runs=len(orphans))
        await self._settle.record(settlements)
        return len(orphans)

    async def _take_back_unanswered(self) -> None:
        """Take back unanswered launches, whose runs were never started, and look again for their jobs.

        This repeats with every call for as long as such launches can appear.
        """
        unanswered = list(self._launch.unanswered_jobs)
        taken_back = await self._never_started.run_once()
        self._launch.unanswered_jobs.difference_update(unanswered)
        self._pick.release_blocking(unanswered)
        if unanswered or taken_back:
            self._due.look_everywhere()
            self._signal()
