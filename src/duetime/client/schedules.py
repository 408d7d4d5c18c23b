"""Schedules and calendars: recurring jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import msgspec

from duetime.client.answers import Job
from duetime.client.calls import Calls
from duetime.client.schedule_answers import Applied, Backfilled, Calendar, Preview, Schedule, ScheduleRecord
from duetime.client.spec import Duration, with_offset

SCHEDULES = "/api/v1/me/schedules"
CALENDARS = "/api/v1/me/calendars"


class ScheduleCalls(Calls):
    """Making schedules, looking ahead and back, pausing and changing them.

    What a schedule says goes by the names that the API has: `cron`, `every`, `at`, `rrule`, `zone`,
    `message`, `target` and so on.
    """

    async def create_schedule(self, name: str, **fields: Any) -> Schedule:
        """Create a schedule; `ApiError` 409 when the name is taken."""
        body = _encode({"name": name, **fields})
        return self._read(await self._session.call("POST", SCHEDULES, body=body), Schedule)

    async def create_schedules(self, schedules: Iterable[Mapping[str, Any]]) -> list[int]:
        """Create many, in requests of up to 10,000, each of which is stored as a whole or not at all; their ids."""
        return await self._create_all(SCHEDULES, (_encode(one) for one in schedules))

    async def apply_schedules(
        self, schedules: Iterable[Mapping[str, Any]], *, dry_run: bool = False, prune: str | None = None
    ) -> list[Applied]:
        """Make schedules, found by name, what they are to be; or only say what that would take.

        With `prune`, those whose names begin with it and that are not among them are deleted.
        """
        body = _encode({"schedules": [_plain(one) for one in schedules], "dry_run": dry_run, "prune": prune})
        return self._read(
            await self._session.call("POST", f"{SCHEDULES}/apply", body=body, safe=dry_run), list[Applied]
        )

    async def schedule(self, schedule_id: int) -> Schedule:
        """One schedule."""
        return self._read(await self._session.call("GET", f"{SCHEDULES}/{schedule_id}", safe=True), Schedule)

    async def schedules(
        self, *, state: str | None = None, q: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Schedule]:
        """One's schedules, oldest first, page after page; at most `limit` of them."""
        params = {name: value for name, value in (("state", state), ("q", q)) if value is not None}
        async for schedule in self._pages(SCHEDULES, params, Schedule, limit):
            yield schedule

    async def edit_schedule(self, schedule_id: int, **fields: Any) -> Schedule:
        """Change a schedule: what is not given stays, and `None` takes a thing away."""
        body = msgspec.json.encode({name: _value(name, value) for name, value in fields.items()})
        return self._read(await self._session.call("PATCH", f"{SCHEDULES}/{schedule_id}", body=body), Schedule)

    async def delete_schedule(self, schedule_id: int) -> Schedule:
        """Delete a schedule; nothing of it starts after the answer."""
        return self._read(await self._session.call("DELETE", f"{SCHEDULES}/{schedule_id}"), Schedule)

    async def pause_schedule(self, schedule_id: int) -> Schedule:
        """Pause a schedule; nothing of it starts after the answer."""
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/pause", safe=True)
        return self._read(answer, Schedule)

    async def resume_schedule(self, schedule_id: int) -> Schedule:
        """Let a paused schedule go on."""
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/resume", safe=True)
        return self._read(answer, Schedule)

    async def run_schedule_now(self, schedule_id: int) -> Job:
        """Launch what a schedule launches now, beside its occurrences."""
        return self._read(await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/run-now"), Job)

    async def preview_schedule(self, schedule_id: int, *, n: int = 10, from_: datetime | None = None) -> list[Preview]:
        """What is to come of a schedule."""
        with_offset("from_", from_)
        params = {"n": str(n)} | ({} if from_ is None else {"from": from_.isoformat()})
        answer = await self._session.call("GET", f"{SCHEDULES}/{schedule_id}/preview", params=params, safe=True)
        return self._read(answer, list[Preview])

    async def preview(self, *, n: int = 10, from_: datetime | None = None, **timing: Any) -> list[Preview]:
        """What would come of a timing that is not saved."""
        body = _encode({**timing, "n": n, "from": from_})
        return self._read(await self._session.call("POST", "/api/v1/preview", body=body, safe=True), list[Preview])

    async def schedule_history(self, schedule_id: int, *, limit: int | None = None) -> AsyncIterator[ScheduleRecord]:
        """What became of a schedule's instants, newest first."""
        async for record in self._pages(f"{SCHEDULES}/{schedule_id}/history", {}, ScheduleRecord, limit):
            yield record

    async def backfill(
        self, schedule_id: int, from_: datetime, to: datetime, *, pace: Duration = 0, dry_run: bool = False
    ) -> Backfilled:
        """Launch the instants of a stretch of the past, one every `pace`; or only show which they are."""
        body = _encode({"from": from_, "to": to, "pace": pace, "dry_run": dry_run})
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/backfill", body=body, safe=dry_run)
        return self._read(answer, Backfilled)

    async def create_calendar(self, name: str, dates: Iterable[date], *, mode: str = "exclude") -> Calendar:
        """Create a calendar."""
        body = _encode({"name": name, "dates": list(dates), "mode": mode})
        return self._read(await self._session.call("POST", CALENDARS, body=body), Calendar)

    async def calendars(self, *, limit: int | None = None) -> AsyncIterator[Calendar]:
        """One's calendars."""
        async for calendar in self._pages(CALENDARS, {}, Calendar, limit):
            yield calendar

    async def calendar(self, calendar_id: int) -> Calendar:
        """One calendar."""
        return self._read(await self._session.call("GET", f"{CALENDARS}/{calendar_id}", safe=True), Calendar)

    async def edit_calendar(
        self, calendar_id: int, *, dates: Iterable[date] | None = None, mode: str | None = None
    ) -> Calendar:
        """Other dates for a calendar; it counts at once for every schedule that goes by it."""
        body = _encode({"dates": None if dates is None else list(dates), "mode": mode})
        return self._read(await self._session.call("PATCH", f"{CALENDARS}/{calendar_id}", body=body), Calendar)

    async def delete_calendar(self, calendar_id: int) -> Calendar:
        """Delete a calendar; `ApiError` 409 while a schedule goes by it."""
        return self._read(await self._session.call("DELETE", f"{CALENDARS}/{calendar_id}"), Calendar)


def _encode(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(_plain(fields))


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(name, value) for name, value in fields.items() if value is not None}


def _value(name: str, value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        with_offset(name, value)
    return value
