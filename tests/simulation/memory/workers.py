"""`WorkerStore` in memory: as sql/workers.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from duetime.model.ids import NodeId, UserId, shard_of
from duetime.model.labels import spelled
from duetime.model.pull import Worker
from duetime.model.shown_worker import ShownWorker
from duetime.model.states import JobState
from duetime.store.offer_port import OFFERED
from duetime.store.port import LaunchedRow, LaunchIntent
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
from simulation.memory.launch import commit, launched_rows
from simulation.memory.link import Link
from simulation.memory.offers import MemoryOffers
from simulation.memory.tables import Flight, Member, Tables

_labels = msgspec.json.Decoder(dict[str, str])


@dataclass(slots=True)
class _Row:
    worker: Worker
    joined_at: datetime
    draining: bool = False
    last_take: str | None = None
    last_take_at: datetime | None = None


class MemoryWorkers:
    """Workers and their runs. What only this port has is kept here: each place has one of it."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link, self._offers = tables, link, MemoryOffers(tables, link)
        self._rows: dict[int, _Row] = {}
        self.notes: dict[int, tuple[int, Note, datetime]] = {}

    def _living(self, worker: int) -> _Row | None:
        return self._rows.get(worker) if worker in self._tables.leases else None

    async def register(self, worker: Worker, ttl: float, most: int) -> NodeId | None:
        """A new worker with a lease."""
        alive = [one for key, one in self._rows.items() if key in self._tables.leases]
        if sum(one.worker.user_id == worker.user_id for one in alive) >= most:
            return None
        tables = self._tables
        made = NodeId(tables.number("node"))
        tables.node_names[made] = worker.name
        tables.leases[made] = Member(made, worker.name, ("worker",), tables.clock() + timedelta(seconds=ttl))
        self._rows[made] = _Row(msgspec.structs.replace(worker, id=made), tables.clock())
        return made

    async def worker(self, worker: NodeId, take_id: str | None = None) -> KnownWorker | None:
        """A worker that has a lease."""
        row = self._living(worker)
        if row is None:
            return None
        same = take_id is not None and row.last_take == take_id
        return KnownWorker(row.worker, row.draining, row.last_take_at if same else None)

    async def living(self, workers: Sequence[int]) -> set[int]:
        """Those that have a lease."""
        return {one for one in workers if one in self._tables.leases}

    async def of_user(self, user_id: int, limit: int) -> list[ShownWorker]:
        """The living workers of a user."""
        found = [row for key, row in sorted(self._rows.items()) if self._living(key) and row.worker.user_id == user_id]
        return [
            ShownWorker(row.worker, row.draining, row.joined_at, self._left(row), len(self._flights(row.worker.id)))
            for row in found[:limit]
        ]

    async def elsewhere(self, node: NodeId) -> list[Worker]:
        """The living workers, while another node has an API."""
        if not any("api" in one.roles and key != node for key, one in self._tables.leases.items()):
            return []
        return [row.worker for key, row in sorted(self._rows.items()) if self._living(key) and not row.draining]

    async def launch(
        self,
        node: NodeId,
        worker: NodeId,
        take_id: str,
        now: datetime,
        launches: Sequence[LaunchIntent],
        requires: str,
    ) -> PulledRows:
        """Launch into a worker's hands."""
        row = self._living(worker)
        if row is None:
            return PulledRows([], [])
        launched = commit(self._tables, node, now, launches)
        if launched:
            row.last_take, row.last_take_at = take_id, now
        for job_id in launched:
            flight = self._tables.in_flight[job_id]
            flight.executor, flight.requires = worker, _labels.decode(requires)
        return self._read(sorted(launched), now)

    async def hand_to(
        self, node: NodeId, worker: NodeId, take_id: str, now: datetime, rows: Sequence[LaunchedRow], requires: str
    ) -> list[PulledRow]:
        """Give launches of a node to a worker."""
        row, handed = self._living(worker), list[PulledRow]()
        for one in rows if row is not None else ():
            flight = self._tables.in_flight.get(one.id)
            if flight is not None and flight.executor == node:
                flight.executor, flight.taken_at, flight.requires = worker, now, _labels.decode(requires)
                handed.append(PulledRow(one, self._tables.jobs[one.id].labels, None))
        if row is not None and handed:
            row.last_take, row.last_take_at = take_id, now
        return handed

    async def on_offer(self, limit: int) -> list[str]:
        """Pools with offers."""
        return sorted({spelled(one.requires or {}) for one in self._offered()})[:limit]

    async def take(self, worker: NodeId, take_id: str, limit: int, now: datetime) -> PulledRows:
        """Take offers."""
        row = self._living(worker)
        if row is None or row.draining:
            return PulledRows([], [])
        fitting = [one for one in self._offered() if row.worker.fits(spelled(one.requires or {}))][:limit]
        for flight in fitting:
            flight.executor, flight.taken_at = worker, now
        if fitting:
            row.last_take, row.last_take_at = take_id, now
        return self._read([one.job_id for one in fitting], now)

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that no worker took."""
        old = [one.job_id for one in self._offered() if one.launched_at < before and held[shard_of(one.job_id)]]
        for job_id in old[:limit]:
            del self._tables.in_flight[job_id]
        return old[:limit]

    async def beat(
        self, worker: NodeId, ttl: float, free: int | None, notes: Sequence[Note], now: datetime
    ) -> Beaten | None:
        """Renew a lease."""
        row = self._living(worker)
        if row is None:
            return None
        self._tables.leases[worker].until = self._tables.clock() + timedelta(seconds=ttl)
        mine = {one.job_id: one for one in self._flights(worker)}
        for note in notes:
            if note.job_id in mine and mine[note.job_id].attempt == note.attempt:
                before = self.notes[note.job_id][1] if note.job_id in self.notes else note
                kept = Note(*note[:2], note.progress or before.progress, note.checkpoint or before.checkpoint)
                self.notes[note.job_id] = (note.attempt, kept, now)
        runs: list[BeatRun] = []
        for one in mine.values():
            job, note = self._tables.job_of(one.user_id, one.job_id), self.notes.get(one.job_id)
            noted = note[2] if note is not None and note[0] == one.attempt else None
            definition = None if job is None else job.definition_id
            runs.append(BeatRun(one.job_id, one.attempt, one.held_since, one.cancel, definition, noted))
        return Beaten(row.draining, runs)

    async def held(
        self, worker: NodeId, job_ids: Sequence[int] | None = None, since: datetime | None = None
    ) -> list[HeldRow]:
        """A worker's runs."""
        found: list[HeldRow] = []
        for one in self._flights(worker):
            if (job_ids is None or one.job_id in job_ids) and since in (None, one.held_since):
                run = (one.job_id, one.user_id, one.attempt)
                for row in launched_rows(self._tables, [run], datetime.max.replace(tzinfo=one.launched_at.tzinfo)):
                    labels = self._tables.jobs[one.job_id].labels
                    found.append(HeldRow(row, one.held_since, one.cancel, labels, self._checkpoint(one.job_id)))
        return found

    async def settled(self, worker: NodeId, user_id: int, job_ids: Sequence[int]) -> list[SettledRun]:
        """Attempts on record with a worker."""
        ended = [(one.job.id, one.attempt, one.state, one.result, one.executor) for one in self._tables.history]
        runs = [(one.job_id, one.attempt, one.state, one.result, one.executor) for one in self._tables.runs]
        return [
            SettledRun(job_id, attempt, JobState(state), _kind(result))
            for job_id, attempt, state, result, executor in (*ended, *runs)
            if job_id in job_ids and executor == worker
        ]

    async def drain(self, worker: NodeId, user_id: UserId, draining: bool) -> bool:
        """Let a worker take nothing more."""
        row = self._living(worker)
        if row is None or row.worker.user_id != user_id:
            return False
        row.draining = draining
        return True

    async def leave(self, worker: NodeId) -> None:
        """End a lease."""
        self._tables.leases.pop(worker, None)

    async def forget_notes(self, before: datetime) -> None:
        """Forget what ended jobs reported."""
        for job_id in [one for one, (_, _, at) in self.notes.items() if at < before]:
            if job_id not in self._tables.jobs:
                del self.notes[job_id]

    def _left(self, row: _Row) -> float:
        return (self._tables.leases[row.worker.id].until - self._tables.clock()).total_seconds()

    def _flights(self, worker: int) -> list[Flight]:
        return [one for _, one in sorted(self._tables.in_flight.items()) if one.executor == worker]

    def _offered(self) -> list[Flight]:
        found = [
            one for one in self._tables.in_flight.values() if one.executor == OFFERED and "" in (one.requires or {})
        ]
        return sorted(found, key=lambda one: (one.launched_at, one.job_id))

    def _checkpoint(self, job_id: int) -> str | None:
        return self.notes[job_id][1].checkpoint if job_id in self.notes else None

    def _read(self, job_ids: Sequence[int], now: datetime) -> PulledRows:
        rows: list[PulledRow] = []
        for job_id in job_ids:
            flight = self._tables.in_flight[job_id]
            run = (job_id, flight.user_id, flight.attempt)
            for row in launched_rows(self._tables, [run], max(now, flight.launched_at)):
                rows.append(PulledRow(row, self._tables.jobs[job_id].labels, self._checkpoint(job_id)))
        found = {one.row.id for one in rows}
        return PulledRows(rows, [job_id for job_id in job_ids if job_id not in found])


def _kind(result: str | None) -> str | None:
    failure = msgspec.json.decode(result).get("failure") if result else None
    return failure["kind"] if failure else None
