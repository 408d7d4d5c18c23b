"""`duetime jobs`: create, show, change and cancel jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.jobs import logs, runs
from duetime.cli.jobs.cancel import EXAMPLES as CANCEL_EXAMPLES
from duetime.cli.jobs.cancel import cancel
from duetime.cli.jobs.create import CREATE_EXAMPLES, EDIT_EXAMPLES, create, edit
from duetime.cli.jobs.options import JobKey, OfSchedule, OptionalJobId, one_job
from duetime.cli.jobs.printing import print_job, print_job_change
from duetime.cli.shared.exits import EPILOG, Exit
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.lookup import find_schedule_id
from duetime.cli.shared.option_values import parse_instant, parse_pairs
from duetime.cli.shared.options import AsJson, JobId, ListLimit, Server, Unlimited, entry_limit
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Job, Run

jobs = typer.Typer(no_args_is_help=True, help="Create, show, change and cancel jobs.", epilog=EPILOG)
jobs.command("create", epilog=CREATE_EXAMPLES)(create)
jobs.command("edit", epilog=EDIT_EXAMPLES, no_args_is_help=True)(edit)
jobs.command("runs", epilog=runs.EXAMPLES, no_args_is_help=True)(runs.runs)
jobs.command("logs", epilog=logs.EXAMPLES, no_args_is_help=True)(logs.job_logs)
jobs.command("cancel", epilog=CANCEL_EXAMPLES, no_args_is_help=True)(cancel)


@jobs.command(
    "list",
    epilog="""\b
Examples:
  duetime jobs list
  duetime jobs list --status dead --from 2030-01-01T00:00:00Z
  duetime jobs list --label team=billing --label order=4711
  duetime jobs list --all --json > jobs.ndjson""",
)
def list_jobs(
    status: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only jobs in this state, such as created or dead.")
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="INSTANT", help="Only jobs due at this instant or later, such as 2030-01-31T09:00:00Z."
        ),
    ] = None,
    to: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only jobs due before this instant.")] = None,
    key: Annotated[str | None, typer.Option(metavar="KEY", help="Only jobs with this ordering key.")] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="Only jobs whose message contains this text.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Only jobs with this label. May be repeated.")
    ] = None,
    schedule: OfSchedule = None,
    limit: ListLimit = None,
    everything: Unlimited = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your jobs, newest first. Finished jobs are included."""
    most = entry_limit(limit, everything=everything)
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        schedule_id = None if schedule is None else await find_schedule_id(client, schedule)
        async for job in client.jobs(
            status=status,
            from_=parse_instant(from_, "--from"),
            to=parse_instant(to, "--to"),
            ordering_key=key,
            q=query,
            labels=parse_pairs(label, "=", "--label"),
            schedule_id=schedule_id,
            limit=most,
        ):
            if as_json:
                print_json(job)
            else:
                waiting = ", ".join(one.kind for one in job.waiting_for if one.kind != "instant") or None
                row = (job.id, job.status, job.execute_at, job.ordering_key, job.attempts, waiting, job.message_text)
                rows.append(row)

    call(server, work)
    if not as_json:
        columns = ("id", "status", "execute at", "key", "attempts", "waiting for", "message")
        print_table(columns, rows, empty="There are no such jobs. Create one with 'duetime jobs create'.")


@jobs.command(
    epilog="""\b
Examples:
  duetime jobs show 1025
  duetime jobs show --idempotency-key order-4711-expiry --json""",
    no_args_is_help=True,
)
def show(
    job_id: OptionalJobId = None, idempotency_key: JobKey = None, server: Server = None, as_json: AsJson = False
) -> None:
    """Show a job with all its attempts, and what its target answered last."""
    which = one_job(job_id, idempotency_key)

    async def work(client: Client) -> tuple[Job, list[Run]]:
        job = await client.job(which) if isinstance(which, int) else await client.job_by_key(which)
        return job, await client.runs(job.id)

    job, attempts = call(server, work)
    if as_json:
        print_json({"job": job, "runs": attempts})
    else:
        print_job(job, attempts)


@jobs.command(
    "run-now",
    epilog="""\b
Examples:
  duetime jobs run-now 1025""",
    no_args_is_help=True,
)
def run_now(job_id: JobId, server: Server = None, as_json: AsJson = False) -> None:
    """Make a job due at once."""

    async def work(client: Client) -> Job:
        return await client.run_now(job_id)

    print_job_change("Brought forward", call(server, work), as_json=as_json)


@jobs.command(
    epilog="""Prints a line at each change. Exits with 0 when the job has succeeded, with 1 when it has ended otherwise.

\b
Examples:
  duetime jobs watch 1025""",
    no_args_is_help=True,
)
def watch(job_id: JobId, server: Server = None, as_json: AsJson = False) -> None:
    """Follow a job until it ends."""

    async def work(client: Client) -> str:
        status = ""
        async for job in client.watch(job_id):
            status = job.status
            if as_json:
                print_json(job)
            else:
                print_line(_progress(job))
        return status

    raise typer.Exit(Exit.OK if call(server, work) == "succeeded" else Exit.FAILURE)


def _progress(job: Job) -> str:
    parts = [f"job {job.id}: {job.status}"]
    if job.attempts:
        parts.append(f"attempt {job.attempts}")
    if not job.finished:
        parts.append(f"due {format_instant(job.due_at or job.execute_at)}")
    elif job.finished_at is not None:
        parts.append(f"finished {format_instant(job.finished_at)}")
    parts += [one.kind for one in job.waiting_for if one.kind != "instant"]
    return ", ".join([*parts, *([job.reason] if job.reason else [])])


@jobs.command(
    "stats",
    epilog="""\b
Examples:
  duetime jobs stats
  duetime jobs stats --json""",
)
def count_by_state(server: Server = None, as_json: AsJson = False) -> None:
    """Count your jobs by state."""

    async def work(client: Client) -> dict[str, int]:
        return await client.stats()

    counts = call(server, work)
    if as_json:
        print_json(counts)
    else:
        print_table(("state", "jobs"), counts.items())
