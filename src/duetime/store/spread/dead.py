"""Dead letters and lanes of several databases."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from duetime.model.errors import StoreAway
from duetime.model.events import JobEnded
from duetime.model.ids import shard_of
from duetime.model.job import DeadFilter, Job
from duetime.model.lane import LaneState
from duetime.store.port import JobRef
from duetime.store.spread.insight import newest
from duetime.store.spread.members import Members
from duetime.store.spread.places import SpreadPlaces


class SpreadDead:
    """`DeadStore` over several databases. Dead letters move with their shards, so that they can live again there."""

    def __init__(self, members: Members, places: SpreadPlaces) -> None:
        self._members, self._places = members, places

    async def dead(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Dead jobs, newest first."""
        pages = await self._members.each(lambda stores: stores.dead.dead(user_id, wanted))
        return newest(self._members, pages, wanted.limit)

    async def redrive(
        self, user_id: int, job_ids: Sequence[int], first_at: datetime, spacing: float, now: datetime, actor: int
    ) -> list[JobRef]:
        """Give dead jobs another life, in each database at its part of the pace."""
        self._refuse_closed(job_ids)
        back: list[JobRef] = []
        for member, some in self._members.by_member(job_ids, shard_of).items():
            first = first_at + timedelta(seconds=spacing * job_ids.index(some[0]))
            apart = spacing * len(job_ids) / len(some)
            back += await member.ask(
                lambda stores, ids=some, at=first, gap=apart: stores.dead.redrive(user_id, ids, at, gap, now, actor)
            )
        return back

    async def discard(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
        """Give dead jobs up for good."""
        self._refuse_closed(job_ids)
        gone: list[JobEnded] = []
        for member, some in self._members.by_member(job_ids, shard_of).items():
            gone += await member.ask(lambda stores, ids=some: stores.dead.discard(user_id, ids, now, actor))
        return gone

    async def lanes(self, user_id: int, *, lane: str | None, blocked: bool, limit: int) -> list[LaneState]:
        """Lanes by name."""
        if lane is not None:
            member = self._members.of_lane(user_id, lane)
            return await member.ask(lambda stores: stores.dead.lanes(user_id, lane=lane, blocked=blocked, limit=limit))
        pages = await self._members.everyone(
            lambda stores: stores.dead.lanes(user_id, lane=None, blocked=blocked, limit=limit)
        )
        found = {one.lane: one for page in pages for one in page}
        return [found[name] for name in sorted(found)][:limit]

    async def blocked_lanes(self, user_id: int) -> int:
        """How many lanes wait for a person."""
        return sum(await self._members.everyone(lambda stores: stores.dead.blocked_lanes(user_id)))

    async def clear_lane(self, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
        """Cancel everything in a lane that is not in flight."""
        member = self._members.of_lane(user_id, lane)
        return await member.ask(lambda stores: stores.dead.clear_lane(user_id, lane, now, actor))

    def _refuse_closed(self, job_ids: Sequence[int]) -> None:
        """Before anything is changed: all of these can be reached, or none is touched."""
        for job_id in job_ids:
            closed = self._places.closed(shard_of(job_id))
            if closed is not None:
                raise StoreAway(closed)
