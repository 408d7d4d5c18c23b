"""Reads rates, lateness and launches from the history in the database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from duetime.postgres.pool import Connection


class Span(Struct, frozen=True):
    """How many jobs succeeded, their first launch and their last end."""

    count: int
    first: datetime
    last: datetime

    @property
    def rate(self) -> float:
        """Jobs per second."""
        return self.count / max((self.last - self.first).total_seconds(), 1e-6)


class Lateness(Struct, frozen=True):
    """Seconds from due to launched and to started (p50, p99, worst), and how many jobs launched early."""

    count: int
    launched: tuple[float, float, float]
    started: tuple[float, float, float]
    early: int


async def mark(database: Connection) -> int:
    """Returns an id between the jobs so far and all later ones."""
    return await database.fetchval("SELECT nextval('job_number') * 1024 + 1023")


async def span(database: Connection, since: int) -> Span:
    """Returns the span of all jobs that were created after a mark and succeeded."""
    row = await database.fetchrow(
        "SELECT count(*), min(launched_at), max(finished_at) FROM history WHERE id > $1 AND state = 'succeeded'", since
    )
    if not row[0]:
        raise ValueError("No job succeeded, so there is no rate.")
    return Span(*row)


async def lateness(database: Connection, since: int, where: str = "true") -> Lateness:
    """Returns the lateness of all jobs that were created after a mark and succeeded."""
    row = await database.fetchrow(
        f"""
        SELECT count(*) AS n, count(*) FILTER (WHERE launched_at < due_at) AS early,
               percentile_disc(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY launched) AS l,
               percentile_disc(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY started) AS s
        FROM (SELECT *, extract(epoch FROM launched_at - due_at) AS launched,
                     extract(epoch FROM started_at - due_at) AS started FROM history) h
        WHERE id > $1 AND state = 'succeeded' AND {where}
        """,
        since,
    )
    if not row["n"]:
        raise ValueError("No job succeeded, so there is no lateness.")
    return Lateness(row["n"], _three(row["l"]), _three(row["s"]), row["early"])


def _three(percentiles: Sequence[Any]) -> tuple[float, float, float]:
    p50, p99, worst = map(float, percentiles)
    return p50, p99, worst


async def finished_per(database: Connection, since: int, start: datetime, seconds: float) -> list[tuple[float, float]]:
    """Returns how many jobs had succeeded after each step of `seconds` from `start`."""
    rows = await database.fetch(
        """
        SELECT ceil(extract(epoch FROM finished_at - $2::timestamptz) / $3) AS step, count(*) AS n
        FROM history WHERE id > $1 AND state = 'succeeded' GROUP BY 1 ORDER BY 1
        """,
        *(since, start, seconds),
    )
    points, total = [(0.0, 0.0)], 0
    for row in rows:
        total += row["n"]
        points.append((float(row["step"]) * seconds, float(total)))
    return points


async def launches(database: Connection, since: int) -> list[tuple[datetime, dict[int, int]]]:
    """Returns every launch instant, in order, with the number of launches per user."""
    rows = await database.fetch(
        "SELECT launched_at, user_id, count(*) AS n FROM history WHERE id > $1 GROUP BY 1, 2 ORDER BY 1", since
    )
    found: list[tuple[datetime, dict[int, int]]] = []
    for at, user, n in rows:
        if not found or found[-1][0] != at:
            found.append((at, {}))
        found[-1][1][user] = n
    return found
