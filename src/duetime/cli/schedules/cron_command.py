"""`duetime cron`: explains a cron expression, and shows when it is due next."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.instants import Utc, format_instant
from duetime.cli.shared.option_values import parse_instant
from duetime.cli.shared.options import AsJson
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.model.bounds import PREVIEWED

EXAMPLES = """The command needs no server.

\b
Examples:
  duetime cron "30 2 * * *" --zone America/New_York
  duetime cron "0 9 * * MON#1" --zone Europe/Riga --dst shift --from 2030-01-01T00:00:00Z --count 3 --json
  duetime cron "0 0 12 ? * 2-6 2030" --dialect quartz"""


def cron(
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPR", help="A cron expression: five fields, six with seconds first, or a name such as '@daily'."
        ),
    ],
    zone: Annotated[str, typer.Option(metavar="ZONE", help="The time zone, such as Europe/Riga.")] = "UTC",
    dialect: Annotated[
        Literal["standard", "quartz"],
        typer.Option(help="How the expression is written; quartz has 1 for Sunday and may have a year."),
    ] = "standard",
    dst: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="What happens when clocks change: vixie, literal, skip_once or shift. Default: vixie.",
        ),
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="INSTANT", help="Show what comes after this instant. Default: now.")
    ] = None,
    count: Annotated[int, bounded(PREVIEWED, "How many instants to show.")] = 10,
    key: Annotated[
        str, typer.Option(metavar="NAME", help="The identity of the schedule, from which H chooses its values.")
    ] = "",
    as_json: AsJson = False,
    utc: Utc = False,
) -> None:
    """Explain a cron expression and show when it is due."""
    from duetime.timing import Cron, Timetable, explain, other_days_in_quartz, preview, zone_table
    from duetime.timing.dst import as_policy

    policy = as_policy(dst or "vixie")
    compiled = Cron.parse(expression, zone=zone, dst=policy, key=key, dialect=dialect)
    if dst is not None and compiled.parsed.every:
        raise UsageError("--dst has no effect on '@every': clock changes do not affect an interval. Leave it out.")
    start = parse_instant(from_, "--from") or datetime.fromtimestamp(time.time_ns() / 1e9, UTC)
    words = explain(compiled.parsed)
    rows = preview(Timetable((compiled,), zone_table(zone), key=key), start, count).rows
    warning = other_days_in_quartz(compiled.parsed)
    if as_json:
        following = [{"instant": row.nominal, "local": row.local, "flags": row.flags} for row in rows]
        shown = {"expression": expression, "dialect": dialect, "zone": zone, "dst": policy, "from": start}
        print_json(shown | {"words": words, "warnings": [warning] if warning else [], "next": following})
        return
    print_line(words)
    if warning:
        print_line(f"Warning: {warning}")
    print_line("")
    print_table(
        ("local", "utc", "notes"),
        [(row.local.isoformat(" "), format_instant(row.nominal), ", ".join(row.flags)) for row in rows],
        empty="The expression is never due again.",
    )
