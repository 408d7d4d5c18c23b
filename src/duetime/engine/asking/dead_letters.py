"""Dead letters and blocked lanes: finds those that wait for a person, and carries out the person's decision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from duetime.clock.port import Clock
from duetime.engine.asking.control import Control
from duetime.engine.intake.wake import Wake
from duetime.engine.settling.ends import Ends
from duetime.model.bounds import REDRIVEN
from duetime.model.errors import Conflict, NotFound
from duetime.model.job import DeadFilter, DeadGroup, Job, JobEdit
from duetime.model.lane import LaneState
from duetime.model.states import JobState
from duetime.store.port import DeadStore, DueStore, JobRef

"""How many jobs one call can redrive or discard."""
PARKED_REASON = "skipped by a person"
SET_ASIDE = datetime(2200, 12, 31, tzinfo=UTC)
"""The due instant of a redriven job while it is being changed: so late that it cannot start."""


class DeadLetters:
    """Carries out what people request for dead jobs, and for the lanes that dead jobs block."""

    def __init__(
        self, store: DeadStore, ends: Ends, lanes: DueStore, control: Control, wake: Wake, clock: Clock
    ) -> None:
        self._store, self._ends, self._lanes = store, ends, lanes
        self._control, self._wake, self._clock = control, wake, clock

    async def list(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Returns dead jobs, newest first."""
        return await self._store.dead(user_id, wanted)

    async def groups(self, user_id: int, wanted: DeadFilter) -> list[DeadGroup]:
        """Returns dead jobs by the class of their last failure."""
        return await self._store.groups(user_id, wanted)

    async def redrive(self, user_id: int, job_ids: Sequence[int], per_second: float | None, actor: int) -> list[int]:
        """Give dead jobs another life, all at once or at a rate. Returns the ids of those that were dead."""
        now = self._clock.now()
        spacing = 0.0 if per_second is None else 1.0 / per_second
        redriven = await self._store.redrive(user_id, job_ids, now, spacing, now, actor)
        await self._wake_owners(redriven)
        return [ref.id for ref in redriven]

    async def redrive_edited(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Give one dead job another life with other content.

        The job is redriven with a due instant in the far future, then changed, then made due now. So no run starts
        with half of the change. If this node dies in between, the job is no longer a dead letter: it waits with the
        far instant, people can see it, and `run_now` launches it.
        """
        now = self._clock.now()
        if not await self._store.redrive(user_id, [job_id], SET_ASIDE, 0.0, now, actor):
            raise Conflict(f"Job {job_id} is no longer a dead letter.")
        await self._control.edit(user_id, job_id, edit, actor)
        return await self._control.run_now(user_id, job_id, actor)

    async def discard(self, user_id: int, job_ids: Sequence[int], actor: int) -> list[int]:
        """Give dead jobs up for good. Returns the ids of those that were dead."""
        now = self._clock.now()
        discarded = await self._ends.discarded(user_id, job_ids, now, actor)
        parked = await self._store.dead(user_id, DeadFilter(ids=tuple(job_ids), limit=REDRIVEN))
        for job in parked:
            await self._control.cancel(user_id, job.id, actor)
            discarded.append(job.id)
        return discarded

    async def lanes(self, user_id: int, *, blocked: bool, limit: int) -> list[LaneState]:
        """Returns lanes with waiting jobs, or only those that wait for a person."""
        return await self._store.lanes(user_id, lane=None, blocked=blocked, limit=limit)

    async def blocked_lanes(self, user_id: int) -> int:
        """Returns how many lanes wait for a person."""
        return await self._store.blocked_lanes(user_id)

    async def lane(self, user_id: int, lane: str) -> LaneState:
        """Returns one lane."""
        found = await self._store.lanes(user_id, lane=lane, blocked=False, limit=1)
        if not found:
            raise NotFound(f"The lane {lane!r} holds no jobs.")
        return found[0]

    async def retry_head(self, user_id: int, lane: str, actor: int) -> int:
        """Give the dead job at a lane's head another life. Returns its id."""
        state = await self._blocked(user_id, lane)
        if not await self.redrive(user_id, [state.head], None, actor):
            raise Conflict(f"The lane {lane!r} is being changed by another call: try again.")
        return state.head

    async def skip_head(self, user_id: int, lane: str, actor: int) -> int:
        """Move the dead job at a lane's head to the dead letters, so that the lane continues. Returns its id."""
        state = await self._blocked(user_id, lane)
        now = self._clock.now()
        reason = state.reason or PARKED_REASON
        if not await self._ends.by_order(user_id, state.head, JobState.DEAD, reason, now, actor):
            raise Conflict(f"The lane {lane!r} is being changed by another call: try again.")
        return state.head

    async def clear(self, user_id: int, lane: str, actor: int) -> list[int]:
        """Cancel the jobs of a lane that are not in flight. Returns their ids."""
        await self.lane(user_id, lane)
        return await self._ends.lane_cleared(user_id, lane, self._clock.now(), actor)

    async def _blocked(self, user_id: int, lane: str) -> LaneState:
        state = await self.lane(user_id, lane)
        if not state.blocked:
            raise Conflict(f"The lane {lane!r} is not blocked: its first job is {state.head_state}.")
        return state

    async def _wake_owners(self, redriven: Sequence[JobRef]) -> None:
        lanes = {(ref.user_id, ref.lane) for ref in redriven if ref.lane is not None}
        ready = [ref for ref in redriven if ref.lane is None]
        if lanes:
            ready += await self._lanes.promote(list(lanes))
        self._wake.stored(ready)
