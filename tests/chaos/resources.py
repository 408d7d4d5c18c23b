"""Measures whether the resources of a node or a table grow without end."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import asyncpg
from msgspec import Struct

from chaos.cluster import Cluster
from chaos.history import Sample

TABLES = ("jobs", "in_flight", "leases", "shards", "schedules", "tally_deltas", "tallies", "definitions", "nodes")
RESTARTED = 0.7
"""A node that uses less than this fraction of what it used before has been restarted."""


class TableSize(Struct, frozen=True):
    """The size of a table with its indexes at an instant."""

    table: str
    at: float
    size: int


class Slope(Struct, frozen=True):
    """How fast a resource grows, per hour, over the measured time."""

    what: str
    first: float
    last: float
    per_hour: float
    minutes: float


async def watch_tables(cluster: Cluster, found: list[TableSize], every: float) -> None:
    """Record the sizes of tables until cancelled."""
    while True:
        try:
            connection = await asyncpg.connect(cluster.dsn)
            try:
                for table in TABLES:
                    size = await connection.fetchval("SELECT pg_total_relation_size($1::regclass)", table)
                    found.append(TableSize(table, time.time(), size))
            finally:
                await connection.close()
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            pass  # The nemesis has stopped the database.
        await asyncio.sleep(every)


def slopes(samples: Sequence[Sample], tables: Sequence[TableSize]) -> list[Slope]:
    """The growth of each node's memory and files since its last start, and of each table since the first sample."""
    series = defaultdict[str, list[tuple[float, float]]](list)
    for sample in samples:
        memory = series[f"node {sample.node} memory"]
        if memory and sample.rss < RESTARTED * memory[-1][1]:
            memory.clear()
            series[f"node {sample.node} files"].clear()
        memory.append((sample.at, float(sample.rss)))
        series[f"node {sample.node} files"].append((sample.at, float(sample.files)))
    for table in tables:
        series[f"table {table.table}"].append((table.at, float(table.size)))
    return [_slope(what, points) for what, points in sorted(series.items()) if len(points) > 2]


def _slope(what: str, points: list[tuple[float, float]]) -> Slope:
    """Least squares over the second half, because caches fill during the first."""
    late = points[len(points) // 2 :]
    middle = sum(at for at, _ in late) / len(late)
    level = sum(value for _, value in late) / len(late)
    spread = sum((at - middle) ** 2 for at, _ in late)
    rise = sum((at - middle) * (value - level) for at, value in late) / spread if spread else 0.0
    longest = sum(b - a for (a, _), (b, _) in pairwise(late))
    return Slope(what, points[0][1], points[-1][1], round(3600 * rise, 1), round(longest / 60, 1))
