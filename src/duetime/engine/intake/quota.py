"""Quotas: how much a user may have waiting, and which shards its jobs may use. Checked before jobs are accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import OverLimit, TooLarge
from duetime.model.job import NewJob
from duetime.model.states import JobState
from duetime.model.user import User

LOOK_EVERY = 1.0
OPEN_STATES = (JobState.CREATED, JobState.QUEUED, JobState.RUNNING, JobState.SUSPENDED)


class _Waiting(Struct):
    """How many jobs a user has waiting: those counted, plus those accepted since."""

    jobs: int


class Quota:
    """Checks users' quotas. A count is at most a second old; jobs that this node accepted since are added to it."""

    def __init__(
        self,
        clock: Clock,
        user: Callable[[int], Awaitable[User | None]],
        stats: Callable[[int], Awaitable[dict[JobState, int]]],
    ) -> None:
        self._user, self._stats = user, stats
        self._pins: dict[int, tuple[int, ...]] = {}
        self._waiting = BriefCache(self._count, clock, seconds=LOOK_EVERY)

    async def check(self, jobs: Sequence[NewJob]) -> None:
        """Refuse jobs that would exceed a quota of their user."""
        for user_id, count in Counter(job.user_id for job in jobs).items():
            user = await self._user(user_id)
            if user is None:
                continue
            if user.pinned_to:
                self._pins[user_id] = user.pinned_to
            else:
                self._pins.pop(user_id, None)
            if user.quotas is not None:
                await self._check_user(user, count, jobs)

    async def check_schedules(self, user_id: int, more: int, count: Callable[[int], Awaitable[int]]) -> None:
        """Refuse new schedules that would exceed a quota. Schedules are counted only if the user has such a quota."""
        user = await self._user(user_id)
        most = None if user is None or user.quotas is None else user.quotas.schedules
        if most is None or not more:
            return
        have = await count(user_id)
        if have + more > most:
            raise OverLimit(
                f"You may have {most} schedules, and you have {have}: delete some first.",
                retry_after=LOOK_EVERY,
                quota="schedules",
                limit=most,
            )

    def shard(self, user_id: int, proposed: int) -> int:
        """Returns the shard for a job without a lane: the proposed one, or one of those that the user is pinned to."""
        pins = self._pins.get(user_id)
        return proposed if pins is None else pins[proposed % len(pins)]

    async def _check_user(self, user: User, count: int, jobs: Sequence[NewJob]) -> None:
        quotas = user.quotas
        if quotas is None:
            return
        if quotas.payload_bytes is not None:
            largest = max(len(job.message.encode()) for job in jobs if job.user_id == user.id)
            if largest > quotas.payload_bytes:
                raise TooLarge(
                    f"Your messages may have at most {quotas.payload_bytes} bytes; one has {largest}.",
                    quota="payload_bytes",
                    limit=quotas.payload_bytes,
                )
        if quotas.pending_jobs is not None:
            waiting = await self._waiting.of(user.id)
            if waiting.jobs + count > quotas.pending_jobs:
                raise OverLimit(
                    f"You may have {quotas.pending_jobs} waiting jobs, and you have {waiting.jobs}: "
                    "wait until some have run.",
                    retry_after=LOOK_EVERY,
                    quota="pending_jobs",
                    limit=quotas.pending_jobs,
                )
            waiting.jobs += count

    async def _count(self, user_id: int) -> _Waiting:
        stats = await self._stats(user_id)
        return _Waiting(sum(stats.get(state, 0) for state in OPEN_STATES))
