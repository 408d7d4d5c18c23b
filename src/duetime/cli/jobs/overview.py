"""`duetime overview` and `duetime planned`: whether jobs are on time, what waits for a person, and what is to come."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_facts, print_json, print_line, print_table
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Overview, Planned

EXAMPLES = """The figures are those of the page's overview.

\b
Examples:
  duetime overview
  duetime overview --window 24h --everyone
  duetime overview --json"""
PLANNED_EXAMPLES = """\b
Examples:
  duetime planned
  duetime planned --minutes 180 --json"""


class Window(StrEnum):
    """How far back to look."""

    QUARTER = "15m"
    HOUR = "1h"
    HOURS = "3h"
    DAY = "24h"
    WEEK = "7d"


Within = Annotated[Window, typer.Option("--window", help="How far back to look.")]
Everyone = Annotated[bool, typer.Option("--everyone", help="All users together. Needs an admin.")]
Minutes = Annotated[int, typer.Option(min=1, max=180, help="How far ahead to look.")]


def overview(
    window: Within = Window.HOUR, everyone: Everyone = False, server: Server = None, as_json: AsJson = False
) -> None:
    """Show whether jobs are on time, and what waits for a person."""

    async def work(client: Client) -> Overview:
        return await client.overview(window.value, everyone=everyone)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    late, waiting, needs = found.lateness, found.waiting, found.needs
    print_line(_verdict(found))
    counts = {name: getattr(found.counts, name) for name in found.counts.__struct_fields__}
    print_facts(
        [
            ("lateness p50", _ms(late.p50_ms)),
            ("lateness p99", _ms(late.p99_ms)),
            ("lateness, worst", _ms(late.worst_ms)),
            *counts.items(),
            ("running", found.running),
            ("overdue", waiting.overdue),
            ("oldest due", waiting.oldest_due_at),
            ("held back", waiting.held),
            ("dead letters", needs.dead_letters),
            ("blocked lanes", needs.blocked_lanes),
            ("hosts that are down", needs.broken_hosts),
        ]
    )


def planned(minutes: Minutes = 60, everyone: Everyone = False, server: Server = None, as_json: AsJson = False) -> None:
    """Show the runs of the next minutes: jobs, and the instants of schedules."""

    async def work(client: Client) -> Planned:
        return await client.planned(minutes, everyone=everyone)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    rows = [(one.at, one.job_id, one.schedule_id, one.schedule) for one in found.next]
    print_table(("at", "job", "schedule", "name"), rows, empty=f"Nothing is planned for the next {minutes} minutes.")
    if found.total > len(rows):
        more = "" if found.complete else "at least "
        print_line(f"These are the first of {more}{found.total} runs within {minutes} minutes.")


def _verdict(found: Overview) -> str:
    late, waiting = found.lateness, found.waiting
    if waiting.oldest_due_at is not None:
        return "Late: jobs are due and not launched."
    if late.p99_ms is None:
        return f"Quiet: nothing was launched within {found.window}."
    if late.p99_ms > late.budget_ms:
        return f"Late: p99 is above the budget of {_ms(late.budget_ms)}."
    return f"On time: {late.launched} launched within {found.window}."


def _ms(value: float | None) -> str | None:
    return None if value is None else f"{value:g} ms"
