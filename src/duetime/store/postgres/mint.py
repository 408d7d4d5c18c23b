"""`MintStore` on PostgreSQL: launches occurrences and stores the next ones, many in one transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import asyncpg

from duetime.model.ids import NodeId
from duetime.postgres.pool import Connection, Pool
from duetime.store.port import JobRef, LaunchedRow
from duetime.store.postgres.due import refs
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention
from duetime.store.schedule_port import Launching, Minted, Minting, NextJob, ScheduleRow, SkippedRange, first_of_lanes

T = TypeVar("T")
TRIES = 5
"""A launch that collides with another one sees that one at the next try."""


class PostgresMint:
    """`MintStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def to_launch(self, ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        """Returns schedules by id, each with its earlier occurrences that are not finished."""
        rows = await self._pool.rows(sql("mint.to_launch"), ids)
        return [(ScheduleRow(*row[:-1]), row[-1] or []) for row in rows]

    async def launch_and_mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Launch occurrences as they are, all in one statement."""
        given = [_occurrence_row(one, one.launch) for one in first_of_lanes(mintings) if one.launch]
        try:
            answer = await self._pool.rows(sql("mint.launch_occurrences"), node, now, given)
        except asyncpg.UniqueViolationError:
            return Minted(deferred={one.job_id for one in mintings})
        plans = {one.job_id: one for one in mintings}
        minted = Minted()
        for *row, next_id, flow, priority in answer:
            one = plans.pop(row[0])
            if row[2] is not None:
                minted.rows.append(LaunchedRow._make(row))
            if priority is None:
                minted.outdated.add(one.next.schedule_id)
            elif next_id is not None:
                minted.next.append(_next(one, next_id, flow, priority))
        for one in plans.values():
            if one.alone:
                minted.outdated.add(one.next.schedule_id)
            elif one.launch and one.launch.lane:
                minted.deferred.add(one.job_id)
        return minted

    async def mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Carry out plans of any kind in one transaction."""
        for _ in range(TRIES):
            try:
                return await with_days(self._pool, now, lambda: self._mint(node, now, mintings))
            except asyncpg.UniqueViolationError:
                continue
        return Minted(outdated={one.next.schedule_id for one in mintings})

    async def _mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        async with self._pool.transaction() as connection:
            at_once = await _lock_occurrences(connection, node, now, first_of_lanes(mintings), in_lane=True)
            waiting = [one for one in mintings if one.job_id not in at_once and one.launch and one.launch.lane]
            queued = await _lock_occurrences(connection, node, now, waiting, in_lane=False) if waiting else set[int]()
            locked = [one for one in mintings if one.job_id in at_once or one.job_id in queued]
            current = await lock(connection, ((one.next.schedule_id, one.version, one.job_id) for one in locked))
            done = [one for one in locked if one.next.schedule_id in current]
            rows, following = list[LaunchedRow](), list[JobRef]()
            if done:
                await _record(connection, done, now)
                await _move(connection, done, queued)
                following = await move_on(connection, [one.next for one in done], now, minted=True)
                rows = await _read(connection, [one for one in done if one.launch and one.job_id in at_once], now)
            released = {one.job_id for one in locked}.difference(row.id for row in rows)
            if released:
                await connection.execute(sql("mint.release"), node, list(released))
            queued &= {one.job_id for one in done}
            return Minted(rows, following, queued, {one.next.schedule_id for one in locked} - current, moved=current)


def _occurrence_row(one: Minting, launch: Launching) -> tuple[object, ...]:
    """Returns the columns of the type `occurrence_row`."""
    return (
        one.job_id,
        one.user_id,
        one.term,
        one.version,
        one.calendar_version,
        one.alone,
        launch.lane,
        launch.execute_at,
        *one.next,
    )


def _next(one: Minting, job_id: int, flow: int, priority: int) -> JobRef:
    """Returns the reference of the next occurrence, which was just stored."""
    nominal = one.next.nominal or one.next.effective_from
    return JobRef(
        job_id, one.user_id, flow, priority, one.next.due_at or nominal, 0, None, nominal, one.next.schedule_id
    )


async def _read(connection: Connection, launched: Sequence[Minting], now: datetime) -> list[LaunchedRow]:
    """Returns what to run for launched jobs. A job that was given another instant meanwhile has no row."""
    if not launched:
        return []
    users, ids = [one.user_id for one in launched], [one.job_id for one in launched]
    found = await connection.fetch(sql("mint.read_launched"), users, ids, now)
    return list(map(LaunchedRow._make, found))


async def _lock_occurrences(
    connection: Connection, node: NodeId, now: datetime, mintings: Iterable[Minting], *, in_lane: bool
) -> set[int]:
    """Acquire the launch locks of pending occurrences, with `in_lane` also their lanes. Returns the jobs locked."""
    ordered = sorted(mintings, key=lambda one: one.job_id)
    rows = await connection.fetch(
        sql("mint.lock_occurrences"),
        node,
        now,
        [one.job_id for one in ordered],
        [one.user_id for one in ordered],
        [one.term for one in ordered],
        [one.launch.lane if one.launch and in_lane else None for one in ordered],
        [one.launch.execute_at if one.launch else now for one in ordered],
    )
    return {row[0] for row in rows}


async def _record(connection: Connection, done: Sequence[Minting], now: datetime) -> None:
    own = [(one, one.own_skip) for one in done if one.own_skip is not None]
    if own:
        await connection.execute(
            sql("mint.skip_jobs"),
            [one.user_id for one, _ in own],
            [one.job_id for one, _ in own],
            [skip.first for _, skip in own],
            [_until(skip) for _, skip in own],
            [_count(skip) for _, skip in own],
            [skip.reason for _, skip in own],
            now,
        )
    await record_ranges(connection, [(one.next.schedule_id, skip) for one in done for skip in one.skips], now)


async def record_ranges(connection: Connection, skips: Sequence[tuple[int, SkippedRange]], now: datetime) -> None:
    """Record skipped instants for which there was no job."""
    if skips:
        await connection.execute(
            sql("mint.skip_ranges"),
            [schedule_id for schedule_id, _ in skips],
            [skip.first for _, skip in skips],
            [_until(skip) for _, skip in skips],
            [_count(skip) for _, skip in skips],
            [skip.reason for _, skip in skips],
            now,
        )


def _until(skip: SkippedRange) -> datetime | None:
    return None if skip.count == 1 else skip.last


def _count(skip: SkippedRange) -> int | None:
    return None if skip.count == 1 else skip.count


async def _move(connection: Connection, done: Sequence[Minting], queued: set[int]) -> None:
    moved = [(one, one.launch) for one in done if one.launch and (one.launch.moved or one.launch.lane)]
    if moved:
        await connection.execute(
            sql("mint.move_jobs"),
            [one.user_id for one, _ in moved],
            [one.job_id for one, _ in moved],
            [launch.execute_at for _, launch in moved],
            [launch.due_at for _, launch in moved],
            [launch.expires_at for _, launch in moved],
            [launch.message for _, launch in moved],
            [launch.lane for _, launch in moved],
            [one.job_id not in queued for one, _ in moved],
            [launch.minted_message for _, launch in moved],
            [launch.minted_expires_at for _, launch in moved],
        )


async def lock(connection: Connection, planned: Iterable[tuple[int, int, int | None]]) -> set[int]:
    """Lock schedules that are still as planned with, given as (id, version, pending job). Returns the ids locked."""
    columns = list(zip(*planned, strict=True))
    if not columns:
        return set()
    return {row[0] for row in await connection.fetch(sql("mint.lock_schedules"), *columns)}


async def move_on(connection: Connection, nexts: Sequence[NextJob], now: datetime, *, minted: bool) -> list[JobRef]:
    """Store the next occurrences and update their schedules. Returns the occurrences.

    A schedule whose next nominal instant has a job already is marked as needing repair.
    """
    found = refs(await connection.fetch(sql("mint.store_next"), nexts, now, minted))
    wanted = {one.schedule_id for one in nexts if one.nominal is not None}
    missing = wanted.difference(ref.schedule_id or 0 for ref in found)
    if missing:
        await connection.execute(sql("mint.need_repair"), list(missing))
    return found


async def with_days(pool: Pool, now: datetime, work: Callable[[], Awaitable[T]]) -> T:
    """Do work that writes history. If the partition of the day is missing, create it and do the work again."""
    try:
        return await work()
    except asyncpg.CheckViolationError as error:
        if "no partition" not in str(error):
            raise
        day = now.astimezone(UTC).date()
        await PostgresRetention(pool).make_days(day, day + timedelta(days=1))
        return await work()
