"""`duetime jobs cancel`: by ids, by idempotency keys, or all jobs that options select."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from duetime.cli.jobs.options import Label, OfSchedule
from duetime.cli.shared.exits import Exit, UsageError, report
from duetime.cli.shared.lookup import find_schedule_id
from duetime.cli.shared.option_values import parse_instant, parse_pairs
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Cancelled, Client, Job, WaitingJobsFilter

T = TypeVar("T", int, str)
EXAMPLES = """Without IDs and keys you select by --label, --status, --schedule, --key, --from, --to, --query or --all, \
and are asked before anything is done. Running jobs are asked to stop.

\b
Examples:
  duetime jobs cancel 1025 2049
  duetime jobs cancel --idempotency-key order-4711-expiry
  duetime jobs cancel --label order=4711
  duetime jobs cancel --label team=billing --status created --dry-run
  duetime jobs cancel --schedule nightly --yes"""


def cancel(
    job_ids: Annotated[
        list[int] | None, typer.Argument(metavar="[ID...]", help="The ids of the jobs.", show_default=False)
    ] = None,
    idempotency_key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="The idempotency key that the job was created with. May be repeated."),
    ] = None,
    label: Label = None,
    status: Annotated[str | None, typer.Option(help="Only jobs in this state: created, queued or running.")] = None,
    schedule: OfSchedule = None,
    key: Annotated[str | None, typer.Option(help="Only jobs with this ordering key.")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="INSTANT", help="Only jobs due at this instant or later.")
    ] = None,
    to: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only jobs due before this instant.")] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="Only jobs whose message contains this text.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All your jobs that have not ended.", show_default=False)
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show which jobs it would be.", show_default=False)
    ] = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Cancel jobs. A running job is asked to stop. If one cannot be cancelled, the others still are."""
    from duetime.client import WaitingJobsFilter

    which = WaitingJobsFilter(
        labels=parse_pairs(label, "=", "--label") or None,
        status=status,
        ordering_key=key,
        from_=parse_instant(from_, "--from"),
        to=parse_instant(to, "--to"),
        q=query,
    )
    selected = which != WaitingJobsFilter() or schedule is not None or everything
    if selected and (job_ids or idempotency_key):
        raise UsageError("Give either IDs and keys, or options that select such as --label, not both.")
    if not (selected or job_ids or idempotency_key):
        raise UsageError("Give IDs, --idempotency-key, options that select such as --label, or --all.")
    if selected:
        _cancel_selected(which, schedule, server, dry_run=dry_run, yes=yes, as_json=as_json)
        return
    if dry_run:
        raise UsageError("--dry-run is for options that select, such as --label.")
    raise typer.Exit(call(server, lambda client: _cancel_each(client, job_ids or (), idempotency_key or (), as_json)))


async def _cancel_each(client: Client, job_ids: Sequence[int], keys: Sequence[str], as_json: bool) -> Exit:
    codes = [await _cancel_one(client.cancel, job_id, f"Job {job_id}", as_json) for job_id in job_ids]
    codes += [await _cancel_one(client.cancel_by_key, key, f"Key {key}", as_json) for key in keys]
    return next((code for code in codes if code), Exit.OK)


async def _cancel_one(cancel: Callable[[T], Awaitable[Job]], which: T, name: str, as_json: bool) -> Exit:
    from duetime.client import ApiError

    try:
        job = await cancel(which)
    except ApiError as error:
        if error.status not in (404, 409):
            raise
        error.details["job" if isinstance(which, int) else "key"] = which
        if str(which) not in error.message:
            error.message = f"{name}: {error.message}"
        return report(error, as_json=as_json)
    if as_json:
        print_json(job)
    else:
        done = "Cancelled" if job.finished else "Asked to stop"
        print_line(f"{done}: job {job.id} ({job.status}).")
    return Exit.OK


def _cancel_selected(
    selected: WaitingJobsFilter, schedule: str | None, server: str | None, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    async def work(client: Client) -> Cancelled:
        which = selected
        if schedule is not None:
            from msgspec.structs import replace  # not needed for help

            which = replace(which, schedule_id=await find_schedule_id(client, schedule))
        if not (yes or dry_run):
            would_be = (await client.cancel_many(which, dry_run=True)).count
            if would_be:
                typer.confirm(f"Cancel {_jobs(would_be)}?", abort=True, err=True)
        return await client.cancel_many(which, dry_run=dry_run)

    done = call(server, work)
    if as_json:
        print_json(done)
    elif done.dry_run:
        print_line(f"{_jobs(done.count)} would be cancelled.")
        if done.ids:
            print_line(" ".join(map(str, done.ids)))
    else:
        print_line(f"Cancelled {_jobs(len(done.ids))}.")
        if done.stopping:
            print_line(f"Asked {_jobs(len(done.stopping))} to stop: {' '.join(map(str, done.stopping))}.")


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"
