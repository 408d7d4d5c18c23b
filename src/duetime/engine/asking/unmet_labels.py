"""Unmet labels: waiting jobs show the required labels if no living executor has them, so that people see why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from duetime.clock.port import Clock
from duetime.model.errors import StoreAway
from duetime.model.job import Job
from duetime.model.labels import ANY, meets, pool_of
from duetime.model.states import JobState
from duetime.model.user import User
from duetime.store.offer_port import Executor, OfferStore

REMEMBERED_SECONDS = 1.0


class UnmetLabels:
    """Finds unmet labels. Reads the executors at most once a second, and only if a job to show requires labels."""

    def __init__(self, store: OfferStore, user: Callable[[int], Awaitable[User | None]], clock: Clock) -> None:
        self._store, self._user, self._clock = store, user, clock
        self._until = 0.0
        self._executors: list[Executor] = []

    async def shown(self, jobs: Sequence[Job]) -> list[Job]:
        """Returns the jobs, with `waiting_for` set where labels are unmet."""
        return [await self._shown(job) for job in jobs]

    async def _shown(self, job: Job) -> Job:
        if job.state is not JobState.CREATED:
            return job
        user = await self._user(job.user_id)
        own, rule = job.definition.policy.requires or {}, (user and user.requires) or {}
        pool = pool_of(own, rule)
        if pool == ANY or any(meets(one.labels, pool) for one in await self._living()):
            return job
        return replace(job, waiting_for={**own, **rule})

    async def _living(self) -> list[Executor]:
        now = self._clock.monotonic()
        if now >= self._until:
            try:
                self._executors = await self._store.executors()
            except StoreAway:
                return self._executors
            self._until = now + REMEMBERED_SECONDS
        return self._executors
