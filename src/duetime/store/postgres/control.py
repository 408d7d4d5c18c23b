"""`ControlStore` on PostgreSQL. Each edit holds the launch lock and is audited in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import asyncpg
from msgspec import UNSET

from duetime.model.errors import Conflict
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.port import Cancelled, ColumnChange, Edited, JobRef, Withdrawn
from duetime.store.postgres.audit import record
from duetime.store.postgres.audited_columns import changed_columns
from duetime.store.postgres.ended import ended
from duetime.store.postgres.queries import sql
from duetime.store.postgres.workflows import end_locked


class PostgresControl:
    """`ControlStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def withdraw(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> Withdrawn | None:
        """End a job that is not in flight."""
        async with self._pool.transaction() as connection:
            locked = await connection.fetchrow(sql("control.lock_job"), user_id, job_id, now)
            if locked is None:
                return None
            if locked["workflow_id"] is not None:
                await connection.execute(sql("workflows.lock"), [locked["workflow_id"]])
                withdrawn = Withdrawn(*await end_locked(connection, user_id, [job_id], state, now, reason))
            else:
                rows = await connection.fetch(sql("control.withdraw"), user_id, job_id, state, now, reason)
                withdrawn = Withdrawn(ended(rows))
                if rows and withdrawn.ended[0].schedule_id:
                    await connection.execute(sql("control.unpend"), withdrawn.ended[0].schedule_id, job_id)
                await connection.execute(sql("control.unlock_job"), job_id)
            if not withdrawn.ended:
                return None
            await record(connection, now, actor, f"job.{state}", f"job:{job_id}", owner=user_id)
            return withdrawn

    async def edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        """Change a job that is not in flight."""
        try:
            return await self._edit(user_id, job_id, change, now, actor)
        except asyncpg.UniqueViolationError:
            raise Conflict("Another occurrence of the schedule has this instant: choose another instant.") from None

    async def _edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        async with self._pool.transaction() as connection:
            if not await connection.fetchval(sql("control.lock_job"), user_id, job_id, now):
                return None
            before = await connection.fetchrow(sql("control.columns"), user_id, job_id)
            row = await connection.fetchrow(
                sql("control.edit"),
                user_id,
                job_id,
                change.execute_at,
                change.due_at,
                change.message,
                change.definition_id,
                change.flow,
                change.priority,
                None if change.expires_at is UNSET else change.expires_at,
                change.expires_at is not UNSET,
            )
            await connection.execute(sql("control.unlock_job"), job_id)
            if row is None:
                return None
            after = await connection.fetchrow(sql("control.columns"), user_id, job_id)
            details = await changed_columns(connection, before, after)
            await record(connection, now, actor, change.action, f"job:{job_id}", details, owner=user_id)
            return Edited(JobRef(*row[:9]), row["ready"])

    async def request_cancel(self, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
        """Request that a run be cancelled."""
        async with self._pool.transaction() as connection:
            executor = await connection.fetchval(sql("control.request_cancel"), user_id, job_id)
            if executor is not None:
                await record(connection, now, actor, "job.cancel_requested", f"job:{job_id}", owner=user_id)
            return executor

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
        """Cancel jobs that are not in flight, and request it of runs."""
        async with self._pool.transaction() as connection:
            rows = await connection.fetch(sql("control.lock_jobs"), user_id, sorted(set(job_ids)), now)
            locked = [row["job_id"] for row in rows]
            workflows = {row["workflow_id"] for row in rows} - {None}
            gone: list[JobEnded] = []
            released: list[JobRef] = []
            if workflows:
                await connection.execute(sql("workflows.lock"), list(workflows))
                gone, released = await end_locked(connection, user_id, locked, JobState.CANCELLED, now, "cancelled")
            elif locked:
                gone = ended(await connection.fetch(sql("control.cancel_locked"), user_id, locked, now, "cancelled"))
            occurrences = sorted((one.schedule_id, one.job_id) for one in gone if one.schedule_id)
            if occurrences:
                await connection.execute(sql("control.unpend_many"), *map(list, zip(*occurrences, strict=True)))
            rest = sorted(set(job_ids).difference(locked))
            asked = await connection.fetch(sql("control.request_cancels"), user_id, rest) if rest else []
            if gone or asked:
                subject, details = f"user:{user_id}", {"jobs": [one.job_id for one in gone] + [row[0] for row in asked]}
                await record(connection, now, actor, "jobs.cancelled", subject, details, owner=user_id)
            return Cancelled(gone, {row["job_id"]: row["executor"] for row in asked}, released)

    async def cancel_requests(self, node: NodeId) -> list[int]:
        """Returns the jobs of an executor's runs that have a request to cancel."""
        return [row["job_id"] for row in await self._pool.rows(sql("control.cancel_requests"), node)]
