"""Schedules: creates, changes, pauses and deletes them. After the answer, no run starts with the former content."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from datetime import datetime

import msgspec
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.quota import Quota
from duetime.engine.intake.wake import Wake
from duetime.engine.recurring.plan import EDITED, PAUSED, Fold, fold_between, fold_left_out
from duetime.engine.recurring.timetables import (
    DEFAULT_MISFIRE,
    Timetables,
    as_schedule,
    identity,
    lane_of,
    next_job,
    ranges,
)
from duetime.engine.slices import RequestSlices
from duetime.model.definition import definition_hash, encode_definition
from duetime.model.errors import Conflict, Invalid, NotFound
from duetime.model.flow import flow_of_job
from duetime.model.ids import MAX_ID, SHARDS, UserId, shard_of_definition, shard_of_lane
from duetime.model.job import NewJob
from duetime.model.schedule import Schedule, ScheduleContent, ScheduleRecord, decode_timing, encode_timing
from duetime.store.port import JobRef
from duetime.store.schedule_port import (
    CalendarStore,
    NextJob,
    Replan,
    ScheduleColumns,
    ScheduleRow,
    ScheduleStore,
)
from duetime.timing.calendars import Calendar
from duetime.timing.preview import Preview, preview_steps
from duetime.timing.spec import Timing, compile_timing
from duetime.timing.timetable import Occurrence, Timetable

TRIES = 5
"""A schedule can mint while it is being changed. Each try reads it and plans again."""
SEARCHED = 20_000
"""How many left-out instants are passed in search of the first one of a new schedule."""
COUNTED = 50_000
"""How many instants that passed during a pause are counted."""
SLICE = 1000
"""How many schedules are read, and how many definitions are stored, at a time."""
_encode = msgspec.json.Encoder(order="deterministic").encode


class NamedCalendars(Struct):
    """The calendars that some schedules use, by name."""

    ids: dict[str, int]
    contents: dict[str, Calendar]


class Schedules:
    """Carries out what people request for schedules.

    Raises `NotFound` for another user's schedule, and `Conflict` for a change that its state does not allow.
    """

    def __init__(
        self,
        store: ScheduleStore,
        calendars: CalendarStore,
        definitions: Definitions,
        clock: Clock,
        wake: Wake,
        quota: Quota,
        timetables: Timetables | None = None,
    ) -> None:
        self._store, self._calendars, self._definitions = store, calendars, definitions
        self._clock, self._wake, self._quota = clock, wake, quota
        self._timetables = timetables or Timetables()

    async def create(
        self, user_id: int, contents: Sequence[ScheduleContent], actor: int, ids: Sequence[int] | None = None
    ) -> list[int]:
        """Create schedules, all or none, with new ids or with these. Returns their ids in order."""
        now = self._clock.now()
        await self._quota.check_schedules(user_id, len(contents))
        known = await self._prepare(user_id, contents, now)
        ids = list(ids or await self._store.numbers(len(contents)))
        columns: list[ScheduleColumns] = []
        first: list[NextJob] = []
        slices = RequestSlices(self._clock)
        for index, (schedule_id, content) in enumerate(zip(ids, contents, strict=True)):
            await slices.pause()
            with _naming(index if len(contents) > 1 else None):
                following = await self._first(user_id, content, known, now, slices)
            one = self._columns(user_id, schedule_id, content, known)
            columns.append(one)
            row = one.as_new(schedule_id, user_id, now)
            first.append(
                next_job(row, following, occurrences=0, accounted_until=None, judged_until=None, effective_from=now)
            )
        self._wake_owners(await self._store.create(user_id, columns, first, now, actor))
        return ids

    async def check(self, user_id: int, contents: Sequence[ScheduleContent], new: Collection[str]) -> None:
        """Refuse invalid timings, and timings without a future instant if the schedule's name is `new`."""
        now = self._clock.now()
        await self._quota.check_schedules(user_id, len(new), keep=False)
        known = await self._known_calendars(user_id, [content.timing for content in contents])
        slices = RequestSlices(self._clock)
        for index, content in enumerate(contents):
            await slices.pause()
            with _naming(index):
                if content.name in new:
                    await self._first(user_id, content, known, now, slices)
                else:
                    self._compiled(user_id, content, known)

    async def show(self, user_id: int, schedule_id: int) -> Schedule:
        """Returns one schedule."""
        return (await self._as_schedules([await self._row(user_id, schedule_id)]))[0]

    async def named(self, user_id: int, names: Sequence[str]) -> list[Schedule]:
        """Returns the schedules that exist among these names."""
        found: list[Schedule] = []
        for at in range(0, len(names), SLICE):
            found += await self._as_schedules(await self._store.named(user_id, names[at : at + SLICE]))
        return found

    async def list(
        self, user_id: int, after_id: int, limit: int, state: str | None = None, q: str | None = None
    ) -> list[Schedule]:
        """Returns schedules in order of their ids."""
        return await self._as_schedules(await self._store.schedules(user_id, after_id, limit, state, q))

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """Returns the record of a schedule's instants, newest first, also after the schedule was deleted."""
        found = await self.recorded(user_id, schedule_id, before_id, limit)
        if not found and before_id > MAX_ID:
            await self._row(user_id, schedule_id)
        return found

    async def recorded(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """As `history`, but empty for a schedule that does not exist."""
        return await self._store.history(user_id, schedule_id, before_id, limit)

    async def preview(
        self, user_id: int, schedule_id: int, count: int, after: datetime | None
    ) -> tuple[Timing, Preview]:
        """Returns the timing of a schedule and its next instants."""
        row = await self._row(user_id, schedule_id)
        steps = preview_steps(self._timetables.of(row).timetable, after or self._clock.now(), count)
        return decode_timing(row.spec), await RequestSlices(self._clock).finish(steps)

    async def preview_of(self, user_id: int, timing: Timing, name: str, count: int, after: datetime | None) -> Preview:
        """Returns the next instants of a timing that is not saved."""
        known = await self._known_calendars(user_id, [timing])
        timetable = compile_timing(timing, identity(user_id, name), known.contents.get(timing.calendar or ""))
        return await RequestSlices(self._clock).finish(preview_steps(timetable, after or self._clock.now(), count))

    async def edit(self, user_id: int, schedule_id: int, content: ScheduleContent, actor: int) -> Schedule:
        """Replace a schedule's content. Passed instants stay as they were; the new content applies to all others."""
        for _ in range(TRIES):
            now = self._clock.now()
            row = await self._row(user_id, schedule_id)
            known = await self._prepare(user_id, [content], now)
            columns = self._columns(user_id, schedule_id, content, known)
            changed = columns.as_new(schedule_id, user_id, now)
            replan = await self._edited(row, changed, content, known, now)
            done, refs = await self._store.replan([replan], now, action="schedule.edited", actor=actor, columns=columns)
            if done:
                self._wake_owners(refs)
                return await self.show(user_id, schedule_id)
        raise _busy(schedule_id)

    async def pause(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Pause a schedule: no occurrence launches from now on."""
        for _ in range(TRIES):
            now = self._clock.now()
            row = await self._row(user_id, schedule_id)
            if row.state == "ended":
                raise Conflict(f"Schedule {schedule_id} has ended: there is nothing to pause.")
            if row.state == "paused" or await self._stop(row, now, "schedule.paused", actor, delete=False):
                return await self.show(user_id, schedule_id)
        raise _busy(schedule_id)

    async def delete(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Delete a schedule. Its runs continue, and its history stays with its jobs. Returns the deleted schedule."""
        for _ in range(TRIES):
            now = self._clock.now()
            row = await self._row(user_id, schedule_id)
            shown = (await self._as_schedules([row]))[0]
            if await self._stop(row, now, "schedule.deleted", actor, delete=True):
                return shown
        raise _busy(schedule_id)

    async def resume(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Resume a paused schedule. Instants that passed during the pause are recorded as skipped."""
        for _ in range(TRIES):
            now = self._clock.now()
            row = await self._row(user_id, schedule_id)
            if row.state == "ended":
                raise Conflict(f"Schedule {schedule_id} has ended: change it to make it active again.")
            if row.state == "active":
                return await self.show(user_id, schedule_id)
            timetable, fold, slices = self._timetables.of(row).timetable, Fold(), RequestSlices(self._clock)
            await slices.finish(fold_between(timetable, _base(row), now, PAUSED, fold, COUNTED))
            following = await slices.finish(timetable.search_after(max(now, _base(row))))
            if await self._replan(row, following, fold, now, "schedule.resumed", actor):
                return await self.show(user_id, schedule_id)
        raise _busy(schedule_id)

    async def _edited(
        self, row: ScheduleRow, changed: ScheduleRow, content: ScheduleContent, known: NamedCalendars, now: datetime
    ) -> Replan:
        fold, effective_from, judged_until = Fold(), row.effective_from, row.judged_until
        same_timing = (row.spec, row.name) == (changed.spec, changed.name)
        timetable = self._compiled(row.user_id, content, known)
        following, slices = _pending(row), RequestSlices(self._clock)
        spent = content.max_occurrences is not None and row.occurrences >= content.max_occurrences
        if not same_timing:
            await self._fold_past(row, PAUSED if row.state == "paused" else EDITED, now, fold, slices)
            if following is not None and following.nominal > now:
                following = None
            effective_from, judged_until = now, None
        if following is None and not spent:
            following = await slices.finish(timetable.search_after(max(now, row.accounted_until or now), SEARCHED))
            _refuse_without_future(following)
        return Replan(
            row.user_id,
            row.version,
            row.pending_job,
            ranges(fold.skips()),
            next_job(
                changed,
                None if spent else following,
                occurrences=row.occurrences,
                accounted_until=row.accounted_until,
                judged_until=judged_until,
                effective_from=effective_from,
                paused=row.state == "paused",
            ),
        )

    async def _fold_past(self, row: ScheduleRow, reason: str, now: datetime, fold: Fold, slices: RequestSlices) -> None:
        """Gather the passed instants of a timing that is about to change, except the pending occurrence."""
        timetable, nominal = self._timetables.of(row).timetable, row.pending_nominal
        if row.pending_job is None or nominal is None:
            await slices.finish(fold_between(timetable, _base(row), now, reason, fold, COUNTED))
            return
        await slices.finish(fold_left_out(timetable, _base(row), min(nominal, now), fold))
        if nominal <= now:
            await slices.finish(fold_between(timetable, nominal, now, reason, fold, COUNTED))

    async def _stop(self, row: ScheduleRow, now: datetime, action: str, actor: int, *, delete: bool) -> bool:
        ended = next_job(
            row,
            None,
            occurrences=row.occurrences,
            accounted_until=row.accounted_until,
            judged_until=None,
            effective_from=row.effective_from,
            paused=True,
        )
        replan = Replan(row.user_id, row.version, row.pending_job, (), ended)
        done, _ = await self._store.replan([replan], now, action=action, actor=actor, delete=delete)
        return bool(done)

    async def _replan(
        self, row: ScheduleRow, following: Occurrence | None, fold: Fold, now: datetime, action: str, actor: int
    ) -> bool:
        moved = next_job(
            row,
            following,
            occurrences=row.occurrences,
            accounted_until=row.accounted_until,
            judged_until=None,
            effective_from=now,
        )
        replan = Replan(row.user_id, row.version, row.pending_job, ranges(fold.skips()), moved)
        done, refs = await self._store.replan([replan], now, action=action, actor=actor)
        self._wake_owners(refs)
        return bool(done)

    async def _prepare(self, user_id: int, contents: Sequence[ScheduleContent], now: datetime) -> NamedCalendars:
        """Check quotas, store definitions and find calendars. Returns the calendars."""
        known = await self._known_calendars(user_id, [content.timing for content in contents])
        jobs = [NewJob(UserId(user_id), content.definition, content.message, now) for content in contents]
        await self._quota.check(jobs)
        slices = RequestSlices(self._clock)
        for at in range(0, len(jobs), SLICE):
            some = jobs[at : at + SLICE]
            await slices.pause()
            await self._definitions.intern([(job.user_id, job.definition) for job in some], now.date())
        return known

    async def _known_calendars(self, user_id: int, timings: Sequence[Timing]) -> NamedCalendars:
        names = {timing.calendar for timing in timings if timing.calendar is not None}
        found = await self._calendars.named(user_id, sorted(names)) if names else []
        return NamedCalendars(
            {one.calendar.name: one.id for one in found}, {one.calendar.name: one.calendar for one in found}
        )

    def _compiled(self, user_id: int, content: ScheduleContent, known: NamedCalendars) -> Timetable:
        timing = content.timing
        return compile_timing(timing, identity(user_id, content.name), known.contents.get(timing.calendar or ""))

    async def _first(
        self, user_id: int, content: ScheduleContent, known: NamedCalendars, now: datetime, slices: RequestSlices
    ) -> Occurrence:
        timetable = self._compiled(user_id, content, known)
        following = timetable.nominal_after(now)
        if following is not None and following.run_at is None:
            following = await slices.finish(timetable.search_after(now, SEARCHED))
        return _refuse_without_future(following)

    def shard(self, user_id: int, schedule_id: int, content: ScheduleContent) -> int:
        """Returns the shard of a schedule and its occurrences. Those of a limit or a lane share one shard."""
        lane = lane_of(schedule_id, content.ordering_key, content.overlap)
        if lane is not None:
            return shard_of_lane(user_id, lane)
        if content.definition.policy.limit is not None:
            return shard_of_definition(user_id, definition_hash(encode_definition(content.definition)))
        return self._quota.shard(user_id, schedule_id % SHARDS)

    def _columns(
        self, user_id: int, schedule_id: int, content: ScheduleContent, known: NamedCalendars
    ) -> ScheduleColumns:
        definition_id = self._definitions.known(user_id, content.definition).id
        return ScheduleColumns(
            name=content.name,
            spec=encode_timing(content.timing).decode(),
            calendar_id=known.ids.get(content.timing.calendar or ""),
            definition_id=definition_id,
            flow=flow_of_job(user_id, definition_id, content.definition),
            shard=self.shard(user_id, schedule_id, content),
            message=content.message,
            ordering_key=content.ordering_key,
            priority=content.priority,
            labels=_encode(content.labels).decode() if content.labels else None,
            expires_after=content.expires_after,
            misfire=None if content.misfire == DEFAULT_MISFIRE else _encode(content.misfire).decode(),
            overlap=content.overlap,
            max_occurrences=content.max_occurrences,
        )

    def _wake_owners(self, refs: Sequence[JobRef]) -> None:
        horizon = self._wake.horizon
        self._wake.stored([ref for ref in refs if ref.due_at <= horizon])

    async def _row(self, user_id: int, schedule_id: int) -> ScheduleRow:
        row = await self._store.schedule(user_id, schedule_id)
        if row is None:
            raise NotFound(f"There is no schedule {schedule_id}.")
        return row

    async def _as_schedules(self, rows: Sequence[ScheduleRow]) -> list[Schedule]:
        definitions = await self._definitions.by_ids({row.definition_id for row in rows})
        return [as_schedule(row, definitions[row.definition_id]) for row in rows]


@contextmanager
def _naming(index: int | None) -> Generator[None]:
    """Add to an error within which one of many schedules it is about."""
    try:
        yield
    except Invalid as error:
        if index is not None:
            error.about("Schedule", index)
        raise


def _refuse_without_future(following: Occurrence | None) -> Occurrence:
    """Refuse a timing without an instant that runs. Says how far the search came if it did not come to the end."""
    if following is None:
        raise Invalid("This timing has no instant in the future: give one that has.")
    if following.run_at is None:
        why = "the rule is due too rarely" if "search_ended" in following.flags else "calendar and window leave all out"
        raise Invalid(
            f"No instant of this timing that runs was found up to {following.nominal:%Y-%m-%d}: {why}. Give a timing "
            "that runs earlier."
        )
    return following


def _busy(schedule_id: int) -> Conflict:
    return Conflict(f"Schedule {schedule_id} is being changed by another call: try again.")


def _base(row: ScheduleRow) -> datetime:
    return max(row.accounted_until or row.effective_from, row.effective_from)


def _pending(row: ScheduleRow) -> Occurrence | None:
    if row.pending_job is None or row.pending_nominal is None:
        return None
    return Occurrence(row.pending_nominal, row.pending_due)
