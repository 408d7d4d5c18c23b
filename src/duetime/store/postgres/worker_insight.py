"""`WorkerInsightStore` on PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import asyncpg

from duetime.model.flow import BREAKER_BIT
from duetime.model.ids import flow_of
from duetime.model.shown_worker import WorkerRun
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql
from duetime.store.worker_insight_port import FlowWaiting

FLOWS: Final = 200
"""How many flows of a user are looked at."""


class PostgresWorkerInsight:
    """`WorkerInsightStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def runs(self, worker: int, limit: int) -> list[WorkerRun]:
        """Returns the runs that a worker holds."""
        return [_run(row) for row in await self._pool.rows(sql("worker_insight.runs"), worker, limit)]

    async def run(self, user_id: int, job_id: int) -> WorkerRun | None:
        """Returns the run of a job that a worker holds."""
        row = await self._pool.row(sql("worker_insight.run"), user_id, job_id)
        return None if row is None else _run(row)

    async def waiting(self, user_id: int, now: datetime, most: int) -> list[FlowWaiting]:
        """Returns what is due in the flows of a user that are for one definition each."""
        flows = flow_of(user_id, 1), flow_of(user_id, BREAKER_BIT)
        found = await self._pool.rows(sql("worker_insight.waiting"), *flows, now, most, FLOWS)
        return [FlowWaiting(*row) for row in found]

    async def running(self, user_id: int) -> dict[str, int]:
        """Returns how many runs workers hold, by queue."""
        return {row[0]: row[1] for row in await self._pool.rows(sql("worker_insight.running"), user_id)}


def _run(row: asyncpg.Record) -> WorkerRun:
    job_id, attempt, worker, name, pulled, *rest = row
    _, queue, task, _ = pulled.split(" ")
    return WorkerRun(job_id, attempt, worker, name, queue, task, *rest)
