"""Measures: gauges that a node reads now and then from the store and the cluster, for its metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.engine.node.oldest_due import OldestDue
from duetime.metrics import catalogue
from duetime.metrics.counts import Sample
from duetime.metrics.user_counts import UserCounts
from duetime.model.user import User
from duetime.store.signal_port import ScheduleStanding, SignalStore, Standing, WorkerStanding

COUNTED = 10_000
"""Up to how many dead letters and blocked lanes are counted."""
STANDING_EVERY, SCHEDULES_EVERY = 15.0, 60.0


class Measures:
    """Reads what one engine's metrics need from its store. A scrape reads only memory, and never waits."""

    def __init__(
        self,
        store: SignalStore | None,
        census: Census | None,
        clock: Clock,
        *,
        user: Callable[[int], Awaitable[User | None]],
        oldest: OldestDue | None = None,
        users: UserCounts | None = None,
        schedules: int = 0,
    ) -> None:
        """`user` returns a user by id. `oldest` is None without a scheduler."""
        self._store, self._census, self._clock = store, census, clock
        self._user, self._oldest, self._users, self._most_schedules = user, oldest, users, schedules
        self._unowned: int | None = None
        self._standing: Standing | None = None
        self._workers: WorkerStanding | None = None
        self._schedules: list[tuple[str, ScheduleStanding]] = []
        """With the names of their users."""
        self._counted_at = self._scheduled_at = float("-inf")

    async def run_once(self) -> None:
        """Read what is due to be read."""
        if self._oldest is not None:
            await self._oldest.look(self._clock.now())
        if self._census is not None:
            self._unowned = await self._census.orphaned()
        if self._users is not None:
            for user_id in self._users.nameless():
                self._users.names[user_id] = await self._name(user_id)
        if self._store is None:
            return
        now = self._clock.monotonic()
        if now - self._counted_at >= STANDING_EVERY:
            self._standing, self._counted_at = await self._store.standing(COUNTED), now
            self._workers = await self._store.workers()
        if self._most_schedules and now - self._scheduled_at >= SCHEDULES_EVERY:
            found = await self._store.schedules(self._most_schedules)
            self._schedules, self._scheduled_at = [(await self._name(one.user_id), one) for one in found], now

    def samples(self) -> Iterator[Sample]:
        """Returns what the last reads found."""
        if self._oldest is not None:
            due = self._oldest.instant
            age = 0.0 if due is None else max(0.0, (self._clock.now() - due).total_seconds())
            yield Sample(catalogue.OLDEST_DUE, (), age)
        if self._unowned is not None:
            yield Sample(catalogue.SHARDS_UNOWNED, (), self._unowned)
        if self._standing is not None:
            yield Sample(catalogue.DEAD_LETTERS, (), self._standing.dead_letters)
            yield Sample(catalogue.BLOCKED_LANES, (), self._standing.blocked_lanes)
        if (workers := self._workers) is not None:
            yield Sample(catalogue.WORKERS, ("active",), workers.active)
            yield Sample(catalogue.WORKERS, ("draining",), workers.draining)
            yield Sample(catalogue.WORKER_SLOTS, ("used",), workers.slots - workers.free)
            yield Sample(catalogue.WORKER_SLOTS, ("free",), workers.free)
        for user, one in self._schedules:
            succeeded = 0.0 if one.last_success is None else one.last_success.timestamp()
            yield Sample(catalogue.SCHEDULE_LAST_SUCCESS, (user, one.schedule), succeeded)
            yield Sample(catalogue.SCHEDULE_WITHOUT_SUCCESS, (user, one.schedule), one.ends_since_success)

    async def _name(self, user_id: int) -> str:
        found = await self._user(user_id)
        return str(user_id) if found is None else found.username
