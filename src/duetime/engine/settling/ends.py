"""Every end of a job passes here: by a run's outcome, by a person's order, by a skip, or by taking back a launch."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from duetime.engine.due.pick import Pick
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.wake import Wake
from duetime.engine.launching.held import HeldRuns
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.reports import EndReports
from duetime.model.errors import StoreAway
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.store.port import Cancelled, ControlStore, DeadStore, DueStore, Ending, LaunchStore, SettleStore
from duetime.store.workflow_port import WorkflowStore


class EndStores(NamedTuple):
    """The ports with verbs that end jobs: `finish`, `withdraw`, `cancel_many`, `discard`, `clear_lane`, `unlaunch`."""

    settle: SettleStore
    control: ControlStore
    dead: DeadStore
    launch: LaunchStore


class Ends:
    """Ends jobs. Each method calls one verb of the store, which also writes the outbox where a subscription asks.

    After the store has confirmed an end, the job's slot, flow and lane are released and `JobEnded` is published.
    """

    def __init__(
        self,
        stores: EndStores,
        lanes: DueStore,
        pick: Pick,
        held: HeldRuns,
        reports: EndReports,
        wake: Wake,
        node: NodeContext,
        definitions: Definitions,
        workflows: WorkflowStore | None = None,
    ) -> None:
        self._definitions, self._workflows = definitions, workflows
        self._stores, self._lanes, self._pick, self._held = stores, lanes, pick, held
        self._reports, self._wake, self._events = reports, wake, node.events
        self._counts, self._activity = node.counts, node.activity

    async def by_outcome(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> set[int]:
        """End jobs by the outcomes of their last runs. The caller promotes the next jobs of many lanes at a time.

        Returns the jobs whose outcomes were refused, because another holder had settled the run.
        """
        settled = await self._finish(endings, settlements)
        self._pick.release(settled)
        self._reports.recorded(settled, final=True)
        refused: set[int] = set()
        if len(settled) < len(endings):
            late = [ending for ending in endings if ending.job_id not in settled]
            refused = {ending.job_id for ending in late}
            self._refuse(late)
            endings = [ending for ending in endings if ending.job_id in settled]
        self._counts.ended_by_outcome(endings, settlements)
        self._activity.settled(endings, settlements)
        if self._events.wanted(JobEnded):
            self._publish(endings, settlements)
        return refused

    async def by_order(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> JobEnded | None:
        """End a job that a person cancels before it runs. Returns None when it is in flight, finished or unknown."""
        withdrawn = await self._stores.control.withdraw(user_id, job_id, state, reason, now, actor)
        if withdrawn is None:
            return None
        ended = withdrawn.ended[0]
        self._reports.withdrawn(job_id)
        self._announce(withdrawn.ended)
        self._wake.stored(withdrawn.released)
        if ended.lane is not None:
            await self._promote(user_id, ended.lane)
        return ended

    async def by_orders(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
        """Cancel jobs that wait, and request it of those that run. Jobs that have ended are left alone."""
        cancelled = await self._stores.control.cancel_many(user_id, job_ids, now, actor)
        for one in cancelled.ended:
            self._reports.withdrawn(one.job_id)
        self._announce(cancelled.ended)
        self._wake.stored(cancelled.released)
        lanes = {(user_id, one.lane) for one in cancelled.ended if one.lane is not None}
        if lanes:
            self._wake.stored(await self._lanes.promote(list(lanes)))
        return cancelled

    async def discarded(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[int]:
        """Discard dead letters in history. Returns the ids of those that were dead."""
        ended = await self._stores.dead.discard(user_id, job_ids, now, actor)
        self._announce(ended)
        return [one.job_id for one in ended]

    async def lane_cleared(self, user_id: int, lane: str, now: datetime, actor: int) -> list[int]:
        """End every job of a lane that is not in flight. Returns their ids."""
        ended = await self._stores.dead.clear_lane(user_id, lane, now, actor)
        self._announce(ended)
        await self._promote(user_id, lane)
        return [one.job_id for one in ended]

    def by_workflow(self, ended: Sequence[JobEnded]) -> None:
        """Publish the ends of steps that ended because their workflow did."""
        for one in ended:
            self._reports.withdrawn(one.job_id)
        self._announce(ended)

    def skipped(self, ended: Sequence[JobEnded]) -> None:
        """Publish the ends of pending occurrences that a plan skipped, in the transaction that minted the next ones."""
        self._announce(ended)

    def parked(self, ended: Sequence[JobEnded]) -> None:
        """Publish the ends of jobs that are dead and block their lanes."""
        self._announce(ended)

    async def by_taking_back(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> None:
        """Take back launches that were never started. Jobs with a request to cancel end as cancelled."""
        self._announce(await self._stores.launch.unlaunch(node, job_ids, until))

    async def _finish(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> set[int]:
        """Store ends. Steps of workflows have a verb of their own, which also releases the steps that wait for them."""
        if self._workflows is None or not self._definitions.has_steps:
            return await self._stores.settle.finish(endings)
        steps = {one.run.job_id for one in settlements if one.run.definition.step is True}
        plain = [one for one in endings if one.job_id not in steps]
        settled = await self._stores.settle.finish(plain) if plain else set[int]()
        if len(plain) < len(endings):
            try:
                done = await self._workflows.finish([one for one in endings if one.job_id in steps])
            except StoreAway:
                # It may be stored all the same, and no owner has heard of the steps that it released.
                self._wake.lost()
                raise
            settled |= done.settled
            self._announce(done.skipped)
            self._wake.stored(done.released)
        return settled

    def _announce(self, ended: Sequence[JobEnded]) -> None:
        self._counts.ended_otherwise(ended)
        self._activity.ended(ended)
        self._events.publish(JobEnded, ended)

    async def _promote(self, user_id: int, lane: str) -> None:
        self._wake.stored(await self._lanes.promote([(user_id, lane)]))

    def _refuse(self, endings: Sequence[Ending]) -> None:
        """Release runs that another holder has settled. A later attempt that this node holds stays held."""
        self._counts.refused += len(endings)
        gone = [one.job_id for one in endings if not self._held.later_than(one.job_id, one.attempt)]
        self._pick.release(gone)
        self._reports.not_held(gone)

    def _publish(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> None:
        runs: dict[int, LaunchedRun] = {one.run.job_id: one.run for one in settlements}
        ended = [
            JobEnded(
                one.job_id,
                runs[one.job_id].user_id,
                one.state,
                one.attempt,
                one.started_at,
                one.finished_at,
                one.reason,
                runs[one.job_id].schedule_id,
                runs[one.job_id].lane,
            )
            for one in endings
        ]
        self._events.publish(JobEnded, ended)
