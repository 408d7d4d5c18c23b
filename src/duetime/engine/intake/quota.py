"""Quotas: how much a user may have, and which shards its jobs may use. Checked before anything is accepted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from msgspec import structs

from duetime.clock.port import Clock
from duetime.engine.intake.counted import LOOK_EVERY, Counted, CountedBytes
from duetime.model.errors import OverLimit, TooLarge
from duetime.model.job import NewJob
from duetime.model.states import JobState
from duetime.model.user import Quotas, Usage, User

OPEN_STATES = (JobState.CREATED, JobState.QUEUED, JobState.RUNNING, JobState.SUSPENDED)


class QuotaCounts(NamedTuple):
    """How the things that have quotas are counted."""

    stats: Callable[[int], Awaitable[dict[JobState, int]]]
    usage: Callable[[int], Awaitable[Usage]]
    schedules: Callable[[int], Awaitable[int]]
    message_bytes: Callable[[int], Awaitable[int]]
    other_definitions: Callable[[int, Sequence[bytes]], Awaitable[int]]


class Quota:
    """Checks users' quotas. Near a quota, counts are at most a second old; what this node accepted since is added."""

    def __init__(
        self,
        clock: Clock,
        user: Callable[[int], Awaitable[User | None]],
        counts: QuotaCounts,
        defaults: Quotas | None = None,
    ) -> None:
        """`defaults` are for users without a quota of their own."""
        self._user, self._counts, self._defaults = user, counts, defaults or Quotas()
        self._pins: dict[int, tuple[int, ...]] = {}
        self._pending = Counted(self._count_pending, clock)
        self._schedules = Counted(counts.schedules, clock, every=0.0)
        self._definitions = Counted(lambda user_id: counts.other_definitions(user_id, ()), clock)
        self.bytes = CountedBytes(counts.message_bytes, clock)

    def of(self, user: User) -> Quotas:
        """Returns the quotas that count for a user: its own, and the defaults where it has none."""
        if user.quotas is None:
            return self._defaults
        own = {name: value for name, value in structs.asdict(user.quotas).items() if value is not None}
        return structs.replace(self._defaults, **own)

    async def used(self, user_id: int) -> Usage:
        """Returns what a user has of the things that have quotas."""
        usage = await self._counts.usage(user_id)
        pending = await self._count_pending(user_id)
        return structs.replace(usage, pending_jobs=pending, stored_bytes=self.bytes.known(user_id))

    async def check(self, jobs: Sequence[NewJob]) -> None:
        """Refuse jobs that would exceed a quota of their user."""
        users = {job.user_id for job in jobs}
        for user_id in users:
            user = await self._user(user_id)
            if user is None:
                continue
            if user.pinned_to:
                self._pins[user_id] = user.pinned_to
            elif self._pins:
                self._pins.pop(user_id, None)
            await self._check_user(user, jobs if len(users) == 1 else [j for j in jobs if j.user_id == user_id])

    async def check_schedules(self, user_id: int, more: int, *, keep: bool = True) -> None:
        """Refuse new schedules that would exceed a quota. Without `keep` they are not stored next."""
        most = await self._most(user_id, "schedules")
        if most is None or not more:
            return
        have = await self._schedules.admit(user_id, more, most, keep=keep)
        if have is not None:
            raise _beyond_quota(
                "schedules", most, f"You may have {most} schedules, and you have {have}: delete some first."
            )

    async def check_calendar(self, user_id: int, dates: int, before: int | None = None) -> None:
        """Refuse a calendar that would exceed a quota; `before` is how many dates a calendar has that is changed."""
        user = await self._user(user_id)
        quotas = self._defaults if user is None else self.of(user)
        if quotas.calendars is None and quotas.calendar_dates is None:
            return
        used = await self._counts.usage(user_id)
        most = quotas.calendars
        if before is None and most is not None and used.calendars >= most:
            raise _beyond_quota(
                "calendars", most, f"You may have {most} calendars, and you have {used.calendars}: delete some first."
            )
        most, have = quotas.calendar_dates, used.calendar_dates - (before or 0)
        if most is not None and have + dates > most:
            raise _beyond_quota(
                "calendar_dates", most, f"Your calendars may have {most} dates together; this makes {have + dates}."
            )

    async def check_definitions(self, user_id: int, hashes: Sequence[bytes]) -> None:
        """Refuse definitions that would exceed a quota, except those that are stored already."""
        most = await self._most(user_id, "definitions")
        if most is None or await self._definitions.admit(user_id, len(hashes), most) is None:
            return
        others = await self._counts.other_definitions(user_id, hashes)
        if others + len(hashes) > most:
            raise _beyond_quota(
                "definitions",
                most,
                f"Your jobs may have {most} different targets with policies, and have {others} beside these. Those "
                "that no job uses are removed with the history.",
            )

    async def read_pins(self, user_id: int) -> tuple[int, ...] | None:
        """Returns the shards that a user is pinned to; None for all."""
        user = await self._user(user_id)
        return (user and user.pinned_to) or None

    def pins(self, user_id: int) -> tuple[int, ...] | None:
        """Returns the shards that a user is pinned to, as the last check read them; None for all."""
        return self._pins.get(user_id)

    def shard(self, user_id: int, proposed: int) -> int:
        """Returns the shard for a job without a lane: the proposed one, or one of those that the user is pinned to."""
        pins = self._pins.get(user_id)
        return proposed if pins is None else pins[proposed % len(pins)]

    async def _most(self, user_id: int, name: str) -> int | None:
        user = await self._user(user_id)
        return getattr(self._defaults if user is None else self.of(user), name)

    async def _check_user(self, user: User, jobs: Sequence[NewJob]) -> None:
        quotas = self.of(user)
        if quotas.payload_bytes is not None:
            largest = max(len(job.message.encode()) for job in jobs)
            if largest > quotas.payload_bytes:
                raise TooLarge(
                    f"Your messages may have at most {quotas.payload_bytes} bytes; one has {largest}.",
                    quota="payload_bytes",
                    limit=quotas.payload_bytes,
                )
        most = quotas.pending_jobs
        if most is not None:
            have = await self._pending.admit(user.id, len(jobs), most)
            if have is not None:
                raise _beyond_quota(
                    "pending_jobs",
                    most,
                    f"You may have {most} waiting jobs, and you have {have}: wait until some have run.",
                )
        most = quotas.stored_bytes
        if most is not None:
            have = await self.bytes.admit(user.id, sum([len(job.message) for job in jobs]), most)
            if have is not None:
                raise _beyond_quota(
                    "stored_bytes",
                    most,
                    f"The messages of your waiting jobs may have {most} bytes together, and have {have}: wait until "
                    "some have run.",
                )

    async def _count_pending(self, user_id: int) -> int:
        stats = await self._counts.stats(user_id)
        return sum(stats.get(state, 0) for state in OPEN_STATES)


def _beyond_quota(quota: str, most: int, message: str) -> OverLimit:
    return OverLimit(message, retry_after=LOOK_EVERY, quota=quota, limit=most)
