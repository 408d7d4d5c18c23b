"""Records the store's side: triggers log every change of a shard's owner and every launch, read at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import asyncpg
from msgspec.structs import replace

from chaos.history import EndedJob, EndedRun, Flight, Known, Launched, Lease, OpenJob, Owned, Taken

LOG = """
CREATE SCHEMA chaos;
CREATE SEQUENCE chaos.story CACHE 1;
CREATE TABLE chaos.taken (place bigint, shard int, term bigint, owner int);
CREATE TABLE chaos.launched (place bigint, at timestamptz, job_id bigint, attempt int, term bigint, executor int);
CREATE FUNCTION chaos.note_taken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos.taken VALUES (nextval('chaos.story'), NEW.shard, NEW.term, NEW.owner); RETURN NULL;
END $$;
CREATE FUNCTION chaos.note_launched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos.launched
    VALUES (nextval('chaos.story'), clock_timestamp(), NEW.job_id, NEW.attempt, NEW.term, NEW.executor); RETURN NULL;
END $$;
CREATE TRIGGER chaos_taken AFTER UPDATE ON shards FOR EACH ROW EXECUTE FUNCTION chaos.note_taken();
CREATE TRIGGER chaos_launched AFTER INSERT ON in_flight FOR EACH ROW WHEN (NEW.executor <> 0)
    EXECUTE FUNCTION chaos.note_launched();
"""
APART = 1_000_000
SECONDS = "extract(epoch FROM {0})::float8 AS {0}"


def _instants(*names: str) -> str:
    return ", ".join(SECONDS.format(name) for name in names)


OPEN = f"""SELECT id AS job_id, message, state, attempts, {_instants("execute_at", "due_at")}, lane, schedule_id
FROM open_jobs"""
ENDED = f"""SELECT id AS job_id, message, state::text, attempt AS attempts, executor, lane, schedule_id, reason,
    covers_count, extract(epoch FROM pg_xact_commit_timestamp(xmin))::float8 AS recorded_at, {
    _instants("execute_at", "due_at", "created_at", "finished_at", "launched_at", "started_at", "covers_until")
}
FROM history"""
RUNS = f"""SELECT job_id, attempt, state::text, executor,
    {_instants("due_at", "finished_at", "launched_at", "started_at")} FROM runs"""
FLIGHTS = "SELECT job_id, attempt, executor, term FROM in_flight WHERE executor <> 0"
HERE = "WHERE NOT EXISTS (SELECT FROM shards s WHERE s.shard = {0}.shard AND s.away)"
TAKEN = f'SELECT place AS "order", shard, term, owner FROM chaos.taken t {HERE.format("t")}'
LAUNCHED = f'SELECT place AS "order", {_instants("at")}, job_id, attempt, term, executor FROM chaos.launched'
LEASES = "SELECT node_id AS node, extract(epoch FROM until - clock_timestamp())::float8 AS left FROM leases"
WORKERS = "SELECT id AS node FROM nodes WHERE 'worker' = ANY(roles)"
OWNED = """SELECT shard, term, owner, (SELECT coalesce(max(place), 0) FROM chaos.taken) AS "order"
FROM shards WHERE NOT away"""


async def install(dsn: str) -> None:
    """Create the log and its triggers."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(LOG)
    finally:
        await connection.close()


async def read(dsns: Sequence[str], user_id: int | None = None) -> dict[str, list[Any]]:
    """The jobs of all users or of one, and the log, as fields of a history."""
    of_user = "" if user_id is None else f" WHERE user_id = {user_id:d}"
    kinds = {
        "open_jobs": (OPEN + of_user, OpenJob),
        "ended_jobs": (ENDED + of_user, EndedJob),
        "ended_runs": (RUNS + of_user, EndedRun),
        "taken": (TAKEN, Taken),
        "launched": (LAUNCHED, Launched),
        "workers": (WORKERS, Known),
    }
    return await _read_all(dsns, kinds)


async def read_standing(dsns: Sequence[str]) -> dict[str, list[Any]]:
    """The leases and the shards' owners, while the nodes run."""
    return await _read_all(dsns, {"leases": (LEASES, Lease), "owned": (OWNED, Owned), "flights": (FLIGHTS, Flight)})


async def _read_all(dsns: Sequence[str], kinds: dict[str, tuple[str, type]]) -> dict[str, list[Any]]:
    """What all databases have. A node has an id in each, so the ids of further databases get numbers of their own."""
    found: dict[str, list[Any]] = {name: [] for name in kinds}
    for number, dsn in enumerate(dsns):
        for name, rows in (await _read(dsn, kinds)).items():
            found[name] += [_apart(row, number) for row in rows] if number else rows
    return found


def _apart(row: Any, number: int) -> Any:
    given = {name: getattr(row, name) for name in ("node", "owner", "executor") if getattr(row, name, None)}
    return replace(row, **{name: value + number * APART for name, value in given.items() if value > 0})


async def _read(dsn: str, kinds: dict[str, tuple[str, type]]) -> dict[str, list[Any]]:
    connection = await asyncpg.connect(dsn)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            return {
                name: [kind(**row) for row in await connection.fetch(query)] for name, (query, kind) in kinds.items()
            }
    finally:
        await connection.close()
