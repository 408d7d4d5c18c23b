"""Activity: how many jobs were launched, how late, and how they ended, by minute and by hour. Pure.

Lateness is counted in buckets, each about 1.41 times as wide as the one before it, from 64 µs to hours. So sums over
minutes, users and nodes stay exact, and a percentile read from them is off by 42 % at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

MINUTE, HOUR = 60, 3600
EVERYBODY: Final = 0
"""Stands for all users together."""
FIRST_BITS: Final = 12
"""Bits of the square of 64 µs: everything below is in the first bucket."""
BUCKETS: Final = 60
_SECOND = timedelta(seconds=1)


class ActivityRow(NamedTuple):
    """What happened to a user's jobs within one minute or hour: the columns of the type `activity_row`."""

    user_id: int
    span: int
    at: datetime
    launched: int = 0
    succeeded: int = 0
    failed: int = 0
    """Attempts that were followed by another."""
    dead: int = 0
    cancelled: int = 0
    skipped: int = 0
    lost: int = 0
    missed: int = 0
    """Instants of schedules that the misfire policy left out."""
    lateness: Sequence[int] = ()
    """How many launches were in each bucket."""
    worst: float = 0.0
    """The largest lateness, in seconds."""


class UserLaunches(NamedTuple):
    """How many jobs of a user were launched."""

    user_id: int
    launched: int


def bucket_of(microseconds: int) -> int:
    """Returns the bucket of a lateness: the square of a number has a bit more for each half of a doubling."""
    return min(max((microseconds * microseconds).bit_length() - FIRST_BITS, 0), BUCKETS - 1)


def percentile(lateness: Sequence[int], part: float) -> float | None:
    """Returns the seconds that this part of all launches was not later than; None without launches."""
    total = sum(lateness)
    if not total:
        return None
    left = part * total
    for bucket, count in enumerate(lateness):
        if count and left <= count:
            low = 0.0 if bucket == 0 else _edge(bucket - 1)
            return low + (_edge(bucket) - low) * max(left, 0.0) / count
        left -= count
    return _edge(len(lateness) - 1)


def _edge(bucket: int) -> float:
    """Returns the upper end of a bucket, in seconds."""
    return 2 ** ((bucket + FIRST_BITS) / 2) / 1e6


def start_of(instant: datetime, span: int) -> datetime:
    """Returns the beginning of the minute or hour of an instant."""
    seconds = int(instant.timestamp())
    return datetime.fromtimestamp(seconds - seconds % span, UTC)


def plus(rows: Iterable[ActivityRow], user_id: int, span: int, at: datetime) -> ActivityRow:
    """Returns the sum of rows, as one row of this user and time."""
    sums, lateness, worst = [0] * 8, [0] * BUCKETS, 0.0
    for row in rows:
        for number, count in enumerate(row[3:11]):
            sums[number] += count
        for bucket, count in enumerate(row.lateness):
            lateness[bucket] += count
        worst = max(worst, row.worst)
    launched, succeeded, failed, dead, cancelled, skipped, lost, missed = sums
    ends = succeeded, failed, dead, cancelled, skipped, lost, missed
    return ActivityRow(user_id, span, at, launched, *ends, trimmed(lateness), worst)


def trimmed(lateness: Sequence[int]) -> list[int]:
    """Returns counts without the zeros at the end."""
    length = len(lateness)
    while length and not lateness[length - 1]:
        length -= 1
    return list(lateness[:length])
