"""Finds a resource by the name or the id that a command was given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from duetime.model.errors import NotFound

if TYPE_CHECKING:
    from duetime.client import Calendar, Client, NotificationRule, Schedule, User

MAX_QUERY = 255
MAX_DIGITS = 15


class HasId(Protocol):
    """A resource with an id."""

    @property
    def id(self) -> int:
        """Its id."""
        ...


T = TypeVar("T", bound=HasId)


async def find_user(client: Client, wanted: str) -> User:
    """Returns the user with this name, else the one with this id."""
    return await _find("user", client.users(), wanted, lambda user: user.username)


async def find_calendar(client: Client, wanted: str) -> Calendar:
    """Returns the calendar with this name, else the one with this id."""
    return await _find("calendar", client.calendars(), wanted, lambda calendar: calendar.name)


async def find_rule(client: Client, wanted: str) -> NotificationRule:
    """Returns the notification rule with this name, else the one with this id."""
    return await _find("notification rule", client.notification_rules(), wanted, lambda rule: rule.name)


async def find_schedule(client: Client, wanted: str) -> Schedule:
    """Returns the schedule with this name, else the one with this id."""
    found = await _schedule_or_id(client, wanted)
    return await client.schedule(found) if isinstance(found, int) else found


async def find_schedule_id(client: Client, wanted: str) -> int:
    """Returns the id of the schedule with this name, else the id itself: it may be that of a deleted schedule."""
    found = await _schedule_or_id(client, wanted)
    return found if isinstance(found, int) else found.id


async def _schedule_or_id(client: Client, wanted: str) -> Schedule | int:
    async for schedule in client.schedules(q=wanted[:MAX_QUERY]):
        if schedule.name == wanted:
            return schedule
    if not wanted.isdecimal() or len(wanted) > MAX_DIGITS:
        raise NotFound(f"There is no schedule '{wanted}': 'duetime schedules list' shows them.")
    return int(wanted)


async def _find(kind: str, entries: AsyncIterator[T], wanted: str, name: Callable[[T], str]) -> T:
    by_id: T | None = None
    async for entry in entries:
        if name(entry) == wanted:
            return entry
        if str(entry.id) == wanted:
            by_id = entry
    if by_id is None:
        raise NotFound(f"There is no {kind} '{wanted}'.")
    return by_id
