"""`InsightStore` on PostgreSQL: jobs, runs and counts for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from duetime.model.definition import Definition, decode_definition
from duetime.model.job import Job, JobFilter
from duetime.model.lane import LaneHead
from duetime.model.outcome import Result
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.user import Usage
from duetime.postgres.pool import Pool
from duetime.store.postgres.job_search import JobSearch
from duetime.store.postgres.launch import PostgresLaunch
from duetime.store.postgres.queries import sql

_result = msgspec.json.Decoder(Result)
_labels = msgspec.json.Decoder(dict[str, str])


class PostgresInsight:
    """`InsightStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._search = pool, JobSearch(pool)
        self._definitions = PostgresLaunch(pool).definitions

    async def job(self, user_id: int, job_id: int) -> Job | None:
        """Returns one job, finished or not."""
        found = await self._jobs(await self._pool.rows(sql("insight.job"), user_id, job_id))
        return found[-1] if found else None

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Job]:
        """Returns jobs, newest first, including finished ones."""
        return await self._jobs(await self._search.rows(user_id, wanted))

    async def search_floor(self, user_id: int, wanted: JobFilter) -> int | None:
        """Returns the lowest id that one search should look at."""
        return await self._search.floor(user_id, wanted)

    async def count(self, user_id: int, wanted: JobFilter) -> dict[JobState, int]:
        """Counts jobs by state."""
        return await self._search.count(user_id, wanted)

    async def definitions(self, user_id: int, limit: int) -> dict[int, Definition]:
        """Returns the newest definitions of a user."""
        rows = await self._pool.rows(sql("insight.definitions"), user_id, limit)
        return {row["id"]: decode_definition(row["body"]) for row in rows}

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """Returns the ids of jobs that can be cancelled, newest first."""
        return await self._search.open_ids(user_id, wanted)

    async def jobs_by_key(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """Returns the jobs that have these idempotency keys."""
        return {row["key"]: row["job_id"] for row in await self._pool.rows(sql("insight.jobs_by_key"), user_id, keys)}

    async def merged(self, listings: Sequence[str], arguments: Sequence[object], limit: int) -> list[Job]:
        """Returns the newest jobs of several listings. Of a job that is in two, the row of the later listing counts."""
        found: dict[int, Any] = {}
        for name in listings:
            found |= {row["id"]: row for row in await self._pool.rows(sql(name), *arguments)}
        newest = sorted(found, reverse=True)[:limit]
        return await self._jobs([found[job_id] for job_id in newest])

    async def lane_heads(self, user_id: int, lanes: Sequence[str]) -> dict[str, LaneHead]:
        """Returns the job that the others wait for, for each of these lanes."""
        rows = await self._pool.rows(sql("insight.lane_heads"), user_id, list(lanes))
        return {row["lane"]: LaneHead(row["job_id"], JobState(row["state"]), row["since"]) for row in rows}

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns the last 100 runs of a job."""
        rows = await self._pool.rows(sql("insight.runs"), user_id, job_id)
        return [_run(job_id, row) for row in rows]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns how many jobs are in each state."""
        rows = await self._pool.rows(sql("insight.stats"), user_id)
        return {JobState(row["state"]): row["n"] for row in rows if row["n"]}

    async def usage(self, user_id: int) -> Usage:
        """Returns how many schedules, calendars, dates and definitions a user has."""
        row = await self._pool.row(sql("insight.usage"), user_id)
        return Usage(**row) if row is not None else Usage()

    async def message_bytes(self, user_id: int) -> int:
        """Returns the bytes of the messages of all jobs that are not finished."""
        row = await self._pool.row(sql("insight.message_bytes"), user_id)
        return 0 if row is None else row[0]

    async def _jobs(self, rows: list[Any]) -> list[Job]:
        wanted = {row["definition_id"] for row in rows}
        definitions = await self._definitions(list(wanted)) if wanted else {}
        return [
            Job(
                id=row["id"],
                user_id=row["user_id"],
                state=JobState(row["state"]),
                definition_id=row["definition_id"],
                definition=definitions[row["definition_id"]],
                message=row["message"],
                execute_at=row["execute_at"],
                due_at=row["due_at"],
                created_at=row["created_at"],
                lane=row["lane"],
                priority=row["priority"],
                attempts=row["attempts"],
                expires_at=row["expires_at"],
                labels=_labels.decode(row["labels"]) if row["labels"] else None,
                finished_at=row["finished_at"],
                reason=row["reason"],
                cancel_requested=row["cancel"],
                schedule_id=row["schedule_id"],
            )
            for row in rows
        ]


def _run(job_id: int, row: Any) -> Run:
    result = _result.decode(row["result"]) if row["result"] else Result()
    return Run(
        job_id=job_id,  # type: ignore[arg-type]
        attempt=row["attempt"],
        state=JobState(row["state"]),
        due_at=row["due_at"],
        launched_at=row["launched_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        executor=row["executor"],
        failure=result.failure,
        answer=result.answer,
    )
