"""`duetime jobs logs`: what the attempts of a job logged. `duetime logs search`: finding lines of all jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duetime.cli.jobs.options import OfSchedule
from duetime.cli.shared.exits import EPILOG, UsageError
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.lookup import find_schedule_id, find_user
from duetime.cli.shared.option_values import parse_instant, parse_pairs, parse_seconds
from duetime.cli.shared.options import AsJson, JobId, ListLimit, Server, Unlimited, entry_limit
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from datetime import datetime

    from duetime.client import Client, LogHit

logs = typer.Typer(no_args_is_help=True, help="Search what your jobs logged.", epilog=EPILOG)
EXAMPLES = """Programs log what they print, and functions what they log. The first 256 KiB of an attempt are kept.

\b
Examples:
  duetime jobs logs 1025
  duetime jobs logs 1025 --follow
  duetime jobs logs 1025 --attempt 1"""


def job_logs(
    job_id: JobId,
    attempt: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only this attempt. Default: the last one.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Print lines as they come, until the job has ended.")
    ] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Print what a job logged."""
    if follow and attempt is not None:
        raise UsageError("Give either --follow, which shows all attempts, or --attempt.")

    async def work(client: Client) -> int:
        if follow:
            return await _follow(client, job_id, as_json=as_json)
        chosen = attempt or max(1, (await client.job(job_id)).attempts or 1)
        lines = await client.run_log(job_id, chosen)
        for line in lines:
            _print(chosen, line, as_json=as_json)
        return len(lines)

    if call(server, work) == 0 and not as_json:
        print_line("Nothing was logged.")


async def _follow(client: Client, job_id: int, *, as_json: bool) -> int:
    count, last = 0, 1
    async for attempt, line in client.follow_log(job_id):
        if attempt != last and not as_json:
            print_line(f"-- attempt {attempt} --")
        last, count = attempt, count + 1
        _print(attempt, line, as_json=as_json)
    return count


def _print(attempt: int, line: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"attempt": attempt, "line": line})
    else:
        print_line(line, keep="\t")


@logs.command(
    epilog="""A line is found if it has all words, in any case and order. Quotes inside the text make an exact phrase.

\b
Examples:
  duetime logs search 'connection refused' --since 2d
  duetime logs search '"no space left" disk' --level error
  duetime logs search --schedule nightly --status dead --json""",
    no_args_is_help=True,
)
def search(
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help='Words and "exact phrases".', show_default=False)
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Only lines of the last so long, such as 2d or 3h.")
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="INSTANT", help="Only lines stored at this instant or later.")
    ] = None,
    to: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only lines stored before this instant.")] = None,
    level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(help="Only lines that name this level or a higher one."),
    ] = None,
    job: Annotated[int | None, typer.Option(min=1, metavar="ID", help="Only lines of this job.")] = None,
    schedule: OfSchedule = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Only jobs with this label. May be repeated.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(metavar="STATE", help="Only jobs that ended so, such as dead. May be repeated.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="USER", help="Another user's jobs, by name or id. For admins.")
    ] = None,
    limit: ListLimit = None,
    everything: Unlimited = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Find lines that your jobs logged, newest first."""
    if since is not None and from_ is not None:
        raise UsageError("Give either --since or --from, not both.")
    most = entry_limit(limit, everything=everything)

    async def work(client: Client) -> int:
        found = 0
        async for hit in client.search_logs(
            text,
            level=level,
            job_id=job,
            schedule_id=None if schedule is None else await find_schedule_id(client, schedule),
            labels=parse_pairs(label, "=", "--label"),
            status=status or (),
            from_=parse_instant(from_, "--from") if since is None else _ago(since),
            to=parse_instant(to, "--to"),
            user_id=None if user is None else (await find_user(client, user)).id,
            limit=most,
        ):
            found += 1
            _print_hit(hit, as_json=as_json)
        return found

    if call(server, work) == 0 and not as_json:
        print_line("No line matches.")


def _ago(duration: str) -> datetime:
    from datetime import timedelta

    from duetime.client.local_clock import local_now

    return local_now() - timedelta(seconds=parse_seconds(duration) or 0)


def _print_hit(hit: LogHit, *, as_json: bool) -> None:
    if as_json:
        print_json(hit)
        return
    for line in hit.lines:
        print_line(f"{format_instant(hit.at)}  job {hit.job}.{hit.attempt}:{line.number}  {line.text}", keep="\t")
    if hit.matches > len(hit.lines):
        print_line(f"  and {hit.matches - len(hit.lines)} more lines: duetime jobs logs {hit.job}")
