"""Launch: commit the launch, then read the job's message and definition, then start the run. Always in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from duetime.bus.port import Committed, SchedulerEnd
from duetime.engine.due.pick import Pick
from duetime.engine.intake.definitions import Definitions
from duetime.engine.lanes.order import LaneOrder
from duetime.engine.launching.buses import Buses
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.node.context import NodeContext
from duetime.engine.recurring.mint import Mint, MintedBatch
from duetime.engine.settling.ends import Ends
from duetime.model.errors import StoreAway
from duetime.model.events import RunLaunched
from duetime.model.ids import NodeId, shard_of
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.port import JobRef, LaunchIntent

log = structlog.get_logger()


class Launch:
    """Turns picked jobs into runs.

    Committing first and reading second makes edits safe. An edit or a cancellation of a job needs the same lock as a
    launch (the row in `in_flight`), so what is read under this lock cannot change any more.
    """

    def __init__(
        self,
        node: NodeContext,
        definitions: Definitions,
        pick: Pick,
        lanes: LaneOrder,
        buses: Buses,
        unanswered: UnansweredLaunches,
        ends: Ends,
        expire: Callable[[LaunchedRun, Outcome], None],
        mint: Mint | None = None,
    ) -> None:
        self._definitions, self._ownership, self._events = definitions, node.ownership, node.events
        self._slots, self._local, self._beyond = buses.slots, buses.local, buses.beyond
        self._activity, self._traces = node.activity, node.traces
        self._pick, self._lanes, self._expire = pick, lanes, expire
        self._unanswered, self._ends, self._mint = unanswered, ends, mint
        self._clock, self._counts = node.clock, node.counts
        self.unanswered_jobs: set[int] = set()
        """Jobs whose launch was not confirmed, or was confirmed after the lease ended. Their runs are never started."""

    async def run(self, refs: Sequence[JobRef], pool: str) -> None:
        """Launch jobs for the executor of this process. A refused job leaves memory; the look-ahead finds it again."""
        node, now = self._ownership.node, self._unanswered.instant()
        terms, lease = self._ownership.terms, self._ownership.lease
        intents = [LaunchIntent(ref, terms[shard_of(ref.id)]) for ref in refs]
        try:
            committed, minted = await self._commit(self._local, node, now, intents, pool)
            if committed.gone:
                await self._ends.by_taking_back(node, committed.gone, now)
            runs = await as_runs(committed.here, node, self._definitions, starting=True)
        except Exception as error:
            self._leave_unanswered(refs, node, now)
            if isinstance(error, StoreAway):
                return
            raise
        if not self._ownership.still_holds(lease):
            self._leave_unanswered(refs, node, now)
            return
        self._counts.launched_here(runs, now, self._clock.now())
        if self._traces is not None:
            self._traces.launched(runs, now, self._clock.now())
        self._slots.start(in_time(runs, committed.here, now, self._expire))
        self._activity.launched(runs, now)
        if self._events.wanted(RunLaunched):
            events = [RunLaunched(run.job_id, run.user_id, run.attempt, run.due_at, now, node) for run in runs]
            self._events.publish(RunLaunched, events)
        if committed.total < len(refs):
            launched = committed.ids()
            await self._refused([ref for ref in refs if ref.id not in launched])
        if minted is not None and self._mint is not None:
            await self._mint.announce(minted)

    async def offer(self, refs: Sequence[JobRef], pool: str) -> None:
        """Launch jobs for executors elsewhere or for workers. What to run is read when they get it."""
        offers = self._beyond(pool)
        if offers is None:
            return
        node, now, terms = self._ownership.node, self._unanswered.instant(), self._ownership.terms
        intents = [LaunchIntent(ref, terms[shard_of(ref.id)]) for ref in refs]
        try:
            committed, minted = await self._commit(offers, node, now, intents, pool)
        except Exception as error:
            # The bus finds out by itself which offers were committed. An occurrence is launched in this node's name
            # first; when it was not handed over to the bus, its run was never started.
            self._leave_unanswered([ref for ref in refs if ref.schedule_id is not None], node, now)
            if isinstance(error, StoreAway):
                return
            raise
        launched = committed.elsewhere
        missed = [ref for ref in refs if ref.id not in launched]
        if launched:
            self._counts.offered([ref for ref in refs if ref.id in launched], now)
            self._activity.launched([ref for ref in refs if ref.id in launched], now)
        if launched and self._events.wanted(RunLaunched):
            self._events.publish(RunLaunched, [_offered(ref, now) for ref in refs if ref.id in launched])
        if missed:
            offers.forget([ref.id for ref in missed])
            await self._refused(missed)
        if minted is not None and self._mint is not None:
            await self._mint.announce(minted)

    async def _refused(self, refs: Sequence[JobRef]) -> None:
        await self._lanes.refused(refs, self._pick.release_blocking([ref.id for ref in refs]))

    def _apart(self, intents: list[LaunchIntent]) -> tuple[list[LaunchIntent], list[LaunchIntent]]:
        """Returns two lists: one-time jobs and retries, and first attempts of occurrences."""
        if self._mint is None:
            return intents, []
        plain = [intent for intent in intents if intent.ref.schedule_id is None or intent.ref.attempt]
        return plain, [intent for intent in intents if intent.ref.schedule_id is not None and not intent.ref.attempt]

    def _leave_unanswered(self, refs: Sequence[JobRef], node: NodeId, at: datetime) -> None:
        self.unanswered_jobs.update(ref.id for ref in refs)
        self._unanswered.add(node, at)

    async def _commit(
        self, bus: SchedulerEnd, node: NodeId, now: datetime, intents: list[LaunchIntent], pool: str
    ) -> tuple[Committed, MintedBatch | None]:
        """Launch one-time jobs and retries over the bus, and occurrences by minting.

        Minting launches an occurrence in this node's name and stores the schedule's next one, in one transaction.
        Such a launch is then handed over to the bus.
        """
        if self._mint is None or all(intent.ref.schedule_id is None for intent in intents):
            return await bus.launch(node, now, intents, pool), None
        plain, occurrences = self._apart(intents)
        committed = await bus.launch(node, now, plain, pool) if plain else Committed()
        if not occurrences:
            return committed, None
        minted = await self._mint.launch(node, now, occurrences)
        handed = await bus.hand_over(node, minted.rows, pool) if minted.rows else Committed()
        return committed.plus(handed), minted


def _offered(ref: JobRef, at: datetime) -> RunLaunched:
    return RunLaunched(ref.id, ref.user_id, ref.attempt + 1, ref.due_at, at, None)
