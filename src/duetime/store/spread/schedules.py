"""Schedules of several databases: each lives where its occurrences do; their names are kept at home."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from duetime.model.errors import Conflict, PartlyStored, StoreAway
from duetime.model.schedule import ScheduleRecord
from duetime.store.port import JobRef
from duetime.store.schedule_port import ExtraJob, NextJob, Replan, ScheduleColumns, ScheduleRow
from duetime.store.spread.calendars import SpreadCalendars
from duetime.store.spread.definitions import DefinitionCopies
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.spread.names import ScheduleNames
from duetime.store.spread.places import SpreadPlaces

REMEMBERED = 100_000


class SpreadSchedules:
    """`ScheduleStore` over several databases. Registering many is all or none in each database."""

    def __init__(
        self, members: Members, places: SpreadPlaces, copies: DefinitionCopies, calendars: SpreadCalendars
    ) -> None:
        self._members, self._places, self._copies, self._calendars = members, places, copies, calendars
        self._names = ScheduleNames(members)
        self._where: dict[int, SpreadMember] = {}
        """Where schedules were last seen."""

    async def numbers(self, count: int) -> list[int]:
        """Ids for new schedules, from home."""
        return await self._members.home.ask(lambda stores: stores.schedules.numbers(count))

    async def create(
        self, user_id: int, columns: Sequence[ScheduleColumns], first: Sequence[NextJob], now: datetime, actor: int
    ) -> list[JobRef]:
        """Register schedules with their first occurrences."""
        for one in columns:
            self._refuse_closed(one.shard)
        await self._names.reserve(user_id, [one.name for one in columns], [one.schedule_id for one in first])
        stored: list[JobRef] = []
        done: list[int] = []
        for member, places in self._members.by_member(range(len(columns)), lambda at: columns[at].shard).items():
            some, nexts = [columns[at] for at in places], [first[at] for at in places]
            try:
                await self._bring(member, some, now)
                stored += await member.ask(
                    lambda stores, a=some, b=nexts: stores.schedules.create(user_id, a, b, now, actor)
                )
            except StoreAway as error:
                if not done:
                    raise
                left = [at for at in range(len(columns)) if at not in done]
                raise PartlyStored(
                    f"{len(done)} of {len(columns)} schedules were registered; the others were not, or nobody knows, "
                    "because their database is away: register those again.",
                    not_stored=left,
                ) from error
            done += places
            self._seen(member, (one.schedule_id for one in nexts))
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
        """Change schedules, each where it lives."""
        groups: dict[SpreadMember, list[Replan]] = {}
        for one in replans:
            groups.setdefault(await self._find(one.next.schedule_id), []).append(one)
        renamed: tuple[int, str, int] | None = None
        if columns is not None or delete:
            ((member, (replan,)),) = groups.items()
            renamed = await self._prepare_change(member, replan, columns, now, delete=delete)
        good: set[int] = set()
        following: list[JobRef] = []
        for member, some in groups.items():
            done, refs = await member.ask(
                lambda stores, a=some: stores.schedules.replan(
                    a, now, action=action, actor=actor, columns=columns, delete=delete
                )
            )
            good |= done
            following += refs
        if renamed is not None and good:
            await self._names.free(*renamed)
        return good, following

    async def schedule(self, user_id: int, schedule_id: int) -> ScheduleRow | None:
        """One schedule."""
        row = await self._members.first(
            lambda stores: stores.schedules.schedule(user_id, schedule_id), self._where.get(schedule_id)
        )
        if row is not None:
            self._seen(self._members.of(row.shard), [row.id])
        return row

    async def named(self, user_id: int, names: Sequence[str]) -> list[ScheduleRow]:
        """Schedules by name."""
        return self._merged(await self._members.each(lambda stores: stores.schedules.named(user_id, names)))

    async def schedules(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None
    ) -> list[ScheduleRow]:
        """Schedules by id."""
        pages = await self._members.each(lambda stores: stores.schedules.schedules(user_id, after_id, limit, state, q))
        return self._merged(pages)[:limit]

    async def count(self, user_id: int) -> int:
        """How many schedules a user has, in all databases that answer."""
        return sum(await self._members.everyone(lambda stores: stores.schedules.count(user_id)))

    async def needing_repair(self, limit: int) -> list[ScheduleRow]:
        """Active schedules without a pending occurrence, but for those that are just being moved."""
        pages = await self._members.each(lambda stores: stores.schedules.needing_repair(limit))
        return [row for row in self._merged(pages) if self._places.closed(row.shard) is None][:limit]

    async def of_calendar(self, calendar_id: int, after_id: int, limit: int) -> list[ScheduleRow]:
        """Schedules that go by a calendar."""
        pages = await self._members.each(lambda stores: stores.schedules.of_calendar(calendar_id, after_id, limit))
        return self._merged(pages)[:limit]

    async def every(self, after_id: int, limit: int) -> list[ScheduleRow]:
        """Active schedules of everybody."""
        return self._merged(await self._members.each(lambda stores: stores.schedules.every(after_id, limit)))[:limit]

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """What became of a schedule's instants, newest first, wherever it lived then."""
        pages = await self._members.everyone(
            lambda stores: stores.schedules.history(user_id, schedule_id, before_id, limit)
        )
        found = {record.job_id: record for page in pages for record in page}
        return [found[job_id] for job_id in sorted(found, reverse=True)][:limit]

    async def add_jobs(
        self, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        """Store jobs of a schedule beside its occurrences."""
        member = await self._find(schedule_id)
        return await member.ask(lambda stores: stores.schedules.add_jobs(schedule_id, jobs, now, actor, action))

    async def fact(self, name: str) -> str | None:
        """Something remembered about all schedules; nothing where databases differ."""
        facts = set(await self._members.everyone(lambda stores: stores.schedules.fact(name)))
        return facts.pop() if len(facts) == 1 else None

    async def remember(self, name: str, value: str) -> None:
        """Remember something about all schedules."""
        await self._members.everyone(lambda stores: stores.schedules.remember(name, value))

    async def _prepare_change(
        self, member: SpreadMember, replan: Replan, columns: ScheduleColumns | None, now: datetime, *, delete: bool
    ) -> tuple[int, str, int] | None:
        """See that what is changed can be as it is to be; the name that is free afterwards, if one is."""
        schedule_id = replan.next.schedule_id
        row = await member.ask(lambda stores: stores.schedules.schedule(replan.user_id, schedule_id))
        if row is None:
            return None
        if columns is not None:
            self._refuse_closed(columns.shard)
            if self._members.of(columns.shard) is not member:
                raise Conflict(
                    "With this ordering key or limit the schedule would live in another database: delete it, and "
                    "register it anew."
                )
            await self._bring(member, [columns], now)
            if columns.name != row.name:
                await self._names.reserve(replan.user_id, [columns.name], [schedule_id])
        renamed = delete or (columns is not None and columns.name != row.name)
        return (replan.user_id, row.name, schedule_id) if renamed else None

    async def _bring(self, member: SpreadMember, columns: Sequence[ScheduleColumns], now: datetime) -> None:
        await self._copies.bring(member, {one.definition_id for one in columns}, now.date())
        await self._calendars.bring(member, {one.calendar_id for one in columns if one.calendar_id is not None})

    async def _find(self, schedule_id: int) -> SpreadMember:
        member = self._where.get(schedule_id)
        if member is None:
            for found, rows in await self._members.each(lambda stores: stores.mint.to_launch([schedule_id])):
                if rows:
                    self._seen(found, [schedule_id])
                    return found
            return self._members.home
        return member

    def _merged(self, pages: Iterable[tuple[SpreadMember, list[ScheduleRow]]]) -> list[ScheduleRow]:
        found: dict[int, ScheduleRow] = {}
        for member, rows in pages:
            for row in rows:
                if row.id not in found or self._members.of(row.shard) is member:
                    found[row.id] = row
            self._seen(member, (row.id for row in rows))
        return [found[schedule_id] for schedule_id in sorted(found)]

    def _seen(self, member: SpreadMember, ids: Iterable[int]) -> None:
        if len(self._where) > REMEMBERED:
            self._where.clear()
        self._where.update(dict.fromkeys(ids, member))

    def _refuse_closed(self, shard: int) -> None:
        closed = self._places.closed(shard)
        if closed is not None:
            raise StoreAway(closed)
