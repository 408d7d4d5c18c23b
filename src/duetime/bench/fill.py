"""Fills tables by SQL, with rows as Duetime itself writes them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from duetime.postgres.pool import Connection

DAYS = 10
STEP = 1_000_000
PENDING = """
INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at, message)
SELECT nextval('job_number') * 1024 + n % 1024, $1::int, $2::int, 5, true, $1::bigint << 32, at, at, now(),
       repeat('x', 100)
FROM (SELECT n, now() + interval '30 days' + (n::bigint * 7919 % 31536000) * interval '1 second' AS at
      FROM generate_series(1, $3::int) n) t
"""
PAST = """
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at, created_at,
                     launched_at, started_at, finished_at, lane, message)
SELECT nextval('job_number') * 1024 + n % 1024, CASE WHEN n % 2 = 0 THEN $1::int ELSE 1000 + n % 9 END, $2::int, 5, 1,
       (CASE WHEN n % 1000 = 0 THEN 'dead' ELSE 'succeeded' END)::job_state, 1, at, at, at - interval '1 minute',
       at + interval '1 ms', at + interval '2 ms', at + interval '3 ms',
       CASE WHEN n % 10 = 0 THEN 'lane-' || n % 100000 END,
       'invoice number ' || n || ' ' || repeat('x', 80)
FROM (SELECT n, $3::timestamptz + (n - $4::int) * ($6::interval / ($5 - $4 + 1)) AS at
      FROM generate_series($4::int, $5::int) n) t
"""


async def any_definition(database: Connection, user: int) -> int:
    """Returns the definition of any job that the user has submitted."""
    return await database.fetchval("SELECT id FROM definitions WHERE user_id = $1 ORDER BY id LIMIT 1", user)


async def fill_pending(database: Connection, user: int, count: int, say: Callable[[str], None]) -> None:
    """Adds `count` jobs, due between one and thirteen months from now."""
    definition = await any_definition(database, user)
    for done in range(0, count, STEP):
        say(f"{done:,} of {count:,} jobs far off")
        await database.execute(PENDING, user, definition, min(STEP, count - done))
    await database.execute("INSERT INTO tally_deltas (user_id, state, n) VALUES ($1, 'created', $2)", user, count)
    await _settle(database, "jobs")


async def fill_history(database: Connection, user: int, count: int, say: Callable[[str], None]) -> None:
    """Adds `count` finished jobs over the last days, half of them this user's."""
    definition = await any_definition(database, user)
    today = await database.fetchval("SELECT date_trunc('day', now())")
    days = [today - timedelta(days=n) for n in range(DAYS, 0, -1)]
    for number, day in enumerate(days):
        await database.execute(
            f"CREATE TABLE IF NOT EXISTS history_{day:%Y%m%d} PARTITION OF history "
            f"FOR VALUES FROM ('{day}') TO ('{day + timedelta(days=1)}')"
        )
        first, last = count * number // DAYS + 1, count * (number + 1) // DAYS
        for at in range(first, last + 1, STEP):
            say(f"{at:,} of {count:,} rows of history")
            end = min(at + STEP - 1, last)
            share = timedelta(hours=23) * ((end - at + 1) / (last - first + 1))
            start = day + timedelta(hours=23) * ((at - first) / (last - first + 1))
            await database.execute(PAST, user, definition, start, at, end, share)
    await database.execute(
        "INSERT INTO tally_deltas (user_id, state, day, n)"
        " SELECT user_id, state, (finished_at AT TIME ZONE 'UTC')::date, count(*) FROM history GROUP BY 1, 2, 3"
    )
    await _settle(database, "history")


async def _settle(database: Connection, table: str) -> None:
    """Brings a table into its usual state: vacuumed, analysed, and no checkpoint due."""
    await database.execute(f"VACUUM (ANALYZE) {table}")
    await database.execute("CHECKPOINT")


async def fill_activity(database: Connection, user: int) -> None:
    """Adds the sums of activity that belong to the history, and to the last hours."""
    for span, first in ((3600, "now() - interval '7 days'"), (60, "now() - interval '3 hours'")):
        await database.execute(
            "INSERT INTO activity SELECT u, $2::int, at, 80, 78, 3, 1, 0, 1, 0, 0, array_fill(2::bigint, ARRAY[40]), 1"
            f" FROM generate_series(date_trunc('hour', {first}), now(), $2 * interval '1 second') AS at,"
            " unnest(ARRAY[0, $1::int] || ARRAY(SELECT generate_series(1000, 1008))) AS u ON CONFLICT DO NOTHING",
            user,
            span,
        )
    await _settle(database, "activity")
