"""Launch: commit the run, then read what it is to do, then hand it on. In this order, always."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from duetime.bus.port import Bus, OfferBus
from duetime.coordination.ownership import Ownership
from duetime.engine.due.pick import Pick
from duetime.engine.events import Events
from duetime.engine.intake.definitions import Definitions
from duetime.engine.lanes.order import LaneOrder
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.recurring.mint import Mint, MintedBatch
from duetime.engine.settling.ends import Ends
from duetime.model.errors import StoreAway
from duetime.model.events import RunLaunched
from duetime.model.ids import NodeId, shard_of
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.port import JobRef, Launched, LaunchIntent, LaunchStore

log = structlog.get_logger()


class Launch:
    """Turns picked jobs into runs on the bus.

    Committing first and reading second is what makes edits safe: whoever edits or cancels a job holds
    the same lock as a launch (the row in `in_flight`), so what is read under it cannot change any more.
    """

    def __init__(
        self,
        store: LaunchStore,
        definitions: Definitions,
        ownership: Ownership,
        pick: Pick,
        lanes: LaneOrder,
        bus: Bus,
        unanswered: UnansweredLaunches,
        events: Events,
        ends: Ends,
        expire: Callable[[LaunchedRun, Outcome], None],
        mint: Mint | None = None,
        offers: OfferBus | None = None,
    ) -> None:
        self._store, self._definitions, self._ownership = store, definitions, ownership
        self._pick, self._lanes, self._bus, self._expire = pick, lanes, bus, expire
        self._unanswered, self._events, self._ends, self._mint, self._offers = unanswered, events, ends, mint, offers
        self.unanswered: set[int] = set()
        """Jobs whose launch may or may not have been committed, or came too late for the lease; never sent."""

    async def run(self, refs: Sequence[JobRef]) -> None:
        """Launch these. What could not be launched leaves memory; it is found again where it belongs."""
        node, now = self._ownership.node, self._unanswered.instant()
        terms, standing = self._ownership.terms, self._ownership.standing
        intents = [LaunchIntent(ref, terms[shard_of(ref.id)]) for ref in refs]
        try:
            (rows, gone), minted = await self._commit(node, now, intents)
            if gone:
                await self._ends.by_taking_back(node, gone, now)
            runs = await as_runs(rows, node, self._definitions)
        except Exception as error:
            self._leave_unanswered(refs, node, now)
            if isinstance(error, StoreAway):
                return
            raise
        if not self._ownership.stands(standing):
            self._leave_unanswered(refs, node, now)
            return
        self._bus.send(in_time(runs, rows, now, self._expire))
        if self._events.wanted(RunLaunched):
            launched = [RunLaunched(run.job_id, run.user_id, run.attempt, run.due_at, now, node) for run in runs]
            self._events.publish(RunLaunched, launched)
        if len(rows) < len(refs):
            sent = {row.id for row in rows}
            await self._refused([ref for ref in refs if ref.id not in sent])
        if minted is not None and self._mint is not None:
            await self._mint.announce(minted)

    async def offer(self, refs: Sequence[JobRef], pool: str) -> None:
        """Launch these for executors elsewhere. What they are to do is read by whoever takes them."""
        offers = self._offers
        if offers is None:
            return
        node, now, terms = self._ownership.node, self._unanswered.instant(), self._ownership.terms
        intents = [LaunchIntent(ref, terms[shard_of(ref.id)]) for ref in refs]
        try:
            launched, minted = await self._commit_offers(offers, node, now, intents, pool)
        except Exception as error:
            # An offer stands by itself, and the bus finds out which do; what was not handed over was never sent.
            self._leave_unanswered([ref for ref in refs if ref.schedule_id is not None], node, now)
            if isinstance(error, StoreAway):
                return
            raise
        missed = [ref for ref in refs if ref.id not in launched]
        if launched:
            offers.announce()
            if self._events.wanted(RunLaunched):
                self._events.publish(RunLaunched, [_offered(ref, now) for ref in refs if ref.id in launched])
        if missed:
            offers.forget([ref.id for ref in missed])
            await self._refused(missed)
        if minted is not None and self._mint is not None:
            await self._mint.announce(minted)

    async def _commit_offers(
        self, offers: OfferBus, node: NodeId, now: datetime, intents: list[LaunchIntent], pool: str
    ) -> tuple[set[int], MintedBatch | None]:
        """As `_commit` does; what a schedule's transaction launched for this node is handed over after it."""
        plain, occurrences = self._apart(intents)
        launched = await offers.offer(node, now, plain, pool) if plain else set[int]()
        if not occurrences or self._mint is None:
            return launched, None
        minted = await self._mint.launch(node, now, occurrences)
        going = minted.launched
        if going:
            await offers.hand_over(node, list(going), pool)
        return launched | going, minted

    async def _refused(self, refs: Sequence[JobRef]) -> None:
        await self._lanes.refused(refs, self._pick.release_blocking([ref.id for ref in refs]))

    def _apart(self, intents: list[LaunchIntent]) -> tuple[list[LaunchIntent], list[LaunchIntent]]:
        """One-time jobs and retries, and occurrences of schedules."""
        if self._mint is None:
            return intents, []
        plain = [intent for intent in intents if intent.ref.schedule_id is None or intent.ref.attempt]
        return plain, [intent for intent in intents if intent.ref.schedule_id is not None and not intent.ref.attempt]

    def _leave_unanswered(self, refs: Sequence[JobRef], node: NodeId, at: datetime) -> None:
        self.unanswered.update(ref.id for ref in refs)
        self._unanswered.add(node, at)

    async def _commit(
        self, node: NodeId, now: datetime, intents: list[LaunchIntent]
    ) -> tuple[Launched, MintedBatch | None]:
        """One-time jobs by a plain launch; occurrences by one that mints the next in the same transaction."""
        if self._mint is None or all(intent.ref.schedule_id is None for intent in intents):
            return await self._store.launch(node, now, intents), None
        plain, occurrences = self._apart(intents)
        launched = await self._store.launch(node, now, plain) if plain else Launched([], [])
        if not occurrences:
            return launched, None
        minted = await self._mint.launch(node, now, occurrences)
        return Launched(launched.rows + minted.rows, launched.gone), minted


def _offered(ref: JobRef, at: datetime) -> RunLaunched:
    return RunLaunched(ref.id, ref.user_id, ref.attempt + 1, ref.due_at, at, None)
