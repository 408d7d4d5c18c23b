"""Creating, listing, showing, changing and deleting calendars."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from msgspec import UNSET

from duetime.api.calendars.bodies import CalendarBody, CalendarPatch, CalendarsQuery
from duetime.api.calendars.views import CalendarView, calendar_view
from duetime.api.server.body import SMALL_BYTES
from duetime.api.server.fields import refuse_nul
from duetime.api.server.listing import read_page
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.model.errors import Conflict, Invalid
from duetime.model.schedule import StoredCalendar
from duetime.timing.calendars import Calendar

TAG = "schedules"
PATH = "/api/v1/me/calendars"


async def create_calendar(call: Call[CalendarBody, None]) -> Answer:
    """Creates a calendar."""
    body = call.body
    refuse_nul("name", body.name)
    made = await call.services.recurring.calendars.create(
        call.user.id, Calendar(body.name, body.dates, body.mode), call.user.id
    )
    return Answer(calendar_view(made), None, ((b"location", f"{PATH}/{made.id}".encode()),))


async def list_calendars(call: Call[None, CalendarsQuery]) -> Listing:
    """One page of calendars."""

    def read(after: int | None, limit: int) -> Awaitable[Sequence[StoredCalendar]]:
        return call.services.recurring.calendars.list(call.user.id, after or 0, limit)

    return await read_page("calendars", call, read, calendar_view, largest=SMALL_BYTES)


async def show_calendar(call: Call[None, None]) -> CalendarView:
    """One calendar."""
    return calendar_view(await call.services.recurring.calendars.show(call.user.id, call.id))


async def edit_calendar(call: Call[CalendarPatch, None]) -> CalendarView:
    """Changes a calendar's dates or mode."""
    patch, calendars = call.body, call.services.recurring.calendars
    if patch == CalendarPatch():
        raise Invalid("There is nothing to change: give at least one of dates, mode.")
    before = (await calendars.show(call.user.id, call.id)).calendar
    after = Calendar(
        before.name,
        before.dates if patch.dates is UNSET else patch.dates,
        before.mode if patch.mode is UNSET else patch.mode,
    )
    return calendar_view(await calendars.edit(call.user.id, call.id, after, call.user.id))


async def delete_calendar(call: Call[None, None]) -> CalendarView:
    """Deletes a calendar. Returns it as it was."""
    return calendar_view(await call.services.recurring.calendars.delete(call.user.id, call.id, call.user.id))


ROUTES = (
    Route(
        "POST",
        PATH,
        create_calendar,
        "Create a calendar",
        body=CalendarBody,
        answer=CalendarView,
        status=201,
        errors=(Conflict,),
        tag=TAG,
        size="job",
        answer_headers={"Location": "The path of the calendar."},
        example={"name": "holidays", "dates": ["2026-12-25", "2026-12-26"]},
    ),
    Route(
        "GET",
        PATH,
        list_calendars,
        "List your calendars",
        query=CalendarsQuery,
        answer=list[CalendarView],
        paged=True,
        tag=TAG,
    ),
    Route("GET", f"{PATH}/{{id}}", show_calendar, "Show a calendar", answer=CalendarView, tag=TAG),
    Route(
        "PATCH",
        f"{PATH}/{{id}}",
        edit_calendar,
        "Change a calendar",
        body=CalendarPatch,
        answer=CalendarView,
        tag=TAG,
        description="The change applies at once to every schedule that uses the calendar.",
        size="job",
        example={"dates": ["2026-12-24", "2026-12-25", "2026-12-26"]},
    ),
    Route(
        "DELETE",
        f"{PATH}/{{id}}",
        delete_calendar,
        "Delete a calendar",
        answer=CalendarView,
        errors=(Conflict,),
        tag=TAG,
        description="409 while a schedule uses the calendar.",
    ),
)
