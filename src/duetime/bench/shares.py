"""Judges the fairness of launches, in windows during which every user had a backlog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from duetime.bench.percentiles import jain


class Shares(Struct, frozen=True):
    """How far the users' shares in the windows were from their weights."""

    windows: int
    worst: float
    """The largest deviation of a user's launches from its share of a window, relative to that share."""
    beyond: float
    """The fraction of windows in which a user was more than 5 % off."""
    jain: float
    """The smallest of Jain's indices over all windows."""


def shares_of(
    launches: Sequence[tuple[datetime, Mapping[int, int]]],
    weights: Mapping[int, float],
    each: int,
    window: int,
    start: datetime | None = None,
) -> Shares:
    """Returns the users' shares in windows of at least `window` launches.

    Windows are cut between launch instants, because launches of one instant have no order. They begin at `start`,
    when every user has a backlog, and end when a user has less than a window left of its `each` jobs.
    """
    total = sum(weights.values())
    left, counted, size = Counter(dict.fromkeys(weights, each)), Counter[int](), 0
    worst, least, beyond, windows = 0.0, 1.0, 0, 0
    for at, users in launches:
        left.subtract(users)
        if start is not None and at < start:
            continue
        counted.update(users)
        size += sum(users.values())
        if size < window:
            continue
        ratios = [counted[user] / (size * weight / total) for user, weight in weights.items()]
        off = max(abs(ratio - 1) for ratio in ratios)
        worst, least, beyond, windows = max(worst, off), min(least, jain(ratios)), beyond + (off > 0.05), windows + 1
        counted, size = Counter(), 0
        if min(left.values()) < window:
            break
    return Shares(windows, worst, beyond / max(windows, 1), least)
