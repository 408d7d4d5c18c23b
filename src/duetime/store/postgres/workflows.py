"""`WorkflowStore` on PostgreSQL. What ends of steps lead to is decided in migrations/0012_workflows.sql."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from duetime.model.events import JobEnded
from duetime.model.ids import MAX_ID, JobId
from duetime.model.states import JobState
from duetime.model.workflow import Dependency, NewWorkflow, Outline, WaitFor, Workflow, WorkflowState, WorkflowStep
from duetime.postgres.pool import Connection, Pool
from duetime.store.port import Ending, JobRef, JobRow, KeyHolder, Stored, Withdrawn
from duetime.store.postgres.audit import record
from duetime.store.postgres.due import refs
from duetime.store.postgres.ended import ended
from duetime.store.postgres.fence import Fence, nothing_moves
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention
from duetime.store.postgres.submit import CHUNK, chunked
from duetime.store.workflow_port import (
    Input,
    Overdue,
    SettledSteps,
    SignalSent,
    StepWait,
    StoppedWorkflow,
    StoredWorkflow,
    TimedOut,
)

EDGES_AT_ONCE = 5000


class PostgresWorkflows:
    """`WorkflowStore` on PostgreSQL."""

    def __init__(self, pool: Pool, fence: Fence = nothing_moves) -> None:
        self._pool, self._fence = pool, fence

    async def create(self, workflow: NewWorkflow, rows: Sequence[JobRow], now: datetime) -> StoredWorkflow:
        """Store a workflow and the jobs of its steps."""
        shard = rows[0].shard
        async with self._pool.transaction() as connection:
            await self._fence(connection, shards=[shard])
            if workflow.idempotency_key is None:
                workflow_id = await connection.fetchval(sql("workflows.new_id"), shard)
            else:
                workflow_id = await connection.fetchval(
                    sql("workflows.reserve_key"),
                    workflow.user_id,
                    workflow.idempotency_key,
                    shard,
                    workflow.fingerprint or b"",
                    now,
                )
                if workflow_id is None:
                    return await self._repeated(connection, workflow)
            await connection.execute(
                sql("workflows.store"),
                workflow_id,
                workflow.user_id,
                workflow.name,
                len(workflow.steps),
                now,
                workflow.deadline_at,
                workflow.on_deadline,
            )
            ids = await self._store_jobs(connection, rows, workflow_id, now)
            await self._store_steps(connection, workflow, workflow_id, rows, ids, now)
        ready = [not step.waits for step in workflow.steps]
        return StoredWorkflow(workflow_id, [Stored(*one) for one in zip(ids, ready, strict=True)])

    async def finish(self, endings: Sequence[Ending]) -> SettledSteps:
        """Settle runs of steps, with what follows in their workflows."""
        try:
            row = await self._pool.row(sql("workflows.finish"), endings)
        except asyncpg.CheckViolationError as error:
            if "no partition" not in str(error):
                raise
            days = [one.finished_at.astimezone(UTC).date() for one in endings]
            await PostgresRetention(self._pool).make_days(min(days), max(days) + timedelta(days=1))
            row = await self._pool.row(sql("workflows.finish"), endings)
        if row is None:
            return SettledSteps(set(), [], [])
        return SettledSteps(set(row["settled"] or ()), refs(row["released"] or ()), ended(row["skipped"] or ()))

    async def inputs(self, job_ids: Sequence[int], most: int) -> list[Input]:
        """Returns what the parents of steps hand to them."""
        return [Input(*row) for row in await self._pool.rows(sql("workflows.inputs"), job_ids, most)]

    async def list(
        self, user_id: int, before_id: int | None, limit: int, state: WorkflowState | None, name: str | None
    ) -> list[Workflow]:
        """Returns workflows, newest first."""
        before = MAX_ID + 1 if before_id is None else before_id
        rows = await self._pool.rows(sql("workflows.list"), user_id, before, state, name, limit)
        return [_workflow(row) for row in rows]

    async def show(self, user_id: int, workflow_id: int) -> Outline | None:
        """Returns a workflow with its steps."""
        row = await self._pool.row(sql("workflows.by_id"), user_id, workflow_id)
        if row is None:
            return None
        parents: dict[int, list[Dependency]] = defaultdict(list)
        for edge in await self._pool.rows(sql("workflows.edges"), workflow_id):
            parents[edge["child"]].append(Dependency(edge["ref"], edge["rule"]))
        steps = await self._pool.rows(sql("workflows.steps"), workflow_id)
        return Outline(_workflow(row), tuple(_step(one, parents[one["job_id"]]) for one in steps))

    async def stop(
        self, user_id: int, workflow_id: int, state: WorkflowState, reason: str, now: datetime, actor: int | None
    ) -> StoppedWorkflow | None:
        """End a running workflow. The launch locks of all its open steps come first, then the lock of the workflow."""
        async with self._pool.transaction() as connection:
            if await connection.fetchrow(sql("workflows.by_id"), user_id, workflow_id) is None:
                return None
            steps = [row["job_id"] for row in await connection.fetch(sql("workflows.open_steps"), workflow_id)]
            locked = [row[0] for row in await connection.fetch(sql("control.lock_jobs"), user_id, sorted(steps), now)]
            if await connection.fetchval(sql("workflows.stop"), workflow_id, state) is None:
                await connection.execute(sql("workflows.unlock_jobs"), locked)
                return None
            gone: list[JobEnded] = []
            if locked:
                gone, _ = await end_locked(connection, user_id, locked, JobState.CANCELLED, now, reason)
            rest = sorted(set(steps).difference(locked))
            asked = await connection.fetch(sql("control.request_cancels"), user_id, rest) if rest else []
            details = {"state": str(state), "reason": reason, "steps": len(gone) + len(asked)}
            subject = f"workflow:{workflow_id}"
            await record(connection, now, actor, "workflow.stopped", subject, details, owner=user_id)
            return StoppedWorkflow(gone, {row["job_id"]: row["executor"] for row in asked})

    async def overdue(self, held: Sequence[bool], now: datetime, limit: int) -> list[Overdue]:
        """Returns workflows whose deadline has passed."""
        rows = await self._pool.rows(sql("workflows.overdue"), now, bytes(held), limit)
        ends = {"cancel": WorkflowState.CANCELLED, "fail": WorkflowState.FAILED}
        return [Overdue(row["id"], row["user_id"], ends[row["on_deadline"]]) for row in rows]

    async def signal(
        self, user_id: int, workflow_id: int, name: str, key: str, payload: str, now: datetime, actor: int
    ) -> SignalSent | None:
        """Keep a signal, and release the steps that only it is missing for."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("workflows.lock"), [workflow_id])
            found = await connection.fetchrow(sql("workflows.by_id"), user_id, workflow_id)
            if found is None or found["state"] != WorkflowState.RUNNING:
                return None
            if not await connection.fetchval(sql("workflows.send_signal"), workflow_id, name, key, payload, now):
                return SignalSent([], repeated=True)
            released = await connection.fetchval(sql("workflows.release_signalled"), workflow_id, name, now)
            subject = f"workflow:{workflow_id}"
            await record(connection, now, actor, "workflow.signalled", subject, {"name": name}, owner=user_id)
            return SignalSent(refs(released))

    async def timed_out(self, held: Sequence[bool], now: datetime, limit: int) -> list[TimedOut]:
        """Returns steps whose signal did not come in time."""
        return [TimedOut(*row) for row in await self._pool.rows(sql("workflows.timed_out"), now, bytes(held), limit)]

    async def time_out(self, step: TimedOut, reason: str, now: datetime) -> Withdrawn:
        """End a step whose signal did not come in time, or let it start without. Locks as `ControlStore.withdraw`."""
        async with self._pool.transaction() as connection:
            if await connection.fetchrow(sql("control.lock_job"), step.user_id, step.job_id, now) is None:
                return Withdrawn([])
            await connection.execute(sql("workflows.lock"), [step.workflow_id])
            done = Withdrawn([])
            if await connection.fetchval(sql("workflows.still_timed_out"), step.job_id, now):
                if step.runs:
                    await connection.execute(sql("workflows.start_unsignalled"), step.job_id)
                    done = Withdrawn([], refs(await connection.fetchval(sql("workflows.release"), step.job_id, now)))
                else:
                    ids = [step.job_id]
                    done = Withdrawn(*await end_locked(connection, step.user_id, ids, JobState.DEAD, now, reason))
            await connection.execute(sql("workflows.unlock_jobs"), [step.job_id])
            return done

    async def waits(self, user_id: int, job_ids: Sequence[int]) -> dict[int, StepWait]:
        """Returns what waiting steps wait for."""
        rows = await self._pool.rows(sql("workflows.waits"), job_ids, user_id)
        return {
            row["job_id"]: StepWait(
                row["workflow_id"],
                row["join_any"],
                tuple(row["refs"]),
                row["undecided"],
                row["signal"],
                row["signal_until"],
            )
            for row in rows
        }

    async def drop(self, before: datetime, limit: int) -> int:
        """Delete workflows that ended before an instant."""
        status = await self._pool.run(sql("workflows.drop"), before, limit)
        return int(status.rsplit(" ", 1)[1])

    async def _repeated(self, connection: Connection, workflow: NewWorkflow) -> StoredWorkflow:
        row = await connection.fetchrow(sql("submit.key_holders"), [workflow.user_id], [workflow.idempotency_key])
        assert row is not None  # noqa: S101 - the insert met it
        return StoredWorkflow(row["job_id"], [], KeyHolder(row["job_id"], row["fingerprint"]))

    async def _store_jobs(
        self, connection: Connection, rows: Sequence[JobRow], workflow_id: int, now: datetime
    ) -> list[int]:
        ids: list[int] = []
        for chunk in chunked(rows):
            ids += await connection.fetchval(sql("workflows.store_jobs"), chunk, now, workflow_id)
        return ids

    async def _store_steps(
        self,
        connection: Connection,
        workflow: NewWorkflow,
        workflow_id: int,
        rows: Sequence[JobRow],
        ids: list[int],
        now: datetime,
    ) -> None:
        by_ref = {step.ref: job_id for step, job_id in zip(workflow.steps, ids, strict=True)}
        steps = [
            (
                job_id,
                number,
                step.ref,
                row.definition_id,
                row.flow,
                step.join == "any",
                step.pass_inputs,
                step.delay,
                len(step.depends_on),
                *(
                    (None, None, None)
                    if step.wait_for is None
                    else (step.wait_for.signal, step.wait_for.timeout, step.wait_for.on_timeout)
                ),
            )
            for number, (step, row, job_id) in enumerate(zip(workflow.steps, rows, ids, strict=True))
        ]
        for at in range(0, len(steps), CHUNK):
            some = steps[at : at + CHUNK]
            await connection.execute(sql("workflows.store_steps"), some, workflow_id, workflow.user_id, now)
        edges = [
            (by_ref[one.ref], by_ref[step.ref], number, one.on)
            for step in workflow.steps
            for number, one in enumerate(step.depends_on)
        ]
        for at in range(0, len(edges), EDGES_AT_ONCE):
            columns = zip(*edges[at : at + EDGES_AT_ONCE], strict=True)
            await connection.execute(sql("workflows.store_edges"), *map(list, columns))


async def end_locked(
    connection: Any, user_id: int, job_ids: Sequence[int], state: JobState, now: datetime, reason: str
) -> tuple[list[JobEnded], list[JobRef]]:
    """End jobs whose locks are held, some of them steps, and release the locks. Returns ends, and released steps."""
    row = await connection.fetchrow(sql("workflows.end_locked"), user_id, job_ids, state, now, reason)
    await connection.execute(sql("workflows.unlock_jobs"), job_ids)
    return ended([*(row["done"] or ()), *(row["skipped"] or ())]), refs(row["released"] or ())


def _workflow(row: Any) -> Workflow:
    return Workflow(row[0], row[1], row[2], WorkflowState(row[3]), *row[4:])


def _step(row: Any, parents: list[Dependency]) -> WorkflowStep:
    return WorkflowStep(
        row["ref"],
        JobId(row["job_id"]),
        JobState(row["state"]),
        "any" if row["join_any"] else "all",
        tuple(parents),
        row["attempts"],
        row["due_at"],
        row["started_at"],
        row["finished_at"],
        row["reason"],
        None if row["signal"] is None else WaitFor(row["signal"], row["signal_timeout"], row["on_timeout"]),
    )
