"""`DeadStore` on PostgreSQL: dead letters and blocked lanes, which wait for a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from duetime.model.events import JobEnded
from duetime.model.flow import flow_of_job
from duetime.model.ids import MAX_ID, shard_of
from duetime.model.job import DeadFilter, DeadGroup, Job
from duetime.model.lane import LaneState
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.port import JobRef
from duetime.store.postgres.audit import record
from duetime.store.postgres.due import refs
from duetime.store.postgres.ended import ended
from duetime.store.postgres.fence import Fence, nothing_moves
from duetime.store.postgres.insight import PostgresInsight
from duetime.store.postgres.launch import PostgresLaunch
from duetime.store.postgres.queries import sql


class PostgresDead:
    """`DeadStore` on PostgreSQL."""

    def __init__(self, pool: Pool, fence: Fence = nothing_moves) -> None:
        self._pool, self._fence = pool, fence
        self._insight = PostgresInsight(pool)
        self._definitions = PostgresLaunch(pool).definitions

    async def dead(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Returns dead jobs, newest first."""
        if wanted.ids is not None:
            named = ("dead.parked_by_ids", "dead.finished_by_ids")
            return await self._insight.merged(named, (user_id, wanted.ids), wanted.limit)
        listings = ("dead.list_parked", "dead.list_finished")
        return await self._insight.merged(listings, _arguments(user_id, wanted), wanted.limit)

    async def groups(self, user_id: int, wanted: DeadFilter) -> list[DeadGroup]:
        """Returns dead jobs by the class of their last failure."""
        rows = await self._pool.rows(sql("dead.groups"), *_arguments(user_id, wanted))
        known = await self._definitions(list({one for row in rows for one in row["definitions"]})) if rows else {}
        return [
            DeadGroup(
                row["kind"],
                row["reason"],
                row["count"],
                row["first_at"],
                row["last_at"],
                row["latest_id"],
                tuple(sorted({key for one in row["definitions"] if (key := known[one].target.breaker_key())})),
            )
            for row in rows
        ]

    async def redrive(
        self, user_id: int, job_ids: Sequence[int], first_at: datetime, spacing: float, now: datetime, actor: int
    ) -> list[JobRef]:
        """Redrive dead jobs."""
        async with self._pool.transaction() as connection:
            await self._fence(connection, shards=list({shard_of(job_id) for job_id in job_ids}))
            rows = await connection.fetch(sql("dead.which"), user_id, job_ids)
            dead = {row["id"] for row in rows}
            wanted = list({row["definition_id"] for row in rows} - {None})
            definitions = await self._definitions(wanted) if wanted else {}
            chosen = [job_id for job_id in dict.fromkeys(job_ids) if job_id in dead]
            dues = [first_at + number * timedelta(seconds=spacing) for number in range(len(chosen))]
            back = await connection.fetch(
                sql("dead.redrive_finished"),
                user_id,
                chosen,
                dues,
                list(definitions),
                [flow_of_job(user_id, key, one) for key, one in definitions.items()],
                now,
            )
            back += await connection.fetch(sql("dead.redrive_parked"), user_id, chosen, dues, now)
            if back:
                ids = [row["id"] for row in back]
                await connection.execute(sql("dead.reopen_steps"), ids)
                await connection.execute(sql("workflows.restart_waits"), ids)
                await record(
                    connection, now, actor, "dead_letters.redriven", f"user:{user_id}", {"jobs": ids}, owner=user_id
                )
            return refs(back)

    async def discard(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
        """Discard dead jobs in history."""
        async with self._pool.transaction() as connection:
            gone = ended(await connection.fetch(sql("dead.discard"), user_id, job_ids, now))
            if gone:
                ids = [one.job_id for one in gone]
                await record(
                    connection, now, actor, "dead_letters.discarded", f"user:{user_id}", {"jobs": ids}, owner=user_id
                )
            return gone

    async def lanes(self, user_id: int, *, lane: str | None, blocked: bool, limit: int) -> list[LaneState]:
        """Returns all lanes, one lane, or those that wait for a person."""
        rows = await self._pool.rows(sql("lanes.list"), user_id, lane, blocked, limit)
        return [
            LaneState(
                row["lane"],
                row["head"],
                JobState(row["head_state"]),
                row["length"],
                row["blocked"],
                row["reason"],
                row["blocked_since"],
            )
            for row in rows
        ]

    async def blocked_lanes(self, user_id: int) -> int:
        """Returns how many lanes wait for a person."""
        (row,) = await self._pool.rows(sql("lanes.blocked"), user_id)
        return row["n"]

    async def clear_lane(self, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
        """Cancel every job of a lane that is not in flight."""
        async with self._pool.transaction() as connection:
            locked = [row["job_id"] for row in await connection.fetch(sql("lanes.lock"), user_id, lane, now)]
            if not locked:
                return []
            why = "the lane was cleared"
            gone = ended(await connection.fetch(sql("control.cancel_locked"), user_id, locked, now, why))
            await record(connection, now, actor, "lane.cleared", f"lane:{lane}", {"jobs": len(gone)}, owner=user_id)
            return gone


def _arguments(user_id: int, wanted: DeadFilter) -> tuple[object, ...]:
    return (
        user_id,
        MAX_ID + 1 if wanted.before_id is None else wanted.before_id,
        wanted.error,
        wanted.definition_id,
        wanted.from_,
        wanted.to,
        wanted.ordering_key,
        wanted.limit,
        wanted.kind,
    )
