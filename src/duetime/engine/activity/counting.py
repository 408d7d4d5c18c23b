"""Counts launches and ends where they happen, in memory, and stores the sums every few seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from duetime.clock.port import Clock
from duetime.engine.events import Events
from duetime.engine.recurring.plan import BEYOND, FOLDED, MISSED
from duetime.model.activity import (
    BUCKETS,
    EVERYBODY,
    FIRST_BITS,
    HOUR,
    MINUTE,
    ActivityRow,
    plus,
    start_of,
    trimmed,
)
from duetime.model.events import Event, InstantsSkipped, JobEnded
from duetime.model.ids import JobId
from duetime.model.run import Settlement
from duetime.model.states import JobState
from duetime.store.activity_port import ActivityStore
from duetime.store.port import Ending

KEEP_MINUTES: Final = timedelta(hours=3, minutes=5)
DROP_EVERY: Final = timedelta(minutes=1)
FEW: Final = 500
"""Up to so many rows are stored every turn. More users at once wait for every fifth turn."""
TURNS: Final = 5
MISFIRES: Final = frozenset({MISSED, FOLDED, BEYOND})
_LAUNCHED, _FAILED, _MISSED = 0, 2, 7
_COLUMN: Final = {
    JobState.SUCCEEDED: 1,
    JobState.DEAD: 3,
    JobState.CANCELLED: 4,
    JobState.SKIPPED: 5,
    JobState.LOST: 6,
}
SUCCEEDED: Final = JobState.SUCCEEDED
Key = tuple[int, int, datetime]


class Launching(Protocol):
    """A run or a job that is launched."""

    @property
    def user_id(self) -> int:
        """Its user."""
        ...

    @property
    def due_at(self) -> datetime:
        """When it was due."""
        ...


class _Sums:
    """The sums of one user in one minute."""

    __slots__ = ("counts", "lateness", "worst")

    def __init__(self) -> None:
        self.counts, self.lateness, self.worst = [0] * 8, [0] * BUCKETS, 0


class Activity:
    """Sums that are not stored yet. Adding a job costs a fraction of a microsecond, and no statement."""

    def __init__(self, store: ActivityStore, clock: Clock, keep_hours: timedelta, events: Events) -> None:
        self._store, self._clock, self._keep_hours = store, clock, keep_hours
        self._sums: dict[tuple[datetime, int], _Sums] = {}
        self._minute, self._minute_until = start_of(clock.now(), MINUTE), clock.now()
        self._turn = 0
        self._dropped_at: datetime | None = None
        events.listen([InstantsSkipped], self._skipped)

    def launched(self, runs: Iterable[Launching], at: datetime) -> None:
        """Count launches that were committed at an instant."""
        last, sums = -1, None
        for run in runs:
            user = run.user_id
            if sums is None or user != last:
                last, sums = user, self._of(user, at)
            late = at - run.due_at
            micros = (late.days * 86_400 + late.seconds) * 1_000_000 + late.microseconds
            if micros < 0:
                micros = 0
            bucket = (micros * micros).bit_length() - FIRST_BITS
            sums.lateness[0 if bucket < 0 else bucket if bucket < BUCKETS else BUCKETS - 1] += 1
            sums.counts[_LAUNCHED] += 1
            if micros > sums.worst:
                sums.worst = micros

    def settled(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> None:
        """Count runs that ended their jobs."""
        now = self._clock.now()
        states, users = [one[3] for one in endings], {one.run.user_id for one in settlements}
        if len(users) == 1 and states.count(SUCCEEDED) == len(states):
            self._of(users.pop(), now).counts[1] += len(states)
            return
        user_of = {one.run.job_id: one.run.user_id for one in settlements}
        for one in endings:
            self._of(user_of[JobId(one.job_id)], now).counts[_COLUMN[one.state]] += 1

    def ended(self, ends: Sequence[JobEnded]) -> None:
        """Count jobs that ended in any other way."""
        now = self._clock.now()
        for one in ends:
            counts = self._of(one.user_id, now).counts
            counts[_COLUMN[one.state]] += 1
            if one.state is JobState.SKIPPED and one.reason in MISFIRES:
                counts[_MISSED] += 1

    def again(self, users: Iterable[int]) -> None:
        """Count attempts that were followed by another."""
        now = self._clock.now()
        for user_id in users:
            self._of(user_id, now).counts[_FAILED] += 1

    async def run_once(self) -> None:
        """Store the sums, and drop old ones."""
        self._turn += 1
        if self._sums and (len(self._sums) <= FEW or self._turn % TURNS == 0):
            await self.store()
        now = self._clock.now()
        if self._dropped_at is None or now - self._dropped_at >= DROP_EVERY:
            await self._store.drop(now - KEEP_MINUTES, now - self._keep_hours)
            self._dropped_at = now

    async def store(self) -> None:
        """Store all sums now. What could not be stored is added to the next ones."""
        if not self._sums:
            return
        taken, self._sums = self._sums, {}
        try:
            await self._store.add(_rows(taken))
        except BaseException:
            for key, sums in taken.items():
                self._add(key, sums)
            raise

    def _of(self, user_id: int, at: datetime) -> _Sums:
        if not self._minute <= at < self._minute_until:
            self._minute = start_of(at, MINUTE)
            self._minute_until = self._minute + timedelta(seconds=MINUTE)
        key = self._minute, user_id
        sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = _Sums()
        return sums

    def _add(self, key: tuple[datetime, int], more: _Sums) -> None:
        sums = self._sums.setdefault(key, _Sums())
        sums.counts = [one + other for one, other in zip(sums.counts, more.counts, strict=True)]
        sums.lateness = [one + other for one, other in zip(sums.lateness, more.lateness, strict=True)]
        sums.worst = max(sums.worst, more.worst)

    async def _skipped(self, events: Sequence[Event]) -> None:
        now = self._clock.now()
        for one in events:
            if isinstance(one, InstantsSkipped):
                counts = self._of(one.user_id, now).counts
                counts[_COLUMN[JobState.SKIPPED]] += 1
                if one.reason in MISFIRES:
                    counts[_MISSED] += one.number or 1


def _rows(taken: dict[tuple[datetime, int], _Sums]) -> list[ActivityRow]:
    """Returns the rows to add: of minutes and hours, of each user and of all together."""
    minutes = [_row(user, at, sums) for (at, user), sums in taken.items()]
    minutes += _grouped(minutes, lambda row: (EVERYBODY, MINUTE, row.at))
    return minutes + _grouped(minutes, lambda row: (row.user_id, HOUR, start_of(row.at, HOUR)))


def _row(user_id: int, at: datetime, sums: _Sums) -> ActivityRow:
    launched, succeeded, failed, dead, cancelled, skipped, lost, missed = sums.counts
    ends = succeeded, failed, dead, cancelled, skipped, lost, missed
    return ActivityRow(user_id, MINUTE, at, launched, *ends, trimmed(sums.lateness), sums.worst / 1e6)


def _grouped(rows: Sequence[ActivityRow], key: Callable[[ActivityRow], Key]) -> list[ActivityRow]:
    groups: dict[Key, list[ActivityRow]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [plus(some, *one) for one, some in groups.items()]
