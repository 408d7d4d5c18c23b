"""Puts the demo's users and their past week into the database, and takes everything of them out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import msgspec

from duetime.demo.week import DAYS, LABELS, USERS, PastJob, activity_of, past_week
from duetime.model.activity import EVERYBODY, ActivityRow, plus
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.errors import Conflict
from duetime.model.ids import SHARDS
from duetime.model.outcome import Failure, Result
from duetime.postgres.pool import Connection, Pool
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.store.postgres.activity import PostgresActivity
from duetime.store.postgres.audit import record
from duetime.store.postgres.retention import PostgresRetention
from duetime.store.postgres.submit import PostgresSubmit

FILLED: Final = "demo.filled"
"""The action in the audit by which users of the demo are known."""
COLUMNS: Final = (
    *("id", "user_id", "definition_id", "priority", "attempt", "state", "execute_at", "due_at", "created_at"),
    *("launched_at", "started_at", "finished_at", "labels", "reason", "result", "message"),
)
TABLES: Final = (
    "in_flight",
    "jobs",
    "history",
    "runs",
    "idempotency",
    "schedules",
    "calendars",
    "definitions",
    "closed_gates",
    "tallies",
    "tally_deltas",
    "activity",
    "sessions",
)
"""Everything that has the id of a user in it."""


async def fill_past(pool: Pool, password_hash: str, now: datetime, chance: Callable[[], float]) -> dict[str, int]:
    """Creates the users with a week of records. Returns how many records each has. Raises if they are there."""
    if await _demo_users(pool):
        raise Conflict("This server has a demo already: 'duetime demo --remove' takes it out.")
    await PostgresRetention(pool).make_days((now - timedelta(days=DAYS)).date(), now.date())
    counts: dict[str, int] = {}
    body = encode_definition(Definition())
    for user in USERS:
        made = await PostgresAccounts(pool).create_user(
            user.username, password_hash, user.job_weight, "user", now - timedelta(seconds=1), None
        )
        key = made.id, definition_hash(body)
        definition = (await PostgresSubmit(pool).intern([(made.id, key[1], body)], now.date()))[key]
        jobs = list(past_week(user, now, chance))
        async with pool.transaction() as connection:
            await record(connection, now, None, FILLED, f"user:{made.id}", {"records": len(jobs)}, owner=made.id)
            await _store(connection, made.id, definition, jobs)
        sums = activity_of(made.id, jobs, now)
        await PostgresActivity(pool).add(sums + [row._replace(user_id=EVERYBODY) for row in sums])
        counts[user.username] = len(jobs)
    return counts


async def remove_demo(pool: Pool) -> int:
    """Removes the users of the demo with everything they have. Returns how many there were."""
    users = await _demo_users(pool)
    if users:
        sums = await pool.rows("SELECT * FROM activity WHERE user_id = ANY($1::int[])", users)
        await PostgresActivity(pool).add(_taken_back([ActivityRow(*row) for row in sums]))
        async with pool.transaction() as connection:
            for table in TABLES:
                await connection.execute(f"DELETE FROM {table} WHERE user_id = ANY($1::int[])", users)  # noqa: S608
            await connection.execute("DELETE FROM users WHERE id = ANY($1::int[])", users)
    return len(users)


async def _demo_users(pool: Pool) -> list[int]:
    rows = await pool.rows(
        "SELECT u.id FROM audit a JOIN users u ON a.subject = 'user:' || u.id WHERE a.action = $1", FILLED
    )
    return [row["id"] for row in rows]


async def _store(connection: Connection, user_id: int, definition: int, jobs: Sequence[PastJob]) -> None:
    last = await connection.fetchval("SELECT setval('job_number', nextval('job_number') + $1)", len(jobs))
    rows = [
        (
            (last - len(jobs) + number) * SHARDS + number % SHARDS,
            user_id,
            definition,
            5,
            1,
            job.state,
            job.due_at,
            job.due_at,
            job.due_at - timedelta(minutes=10),
            job.launched_at,
            job.launched_at,
            job.finished_at,
            LABELS,
            None if job.failure is None else job.failure[1],
            _result(job),
            job.message,
        )
        for number, job in enumerate(jobs)
    ]
    await connection.copy_records_to_table("history", records=rows, columns=COLUMNS)
    days = Counter((job.state, job.finished_at.date()) for job in jobs)
    await connection.executemany(
        "INSERT INTO tally_deltas (user_id, state, day, n) VALUES ($1, $2::text::job_state, $3, $4)",
        [(user_id, state, day, count) for (state, day), count in days.items()],
    )


def _result(job: PastJob) -> str | None:
    if job.failure is None:
        return None
    return msgspec.json.encode(Result(Failure(*job.failure))).decode()


def _taken_back(rows: Sequence[ActivityRow]) -> list[ActivityRow]:
    """Sums that take rows out of those of all users together."""
    groups: dict[tuple[int, datetime], list[ActivityRow]] = {}
    for row in rows:
        groups.setdefault((row.span, row.at), []).append(row)
    totals = [plus(some, EVERYBODY, *key) for key, some in groups.items()]
    return [_negative(one) for one in totals]


def _negative(row: ActivityRow) -> ActivityRow:
    launched, succeeded, failed, dead, cancelled, skipped, lost, missed = (-count for count in row[3:11])
    ends = succeeded, failed, dead, cancelled, skipped, lost, missed
    return ActivityRow(row.user_id, row.span, row.at, launched, *ends, [-one for one in row.lateness], 0.0)
