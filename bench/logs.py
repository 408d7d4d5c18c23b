"""`python -m bench.logs`: how fast lines are stored and indexed, and how long a search takes among many of them."""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta

from bench.cells import SETTINGS
from duetime.bench.server import temporary_directory
from duetime.model.ids import NodeId
from duetime.model.logs import LogFilter
from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.logs import PostgresLogs
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.stores import postgres_stores

CHUNK = 100
"""Lines that are stored together."""
WRITERS = 8
RARE = 100_000
"""One line in so many has the rare word."""
SEARCHES = 50
LINE = "2026-11-18T12:00:00Z INFO worker-{0} request {1} served /api/v1/orders/{1} in {2} ms, status 200, cache hit"
RUNS = """
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT n * 1024, 1, 1, 1, 1, $2 FROM generate_series(1, $1::int) n
"""


def lines_of(first: int) -> list[str]:
    """Returns the lines of a chunk, of about a hundred bytes each."""
    found = [LINE.format(n % 97, n, n % 1013) for n in range(first, first + CHUNK)]
    return [f"{line} needle{n % 50}" if (first + n) % RARE == 0 else line for n, line in enumerate(found)]


async def measured(lines: int) -> None:
    """Prints the figures."""
    with temporary_directory() as directory:
        server = EmbeddedServer(directory / "logs", SETTINGS, None)
        await asyncio.to_thread(server.start)
        pool = Pool(server.dsn, size=WRITERS + 2)
        try:
            await pool.open()
            await apply_migrations(pool)
            await _measure(pool, lines)
        finally:
            await pool.close()
            await asyncio.to_thread(server.stop)


async def _measure(pool: Pool, lines: int) -> None:
    logs, now, chunks = PostgresLogs(pool), datetime.now(UTC), lines // CHUNK
    days = (now - timedelta(days=1)).date(), now.date()
    await postgres_stores(pool).retention.make_days(*days)
    await pool.run(RUNS, chunks, now)
    numbers, stored = iter(range(chunks)), 0

    async def write() -> None:
        nonlocal stored
        for number in numbers:
            given = lines_of(number * CHUNK)
            stored += sum(map(len, given))
            at = now - timedelta(milliseconds=chunks - number)
            await logs.add(NodeId(1), ((number + 1) * 1024, 1), 0, given, at)

    began = time.perf_counter()
    await asyncio.gather(*(write() for _ in range(WRITERS)))
    took = time.perf_counter() - began
    print(f"stored {lines:,} lines: {lines / took:,.0f} lines/s, {stored / took / 1e6:.1f} MB/s", flush=True)
    began, done = time.perf_counter(), 0
    while found := await logs.index(500):
        done += found * CHUNK
    took = time.perf_counter() - began
    print(f"indexed {done:,} lines: {done / took:,.0f} lines/s", flush=True)
    for name, terms in (("a rare word", "needle{0}"), ("a common word", "served"), ("no word", "absent{0}")):
        took_each: list[float] = []
        for n in range(SEARCHES):
            began = time.perf_counter()
            await logs.search(1, LogFilter((terms.format(n % 50),)))
            took_each.append(time.perf_counter() - began)
        took_each.sort()
        p50, p95 = took_each[SEARCHES // 2] * 1e3, took_each[SEARCHES * 95 // 100] * 1e3
        print(f"search for {name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)


if __name__ == "__main__":
    asyncio.run(measured(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
