"""`WorkerInsightStore` in memory: as sql/worker_insight.sql."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from duetime.model.flow import BREAKER_BIT, PART
from duetime.model.shown_worker import WorkerRun
from duetime.store.worker_insight_port import FlowWaiting
from simulation.memory.tables import Flight, JobRecord, Tables
from simulation.memory.workers import MemoryWorkers


class MemoryWorkerInsight:
    """Runs of workers and jobs of queues. What runs report is the other port's."""

    def __init__(self, tables: Tables, workers: MemoryWorkers) -> None:
        self._tables, self._workers = tables, workers

    async def runs(self, worker: int, limit: int) -> list[WorkerRun]:
        """What a worker holds."""
        held = [one for one in self._held() if one.executor == worker]
        return [self._run(one) for one in sorted(held, key=lambda one: (one.held_since, one.job_id))[:limit]]

    async def run(self, user_id: int, job_id: int) -> WorkerRun | None:
        """The run of a job."""
        return next((self._run(one) for one in self._held() if (one.user_id, one.job_id) == (user_id, job_id)), None)

    async def waiting(self, user_id: int, now: datetime, most: int) -> list[FlowWaiting]:
        """What is due in each flow."""
        flows: dict[int, list[JobRecord]] = {}
        for job in self._tables.jobs.values():
            due = job.ready and job.due_at <= now and job.id not in self._tables.in_flight
            if due and job.user_id == user_id and 0 < job.flow & PART < BREAKER_BIT:
                flows.setdefault(job.flow, []).append(job)
        part = max(100, most // max(1, len(flows)))
        return [
            FlowWaiting(flow, min(job.due_at for job in jobs), min(part, len(jobs)), len(jobs) >= part)
            for flow, jobs in flows.items()
        ]

    async def running(self, user_id: int) -> dict[str, int]:
        """What is held, by queue."""
        return Counter(self._run(one).queue for one in self._held() if one.user_id == user_id)

    def _held(self) -> list[Flight]:
        return [one for one in self._tables.in_flight.values() if one.executor > 0 and "" in (one.requires or {})]

    def _run(self, one: Flight) -> WorkerRun:
        _, queue, task, _ = (one.requires or {})[""].split(" ")
        attempt, note, at = self._workers.notes.get(one.job_id, (0, None, None))
        mine = note is not None and attempt == one.attempt
        return WorkerRun(
            one.job_id,
            one.attempt,
            one.executor,
            self._tables.node_names[one.executor],
            queue,
            task,
            one.held_since,
            one.cancel,
            note.progress if note is not None and mine else None,
            at if mine else None,
            note is not None and note.checkpoint is not None,
        )
