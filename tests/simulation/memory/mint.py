"""`MintStore` in memory: as store/postgres/mints.py, step by step within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from duetime.model.ids import NodeId
from duetime.store.port import JobRef, LaunchedRow
from duetime.store.schedule_port import Minted, Minting, NextJob, ScheduleRow, SkippedRange, first_of_lanes
from simulation.memory.control import taken_nominal
from simulation.memory.launch import is_not_its_turn, lane_is_taken, launched_rows, may_launch, put_in_flight
from simulation.memory.link import Link
from simulation.memory.tables import Ended, Flight, JobRecord, Tables


class MemoryMint:
    """Launching occurrences."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def to_launch(self, ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        """Schedules by id, each with its unfinished earlier occurrences."""
        wanted = sorted(ids)
        return await self._link.call("to_launch", lambda: _to_launch(self._tables, wanted))

    async def launch_and_mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Launch occurrences that go as they are."""
        return await self._link.call("launch_and_mint", lambda: _launch_and_mint(self._tables, node, now, mintings))

    async def mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Carry plans out."""
        return await self._link.call("mint", lambda: _mint(self._tables, node, now, mintings))


def _to_launch(tables: Tables, wanted: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
    answer: list[tuple[ScheduleRow, list[int]]] = []
    for one in wanted:
        schedule = tables.schedules.get(one)
        if schedule is None:
            continue
        row, overlapping = tables.shown(schedule), list[int]()
        if row.overlap != "allow" and row.pending_job is not None:
            overlapping = _unfinished(tables, one, row.pending_job)
        answer.append((row, overlapping[:1001]))
    return answer


def _unfinished(tables: Tables, schedule_id: int, pending_job: int) -> list[int]:
    return [
        job.id
        for job in tables.jobs.values()
        if job.schedule_id == schedule_id
        and job.occurrence is not None
        and job.id != pending_job
        and job.parked is None
    ]


def _launch_and_mint(tables: Tables, node: int, now: datetime, mintings: Sequence[Minting]) -> Minted:
    free = [one for one in mintings if not one.alone or not _unfinished(tables, one.next.schedule_id, one.job_id)]
    taken = _take(tables, node, now, first_of_lanes(free), in_lane=True, there=False)
    mine = [one for one in mintings if one.job_id in taken]
    good = lock(tables, ((one.next.schedule_id, one.version, one.job_id) for one in mine))
    done = [one for one in mine if one.next.schedule_id in good and _same_calendar(tables, one)]
    if any(one.next.nominal and taken_nominal(tables, one.next.schedule_id, one.next.nominal) for one in done):
        return Minted(deferred={one.job_id for one in mintings})
    for one in done:
        if one.launch and one.launch.lane:
            job = tables.jobs[one.job_id]
            job.lane = one.launch.lane
            tables.note_job("moved", job)
    rows = _put_in_flight(tables, done, taken, now)
    following = move_on(tables, [one.next for one in done], now, minted=True)
    moved, rest = {one.job_id for one in done}, [one for one in mintings if one.job_id not in taken]
    outdated = {one.next.schedule_id for one in mine if one.job_id not in moved}
    outdated.update(one.next.schedule_id for one in rest if one.alone)
    left = {one.job_id for one in rest if not one.alone and one.launch and one.launch.lane}
    return Minted(rows, following, set(), outdated, left)


def _same_calendar(tables: Tables, one: Minting) -> bool:
    return tables.shown(tables.schedules[one.next.schedule_id]).calendar_version == one.calendar_version


def _put_in_flight(
    tables: Tables, done: Sequence[Minting], taken: dict[int, Flight], now: datetime
) -> list[LaunchedRow]:
    """Launch those that are there, and not for another instant or place than planned; what they are to do."""
    wanted = [one for one in done if one.launch and one.job_id in taken]
    rows = launched_rows(tables, [(one.job_id, one.user_id, 1) for one in wanted], now)
    places = {one.job_id: one.launch.execute_at for one in wanted if one.launch and one.launch.lane}
    rows = [row for row in rows if places.get(row.id, row.execute_at) == row.execute_at]
    for row in sorted(rows):
        put_in_flight(tables, taken[row.id])
    return rows


def _mint(tables: Tables, node: int, now: datetime, mintings: Sequence[Minting]) -> Minted:
    taken = _take(tables, node, now, first_of_lanes(mintings), in_lane=True)
    waiting = [one for one in mintings if one.job_id not in taken and one.launch and one.launch.lane]
    queued = _take(tables, node, now, waiting, in_lane=False)
    mine = [one for one in mintings if one.job_id in taken or one.job_id in queued]
    good = lock(tables, ((one.next.schedule_id, one.version, one.job_id) for one in mine))
    done = [one for one in mine if one.next.schedule_id in good]
    if any(
        one.launch
        and one.launch.moved
        and taken_nominal(tables, one.next.schedule_id, one.launch.execute_at, one.job_id)
        for one in done
    ):
        return Minted(outdated={one.next.schedule_id for one in mintings})
    for one in done:
        _record(tables, one, now)
        _move(tables, one, queued)
    rows = _put_in_flight(tables, done, taken, now)
    following = move_on(tables, [one.next for one in done], now, minted=True)
    entered = {job_id for job_id in queued if job_id in {one.job_id for one in done}}
    return Minted(rows, following, entered, {one.next.schedule_id for one in mine} - good, moved=good)


def _take(
    tables: Tables, node: int, now: datetime, mintings: Iterable[Minting], *, in_lane: bool, there: bool = True
) -> dict[int, Flight]:
    """Which launch locks this node would get. Those that are kept are put in flight when all else is known."""
    taken: dict[int, Flight] = {}
    lanes: set[tuple[int, str]] = set()
    for one in sorted(mintings, key=lambda one: one.job_id):
        lane = one.launch.lane if one.launch and in_lane else None
        place = (one.launch.execute_at if one.launch else now, one.job_id)
        if (
            not may_launch(tables, node, one.job_id, one.term)
            or (tables.safeguards.unique_launch and one.job_id in tables.in_flight)
            or (there and tables.job_of(one.user_id, one.job_id) is None)
        ):
            tables.refused += 1
            continue
        if lane is not None and (
            (one.user_id, lane) in lanes
            or lane_is_taken(tables, one.user_id, lane)
            or is_not_its_turn(tables, one.user_id, lane, place)
        ):
            continue
        if lane is not None:
            lanes.add((one.user_id, lane))
        taken[one.job_id] = Flight(one.job_id, one.user_id, node, one.term, 1, now, lane)
    return taken


def _record(tables: Tables, one: Minting, now: datetime) -> None:
    if one.own_skip is not None:
        job, skip = tables.jobs[one.job_id], one.own_skip
        tables.note_job("skipped", job, state="skipped", text=skip.reason)
        job.execute_at = skip.first
        tables.end(
            Ended(
                job,
                "skipped",
                job.attempt,
                now,
                reason=skip.reason,
                covers_until=_until(skip),
                covers_count=_count(skip),
            )
        )
    for skip in one.skips:
        record_range(tables, one.next.schedule_id, skip, now)


def record_range(tables: Tables, schedule_id: int, skip: SkippedRange, now: datetime) -> None:
    """Record instants that never were a job."""
    schedule = tables.schedules[schedule_id]
    row = schedule.row
    job = JobRecord(
        id=tables.job_id(row.shard),
        user_id=row.user_id,
        definition_id=row.definition_id,
        priority=row.priority,
        ready=False,
        timed=False,
        flow=schedule.flow,
        execute_at=skip.first,
        due_at=skip.first,
        created_at=now,
        message="",
        schedule_id=row.id,
        lane=row.ordering_key,
        labels=row.labels,
        occurrence=row.occurrences + 1,
    )
    tables.end(Ended(job, "skipped", 0, now, reason=skip.reason, covers_until=_until(skip), covers_count=_count(skip)))


def _until(skip: SkippedRange) -> datetime | None:
    return None if skip.count == 1 else skip.last


def _count(skip: SkippedRange) -> int | None:
    return None if skip.count == 1 else skip.count


def _move(tables: Tables, one: Minting, queued: dict[int, Flight]) -> None:
    launch, job = one.launch, tables.jobs.get(one.job_id)
    if launch is None or job is None or not (launch.moved or launch.lane):
        return
    job.execute_at, job.due_at = launch.execute_at, launch.due_at
    job.lane, job.ready = launch.lane, one.job_id not in queued
    if job.message == launch.minted_message:
        job.message = launch.message
    if job.expires_at == launch.minted_expires_at:
        job.expires_at = launch.expires_at
    tables.note_job("moved", job)


def lock(tables: Tables, planned: Iterable[tuple[int, int, int | None]]) -> set[int]:
    """Schedules that still are what was planned with, given as (id, version, pending job)."""
    good: set[int] = set()
    for schedule_id, version, job in planned:
        schedule = tables.schedules.get(schedule_id)
        if schedule is not None and (schedule.row.version, schedule.row.pending_job) == (version, job):
            good.add(schedule_id)
    return good


def move_on(tables: Tables, nexts: Sequence[NextJob], now: datetime, *, minted: bool) -> list[JobRef]:
    """Store next occurrences and move their schedules on; a nominal instant that is taken sets its schedule adrift."""
    found: list[JobRef] = []
    for one in nexts:
        schedule = tables.schedules[one.schedule_id]
        row = schedule.row
        pending = None
        if one.nominal is not None and one.due_at is not None:
            pending = tables.job_id(row.shard)
            if not taken_nominal(tables, row.id, one.nominal):
                job = JobRecord(
                    id=pending,
                    user_id=row.user_id,
                    definition_id=row.definition_id,
                    priority=row.priority,
                    ready=True,
                    timed=True,
                    flow=schedule.flow,
                    execute_at=one.nominal,
                    due_at=one.due_at,
                    created_at=now,
                    message=one.message or "",
                    expires_at=one.expires_at,
                    schedule_id=row.id,
                    labels=row.labels,
                    occurrence=one.occurrence,
                )
                tables.jobs[pending] = job
                tables.note_job("stored", job, text=job.message)
                found.append(job.ref())
            else:
                pending = None
        schedule.needs_repair = one.nominal is not None and pending is None and one.state == "active"
        schedule.row = row._replace(
            pending_job=pending,
            pending_nominal=one.nominal,
            pending_due=one.due_at,
            accounted_until=one.accounted_until,
            judged_until=one.judged_until,
            effective_from=one.effective_from,
            state=one.state,
            occurrences=one.occurrence - 1 if minted else row.occurrences,
            version=row.version if minted else row.version + 1,
            updated_at=row.updated_at if minted else now,
        )
    return found
