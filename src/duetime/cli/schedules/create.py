"""`duetime schedules create` and `duetime schedules edit`: what a schedule is to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from duetime.cli.jobs.create import (
    Breaker,
    Delivery,
    Header,
    Key,
    Label,
    LimitConcurrency,
    Method,
    OnFailure,
    Priority,
    Rate,
    Requires,
    RetryAttempts,
    Timeout,
    Url,
)
from duetime.cli.shared.exits import Usage
from duetime.cli.shared.option_lists import sharing
from duetime.cli.shared.options import AsJson, ServerOnly
from duetime.cli.shared.output import instant, print_json, print_line
from duetime.cli.shared.parsing import http_target, limit, pairs
from duetime.cli.shared.parsing import instant as parse_instant
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Schedule

CREATE_EXAMPLES = """Give at least one of --cron, --every, --at and --rrule; without --url the message goes to the log.

\b
Examples:
  duetime schedules create report --cron "30 2 * * *" --zone Europe/Riga --url https://example.com/report
  duetime schedules create poll --every 15m --message "poll at {{nominal}}"
  duetime schedules create twice --cron "0 9 * * MON" --cron "0 17 * * FRI" --overlap queue"""

EDIT_EXAMPLES = """What is not given stays: to go from --cron to --every, take the cron away.

\b
Examples:
  duetime schedules edit 7 --cron "0 3 * * *"
  duetime schedules edit 7 --every 1h --without cron
  duetime schedules edit 7 --misfire skip --message "later\""""

ScheduleId = Annotated[int, typer.Argument(metavar="ID", help="The schedule's id.", show_default=False)]
Cron = Annotated[list[str] | None, typer.Option(metavar="EXPR", help="A cron expression; may be repeated.")]
Every = Annotated[str | None, typer.Option(metavar="DURATION", help="An interval, such as 15m.")]
Anchor = Annotated[str | None, typer.Option(metavar="INSTANT", help="What --every counts from. Default: --start.")]
At = Annotated[list[str] | None, typer.Option(metavar="INSTANT", help="An instant; may be repeated.")]
Rrule = Annotated[str | None, typer.Option(metavar="RULE", help="A recurrence rule of RFC 5545.")]
Zone = Annotated[str | None, typer.Option(metavar="ZONE", help="Whose clocks are meant. Default: UTC.")]
Dst = Annotated[str | None, typer.Option(metavar="POLICY", help="vixie, literal, skip_once or shift.")]
CalendarName = Annotated[str | None, typer.Option(metavar="NAME", help="A calendar of yours.")]
Window = Annotated[str | None, typer.Option(metavar="HOURS", help="Such as 'MON-FRI 09:00-17:00'.")]
WindowPolicy = Annotated[Literal["move", "skip"] | None, typer.Option(help="What is outside moves, or is skipped.")]
Jitter = Annotated[str | None, typer.Option(metavar="DURATION", help="Spread launches by up to this.")]
Start = Annotated[str | None, typer.Option(metavar="INSTANT", help="Nothing before this.")]
End = Annotated[str | None, typer.Option(metavar="INSTANT", help="Nothing from this on.")]
MaxOccurrences = Annotated[int | None, typer.Option(min=1, help="End after so many launches.")]
MisfireRule = Annotated[
    Literal["fire_once", "fire_all", "skip"] | None, typer.Option(help="What becomes of missed instants.")
]
OverlapRule = Annotated[
    Literal["skip", "queue", "allow", "cancel_running"] | None,
    typer.Option(help="What happens when an earlier one has not finished."),
]
ExpiresAfter = Annotated[
    str | None, typer.Option(metavar="DURATION", help="So long after it is due an occurrence is skipped, not started.")
]
Without = Annotated[
    list[str] | None, typer.Option(metavar="FIELD", help="Take this away, such as cron or window. May be repeated.")
]
_OTHER_NAMES = {
    "dst": "dst_policy",
    "key": "ordering_key",
    "label": "labels",
    "limit_concurrency": "limit",
    "rate": "limit",
    "retry_attempts": "retry",
    "url": "target",
}
"""Options that are called otherwise than the field that they set."""
Text = Annotated[str | None, typer.Option(help="The payload; may have {{nominal}}, {{occurrence}}, {{schedule}}.")]


def described(
    cron: Cron = None,
    every: Every = None,
    anchor: Anchor = None,
    at: At = None,
    rrule: Rrule = None,
    zone: Zone = None,
    dst: Dst = None,
    calendar: CalendarName = None,
    window: Window = None,
    window_policy: WindowPolicy = None,
    jitter: Jitter = None,
    start: Start = None,
    end: End = None,
    max_occurrences: MaxOccurrences = None,
    misfire: MisfireRule = None,
    overlap: OverlapRule = None,
    message: Text = None,
    url: Url = None,
    method: Method = None,
    header: Header = None,
    key: Key = None,
    priority: Priority = None,
    timeout: Timeout = None,
    expires_after: ExpiresAfter = None,
    retry_attempts: RetryAttempts = None,
    delivery: Delivery = None,
    on_failure: OnFailure = None,
    limit_concurrency: LimitConcurrency = None,
    rate: Rate = None,
    breaker: Breaker = None,
    label: Label = None,
    requires: Requires = None,
) -> None:
    """What there is to say about a schedule."""


@sharing(described)
def create(
    name: Annotated[str, typer.Argument(help="Unique among your schedules.", show_default=False)],
    given: dict[str, Any],
    server: ServerOnly = None,
    as_json: AsJson = False,
) -> None:
    """Create a schedule."""
    fields = _fields(given)

    async def work(client: Client) -> Schedule:
        return await client.create_schedule(name, **fields)

    show_changed("Created", call(server, work), as_json=as_json)


@sharing(described)
def edit(
    schedule_id: ScheduleId,
    given: dict[str, Any],
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    without: Without = None,
    server: ServerOnly = None,
    as_json: AsJson = False,
) -> None:
    """Change a schedule; it counts at once for everything that has not launched."""
    fields = _fields(given) | ({"name": name} if name is not None else {})
    gone = [_field(option) for option in without or []]
    if fields.keys() & set(gone):
        raise Usage("Something is both set and taken away.")
    fields |= dict.fromkeys(gone)

    async def work(client: Client) -> Schedule:
        return await client.edit_schedule(schedule_id, **fields)

    show_changed("Changed", call(server, work), as_json=as_json)


def _field(option: str) -> str:
    """The API's name for what an option sets."""
    name = option.removeprefix("--").replace("-", "_")
    return _OTHER_NAMES.get(name, name)


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """What the options say, by the names that the API has."""
    same = ("every", "rrule", "zone", "calendar", "window", "window_policy", "jitter", "max_occurrences", "misfire")
    same = (*same, "overlap", "message", "priority", "timeout", "expires_after", "delivery", "on_failure", "breaker")
    fields = {name: given[name] for name in same}
    attempts = given["retry_attempts"]
    fields["retry"] = None if attempts is None else {"max_attempts": attempts}
    fields["limit"] = limit(given["limit_concurrency"], given["rate"])
    fields["anchor"] = parse_instant(given["anchor"], "--anchor")
    crons = given["cron"]
    fields["cron"] = crons[0] if crons and len(crons) == 1 else crons or None
    fields["at"] = [parse_instant(one, "--at") for one in given["at"] or []] or None
    fields["dst_policy"] = given["dst"]
    fields["start"] = parse_instant(given["start"], "--start")
    fields["end"] = parse_instant(given["end"], "--end")
    fields["ordering_key"] = given["key"]
    fields["target"] = http_target(given["url"], given["method"], given["header"])
    fields["labels"] = pairs(given["label"], "=", "--label") or None
    fields["requires"] = pairs(given["requires"], "=", "--requires") or None
    return {name: value for name, value in fields.items() if value is not None}


def show_changed(verb: str, schedule: Schedule, *, as_json: bool) -> None:
    """A schedule after something was done to it."""
    if as_json:
        print_json(schedule)
        return
    coming = "" if schedule.next is None else f", next {instant(schedule.next.run_at)}"
    print_line(f"{verb} schedule {schedule.id} '{schedule.name}': {schedule.state}{coming}.")
