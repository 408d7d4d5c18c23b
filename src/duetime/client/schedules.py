"""Calls about schedules and calendars."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import msgspec

from .answers import Job
from .calls import Calls
from .schedule_answers import Applied, Backfilled, Calendar, Preview, Schedule, ScheduleRecord
from .spec import Duration, require_offset

SCHEDULES = "/api/v1/me/schedules"
CALENDARS = "/api/v1/me/calendars"


class ScheduleCalls(Calls):
    """Creates, shows, changes and pauses schedules.

    The fields of a schedule have the names of the API: `cron`, `every`, `at`, `rrule`, `zone`, `message`,
    `target` and so on.
    """

    async def create_schedule(self, name: str, **fields: Any) -> Schedule:
        """Creates a schedule. Raises `ApiError` 409 when the name is in use."""
        body = _encode({"name": name, **fields})
        return self._read(await self._session.call("POST", SCHEDULES, body=body), Schedule)

    async def create_schedules(self, schedules: Iterable[Mapping[str, Any]]) -> list[int]:
        """Creates many schedules. Returns their ids.

        Each request carries up to 10,000, which are stored together or not at all.
        """
        return await self._create_all(SCHEDULES, (_encode(one) for one in schedules))

    async def apply_schedules(
        self, schedules: Iterable[Mapping[str, Any]], *, dry_run: bool = False, prune: str | None = None
    ) -> list[Applied]:
        """Applies a set of schedules, found by name: creates and changes them. `dry_run` only returns the plan.

        With `prune`, it deletes schedules whose names begin with that prefix and that are not in the set.
        """
        body = _encode({"schedules": [_plain(one) for one in schedules], "dry_run": dry_run, "prune": prune})
        return self._read(
            await self._session.call("POST", f"{SCHEDULES}/apply", body=body, safe=dry_run), list[Applied]
        )

    async def schedule(self, schedule_id: int) -> Schedule:
        """Returns a schedule."""
        return self._read(await self._session.call("GET", f"{SCHEDULES}/{schedule_id}", safe=True), Schedule)

    async def schedules(
        self, *, state: str | None = None, q: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Schedule]:
        """Yields the user's schedules, oldest first; at most `limit` of them."""
        params = {name: value for name, value in (("state", state), ("q", q)) if value is not None}
        async for schedule in self._pages(SCHEDULES, params, Schedule, limit):
            yield schedule

    async def edit_schedule(self, schedule_id: int, **fields: Any) -> Schedule:
        """Changes a schedule. What is not given stays as it is; None removes a field."""
        body = msgspec.json.encode({name: _value(name, value) for name, value in fields.items()})
        return self._read(await self._session.call("PATCH", f"{SCHEDULES}/{schedule_id}", body=body), Schedule)

    async def delete_schedule(self, schedule_id: int) -> Schedule:
        """Deletes a schedule. It starts no job after the answer."""
        return self._read(await self._session.call("DELETE", f"{SCHEDULES}/{schedule_id}"), Schedule)

    async def pause_schedule(self, schedule_id: int) -> Schedule:
        """Pauses a schedule. It starts no job after the answer."""
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/pause", safe=True)
        return self._read(answer, Schedule)

    async def resume_schedule(self, schedule_id: int) -> Schedule:
        """Resumes a paused schedule."""
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/resume", safe=True)
        return self._read(answer, Schedule)

    async def run_schedule_now(self, schedule_id: int) -> Job:
        """Launches a schedule's job now, in addition to its occurrences."""
        return self._read(await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/run-now"), Job)

    async def preview_schedule(self, schedule_id: int, *, n: int = 10, from_: datetime | None = None) -> Preview:
        """Returns the next `n` occurrences of a schedule."""
        require_offset("from_", from_)
        params = {"n": str(n)} | ({} if from_ is None else {"from": from_.isoformat()})
        answer = await self._session.call("GET", f"{SCHEDULES}/{schedule_id}/preview", params=params, safe=True)
        return self._read(answer, Preview)

    async def preview(self, *, n: int = 10, from_: datetime | None = None, **timing: Any) -> Preview:
        """Returns the next `n` occurrences of a timing that is not stored."""
        body = _encode({**timing, "n": n, "from": from_})
        return self._read(await self._session.call("POST", "/api/v1/preview", body=body, safe=True), Preview)

    async def schedule_history(self, schedule_id: int, *, limit: int | None = None) -> AsyncIterator[ScheduleRecord]:
        """Yields what happened to the occurrences of a schedule, newest first."""
        async for record in self._pages(f"{SCHEDULES}/{schedule_id}/history", {}, ScheduleRecord, limit):
            yield record

    async def backfill(
        self, schedule_id: int, from_: datetime, to: datetime, *, pace: Duration = 0, dry_run: bool = False
    ) -> Backfilled:
        """Launches the occurrences of a range in the past, one every `pace`. `dry_run` only returns which they are."""
        body = _encode({"from": from_, "to": to, "pace": pace, "dry_run": dry_run})
        answer = await self._session.call("POST", f"{SCHEDULES}/{schedule_id}/backfill", body=body, safe=dry_run)
        return self._read(answer, Backfilled)

    async def create_calendar(self, name: str, dates: Iterable[date], *, mode: str = "exclude") -> Calendar:
        """Creates a calendar."""
        body = _encode({"name": name, "dates": list(dates), "mode": mode})
        return self._read(await self._session.call("POST", CALENDARS, body=body), Calendar)

    async def calendars(self, *, limit: int | None = None) -> AsyncIterator[Calendar]:
        """Yields the user's calendars."""
        async for calendar in self._pages(CALENDARS, {}, Calendar, limit):
            yield calendar

    async def calendar(self, calendar_id: int) -> Calendar:
        """Returns a calendar."""
        return self._read(await self._session.call("GET", f"{CALENDARS}/{calendar_id}", safe=True), Calendar)

    async def edit_calendar(
        self, calendar_id: int, *, dates: Iterable[date] | None = None, mode: str | None = None
    ) -> Calendar:
        """Changes a calendar. The change applies at once to every schedule that uses it."""
        body = _encode({"dates": None if dates is None else list(dates), "mode": mode})
        return self._read(await self._session.call("PATCH", f"{CALENDARS}/{calendar_id}", body=body), Calendar)

    async def delete_calendar(self, calendar_id: int) -> Calendar:
        """Deletes a calendar. Raises `ApiError` 409 while a schedule uses it."""
        return self._read(await self._session.call("DELETE", f"{CALENDARS}/{calendar_id}"), Calendar)


def _encode(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(_plain(fields))


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(name, value) for name, value in fields.items() if value is not None}


def _value(name: str, value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        require_offset(name, value)
    return value
