"""`WorkerStore` on PostgreSQL: workers, their leases and the runs that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from duetime.model.ids import NodeId, UserId
from duetime.model.labels import spelled
from duetime.model.pull import Worker
from duetime.model.shown_worker import ShownWorker
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.port import LaunchedRow, LaunchIntent
from duetime.store.postgres.launch import by_column, past_collisions
from duetime.store.postgres.offers import PostgresOffers
from duetime.store.postgres.queries import sql
from duetime.store.worker_port import (
    Beaten,
    BeatRun,
    HeldRow,
    KnownWorker,
    Note,
    PulledRow,
    PulledRows,
    SettledRun,
)

_labels = msgspec.json.Decoder(dict[str, str])
_COLUMNS = len(LaunchedRow._fields)


class PostgresWorkers:
    """`WorkerStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self._offers = pool, PostgresOffers(pool)

    async def register(self, worker: Worker, ttl: float, most: int) -> NodeId | None:
        """Create a worker with a lease. Returns its id."""
        await self._pool.run(sql("workers.forget"))
        queues, tasks, labels = list(worker.queues), list(worker.tasks), spelled(worker.labels)
        given = worker.user_id, worker.name, queues, tasks, worker.slots, labels, worker.sdk, ttl, most
        row = await self._pool.row(sql("workers.register"), *given)
        return None if row is None else NodeId(row[0])

    async def worker(self, worker: NodeId, take_id: str | None = None) -> KnownWorker | None:
        """Returns a worker that has a lease."""
        row = await self._pool.row(sql("workers.worker"), worker, take_id)
        return None if row is None else KnownWorker(_worker(row), row["draining"], row["taken_at"])

    async def living(self, workers: Sequence[int]) -> set[int]:
        """Returns those of these workers that have a lease."""
        return {row[0] for row in await self._pool.rows(sql("workers.living"), workers)}

    async def of_user(self, user_id: int, limit: int) -> list[ShownWorker]:
        """Returns the living workers of a user."""
        rows = await self._pool.rows(sql("workers.of_user"), user_id, limit)
        return [
            ShownWorker(_worker(row), row["draining"], row["joined_at"], row["lease_left"], row["running"])
            for row in rows
        ]

    async def elsewhere(self, node: NodeId) -> list[Worker]:
        """Returns the living workers, while another node has an API."""
        return [_worker(row) for row in await self._pool.rows(sql("workers.elsewhere"), node)]

    async def launch(
        self,
        node: NodeId,
        worker: NodeId,
        take_id: str,
        now: datetime,
        launches: Sequence[LaunchIntent],
        requires: str,
    ) -> PulledRows:
        """Commit launches that the worker holds."""
        _, columns = by_column(launches)
        rows = await past_collisions(
            lambda _: self._pool.rows(sql("workers.launch"), node, worker, take_id, now, *columns, requires)
        )
        return _pulled((row[0], tuple(row)) for row in rows)

    async def hand_to(
        self, node: NodeId, worker: NodeId, take_id: str, now: datetime, rows: Sequence[LaunchedRow], requires: str
    ) -> list[PulledRow]:
        """Give launches of this node to a worker."""
        by_id = {row.id: row for row in rows}
        handed = await self._pool.rows(sql("workers.hand_to"), node, worker, take_id, list(by_id), now, requires)
        return [PulledRow(by_id[job_id], labels, checkpoint) for job_id, labels, checkpoint in handed]

    async def on_offer(self, limit: int) -> list[str]:
        """Returns pools of workers that have launches on offer."""
        # jsonb spells labels in its own order.
        return [spelled(_labels.decode(row[0])) for row in await self._pool.rows(sql("workers.on_offer"), limit)]

    async def take(self, worker: NodeId, take_id: str, limit: int, now: datetime) -> PulledRows:
        """Take offers that fit the worker."""
        rows = await self._pool.rows(sql("workers.take"), worker, take_id, limit, now)
        return _pulled((row[0], tuple(row)[1:]) for row in rows)

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that no worker took."""
        return [row[0] for row in await self._pool.rows(sql("workers.take_back"), bytes(held), before, limit)]

    async def beat(
        self, worker: NodeId, ttl: float, free: int | None, notes: Sequence[Note], now: datetime
    ) -> Beaten | None:
        """Renew a lease, store what runs report, and return the worker's runs."""
        columns = [list(column) for column in zip(*notes, strict=True)] if notes else [[], [], [], []]
        rows = await self._pool.rows(sql("workers.beat"), worker, ttl, free, *columns, now)
        if not rows:
            return None
        return Beaten(rows[0]["draining"], [BeatRun(*tuple(row)[1:]) for row in rows if row["job_id"] is not None])

    async def held(
        self, worker: NodeId, job_ids: Sequence[int] | None = None, since: datetime | None = None
    ) -> list[HeldRow]:
        """Returns a worker's runs."""
        return [_held(row) for row in await self._pool.rows(sql("workers.held"), worker, job_ids, since)]

    async def settled(self, worker: NodeId, user_id: int, job_ids: Sequence[int]) -> list[SettledRun]:
        """Returns the attempts of these jobs that are on record with a worker."""
        rows = await self._pool.rows(sql("workers.settled"), user_id, job_ids, worker)
        return [SettledRun(job_id, attempt, JobState(state), kind) for job_id, attempt, state, kind in rows]

    async def drain(self, worker: NodeId, user_id: UserId, draining: bool) -> bool:
        """Set whether a user's worker takes nothing more."""
        return await self._pool.row(sql("workers.drain"), worker, user_id, draining) is not None

    async def leave(self, worker: NodeId) -> None:
        """End a lease at once."""
        await self._pool.run(sql("workers.leave"), worker)

    async def forget_notes(self, before: datetime) -> None:
        """Remove what runs of ended jobs had reported."""
        await self._pool.run(sql("workers.forget_notes"), before)


def _worker(row: asyncpg.Record) -> Worker:
    return Worker(
        id=NodeId(row["id"]),
        user_id=UserId(row["user_id"]),
        name=row["name"],
        queues=tuple(row["queues"]),
        tasks=tuple(row["tasks"]),
        slots=row["slots"],
        labels=_labels.decode(row["labels"]),
        sdk=row["sdk"],
    )


def _pulled(rows: Any) -> PulledRows:
    """Returns what to run, of rows with the job's id beside what was read of the job."""
    found, gone = list[PulledRow](), list[int]()
    for job_id, row in rows:
        if row[2] is None:
            gone.append(job_id)
        else:
            found.append(PulledRow(LaunchedRow(*row[:_COLUMNS]), row[_COLUMNS], row[_COLUMNS + 1]))
    return PulledRows(found, gone)


def _held(row: asyncpg.Record) -> HeldRow:
    launched = LaunchedRow(
        row["job_id"],
        row["user_id"],
        row["definition_id"],
        row["message"],
        row["execute_at"],
        row["due_at"],
        row["expires_at"],
        row["lane"],
        row["before"],
        row["base_attempt"],
        row["flow"],
        row["schedule_id"],
    )
    return HeldRow(launched, row["since"], row["cancel"], row["labels"], row["checkpoint"])
