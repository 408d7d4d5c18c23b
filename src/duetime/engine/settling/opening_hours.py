"""The hours and dates on which a job's attempts may start: the first attempt and every retry alike."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

import structlog
from msgspec import UNSET

from duetime.clock.port import Clock
from duetime.model.errors import StoreAway
from duetime.model.policy import Hours, Policy
from duetime.store.schedule_port import CalendarStore
from duetime.timing.calendars import Calendar
from duetime.timing.opening import Opening
from duetime.timing.windows import Window
from duetime.timing.zones import zone_table

log = structlog.get_logger()
PAUSE = 0.5


def within(hours: Hours, instant: datetime) -> datetime:
    """Returns the instant itself if the window is open then, else the window's next opening."""
    return _window(hours).next_opening(instant) or instant


def next_open(policy: Policy, instant: datetime, closed: Calendar | None) -> datetime | None:
    """Returns the first instant, from this one on, at which an attempt may start; None if there is none.

    `closed` is the calendar that the policy names. A calendar that no longer exists closes no date.
    """
    if policy.closed is UNSET or closed is None:
        return instant if policy.hours is None else within(policy.hours, instant)
    window = None if policy.hours is None else _window(policy.hours)
    return Opening(window, closed, zone_table(policy.closed.zone)).next_open(instant)


class ClosedDates:
    """Reads the calendars that policies name, as they are now."""

    def __init__(self, calendars: CalendarStore, clock: Clock) -> None:
        self._calendars, self._clock = calendars, clock

    async def of(self, user_id: int, policy: Policy) -> Calendar | None:
        """Returns the calendar of a policy. Waits while the store is away: without it a retry could not be placed."""
        if policy.closed is UNSET:
            return None
        while True:
            try:
                found = await self._calendars.named(user_id, [policy.closed.calendar])
            except StoreAway:
                log.warning("cannot read a calendar for a retry while the database is away")
                await self._clock.sleep(PAUSE)
            else:
                return found[0].calendar if found else None


@lru_cache(maxsize=1024)
def _window(hours: Hours) -> Window:
    return Window.parse(hours.window, zone=hours.zone)
