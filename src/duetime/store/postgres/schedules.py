"""`ScheduleStore` on PostgreSQL. Each change holds the locks and is audited in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import asyncpg

from duetime.model.errors import Conflict
from duetime.model.schedule import ScheduleRecord, name_taken
from duetime.postgres.pool import Connection, Pool
from duetime.store.port import JobRef
from duetime.store.postgres.audit import record
from duetime.store.postgres.audited_columns import changed_columns
from duetime.store.postgres.due import refs
from duetime.store.postgres.fence import Fence, nothing_moves
from duetime.store.postgres.mint import lock, move_on, record_ranges, with_days
from duetime.store.postgres.queries import sql
from duetime.store.schedule_port import ExtraJob, NextJob, Replan, ScheduleColumns, ScheduleRow

PER_STATEMENT = 2000
EDITOR = 0
"""The holder of a job's launch lock during an edit."""

MOST_NAMES = 20
"""How many names of new schedules the audit keeps."""


class PostgresSchedules:
    """`ScheduleStore` on PostgreSQL."""

    def __init__(self, pool: Pool, fence: Fence = nothing_moves) -> None:
        self._pool, self._fence = pool, fence

    async def numbers(self, count: int) -> list[int]:
        """Returns ids for new schedules."""
        return [row[0] for row in await self._pool.rows(sql("schedules.numbers"), count)]

    async def create(
        self, user_id: int, columns: Sequence[ScheduleColumns], first: Sequence[NextJob], now: datetime, actor: int
    ) -> list[JobRef]:
        """Store schedules with their first occurrences, all or none."""
        stored: list[JobRef] = []
        try:
            async with self._pool.transaction() as connection:
                await self._fence(connection, shards=[one.shard for one in columns])
                for at in range(0, len(columns), PER_STATEMENT):
                    some, nexts = columns[at : at + PER_STATEMENT], first[at : at + PER_STATEMENT]
                    given = list(zip(*some, strict=True))
                    ids = [one.schedule_id for one in nexts]
                    await connection.execute(sql("schedules.create"), ids, [user_id] * len(some), *given, now)
                    stored += await move_on(connection, nexts, now, minted=False)
                subject = f"schedule:{first[0].schedule_id}" if len(first) == 1 else f"schedules:{len(first)}"
                names = [one.name for one in columns[:MOST_NAMES]]
                await record(connection, now, actor, "schedule.created", subject, {"names": names}, owner=user_id)
        except asyncpg.UniqueViolationError:
            raise await self._name_taken(user_id, [one.name for one in columns]) from None
        return stored

    async def replan(
        self,
        replans: Sequence[Replan],
        now: datetime,
        *,
        action: str | None = None,
        actor: int | None = None,
        columns: ScheduleColumns | None = None,
        delete: bool = False,
    ) -> tuple[set[int], list[JobRef]]:
        """Change schedules. Returns the ids of those changed, and their new pending occurrences."""
        try:
            return await with_days(
                self._pool, now, lambda: self._replan(replans, now, action, actor, columns, delete=delete)
            )
        except asyncpg.UniqueViolationError:
            if columns is None:
                raise
            raise Conflict(f"There is another schedule with the name '{columns.name}': choose another name.") from None

    async def _replan(
        self,
        replans: Sequence[Replan],
        now: datetime,
        action: str | None,
        actor: int | None,
        columns: ScheduleColumns | None,
        *,
        delete: bool,
    ) -> tuple[set[int], list[JobRef]]:
        async with self._pool.transaction() as connection:
            shards = () if columns is None else (columns.shard,)
            await self._fence(connection, shards=shards, schedules=[one.next.schedule_id for one in replans])
            locked = await _lock_jobs(connection, replans, now)
            free = [one for one in replans if one.pending_job is None or one.pending_job in locked]
            current = await lock(connection, ((one.next.schedule_id, one.version, one.pending_job) for one in free))
            done = [one for one in free if one.next.schedule_id in current]
            dropped = [(one.user_id, one.pending_job) for one in done if one.pending_job is not None]
            if dropped:
                await connection.execute(sql("schedules.drop_jobs"), *zip(*dropped, strict=True))
            await record_ranges(connection, [(one.next.schedule_id, skip) for one in done for skip in one.skips], now)
            following: list[JobRef] = []
            ids = [one.next.schedule_id for one in done] if action else []
            before = {row["id"]: row for row in await connection.fetch(sql("schedules.columns"), ids)} if ids else {}
            for one in done if delete or columns else ():
                if delete:
                    await connection.execute(sql("schedules.delete"), one.next.schedule_id)
                elif columns:
                    await connection.execute(sql("schedules.edit"), one.next.schedule_id, *columns)
            if done and not delete:
                following = await move_on(connection, [one.next for one in done], now, minted=False)
            if locked:
                await connection.execute(sql("mint.release"), EDITOR, list(locked))
            after = {row["id"]: row for row in await connection.fetch(sql("schedules.columns"), ids)} if ids else {}
            for one in done if action else ():
                schedule_id = one.next.schedule_id
                details = await changed_columns(connection, before.get(schedule_id), after.get(schedule_id))
                subject = f"schedule:{schedule_id}"
                await record(connection, now, actor, action or "", subject, details, owner=one.user_id)
            return current, following

    async def schedule(self, user_id: int, schedule_id: int) -> ScheduleRow | None:
        """Returns one schedule."""
        row = await self._pool.row(sql("schedules.by_id"), user_id, schedule_id)
        return None if row is None else ScheduleRow(*row)

    async def named(self, user_id: int, names: Sequence[str]) -> list[ScheduleRow]:
        """Returns schedules by name."""
        return [ScheduleRow(*row) for row in await self._pool.rows(sql("schedules.by_names"), user_id, names)]

    async def schedules(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None
    ) -> list[ScheduleRow]:
        """Returns schedules in the order of ids."""
        rows = await self._pool.rows(sql("schedules.list"), user_id, after_id, state, q, limit)
        return [ScheduleRow(*row) for row in rows]

    async def count(self, user_id: int) -> int:
        """Returns how many schedules a user has."""
        row = await self._pool.row(sql("schedules.count"), user_id)
        return 0 if row is None else row[0]

    async def needing_repair(self, limit: int) -> list[ScheduleRow]:
        """Returns schedules that need repair."""
        return [ScheduleRow(*row) for row in await self._pool.rows(sql("schedules.needing_repair"), limit)]

    async def of_calendar(self, calendar_id: int, after_id: int, limit: int) -> list[ScheduleRow]:
        """Returns schedules that use a calendar and are not paused."""
        rows = await self._pool.rows(sql("schedules.of_calendar"), calendar_id, after_id, limit)
        return [ScheduleRow(*row) for row in rows]

    async def every(self, after_id: int, limit: int) -> list[ScheduleRow]:
        """Returns active schedules of all users, in the order of ids."""
        return [ScheduleRow(*row) for row in await self._pool.rows(sql("schedules.every"), after_id, limit)]

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """Returns the record of a schedule's instants, newest first."""
        rows = await self._pool.rows(sql("schedules.history"), schedule_id, before_id, limit, user_id)
        return [ScheduleRecord(*row) for row in rows]

    async def add_jobs(
        self, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        """Store jobs of a schedule in addition to its occurrences."""
        async with self._pool.transaction() as connection:
            await self._fence(connection, schedules=[schedule_id])
            rows = await connection.fetch(sql("schedules.insert_jobs"), schedule_id, *zip(*jobs, strict=True), now)
            owner = await connection.fetchval(sql("schedules.owner"), schedule_id)
            details = {"jobs": len(jobs)}
            await record(connection, now, actor, action, f"schedule:{schedule_id}", details, owner=owner)
        return refs(rows)

    async def fact(self, name: str) -> str | None:
        """Returns a named value about all schedules."""
        row = await self._pool.row(sql("schedules.fact"), name)
        return None if row is None else row["value"]

    async def remember(self, name: str, value: str) -> None:
        """Store a named value about all schedules."""
        await self._pool.run(sql("schedules.remember"), name, value)

    async def _name_taken(self, user_id: int, names: list[str]) -> Conflict:
        taken = {row.name for row in await self.named(user_id, names)}
        twice = {name for name in names if names.count(name) > 1} if not taken else set[str]()
        name = next((name for name in names if name in taken or name in twice), "")
        return name_taken(name, names)


async def _lock_jobs(connection: Connection, replans: Sequence[Replan], now: datetime) -> set[int]:
    pending = [(one.user_id, one.pending_job) for one in replans if one.pending_job is not None]
    if not pending:
        return set()
    users, jobs = zip(*pending, strict=True)
    return {row[0] for row in await connection.fetch(sql("schedules.lock_jobs"), users, jobs, now)}
