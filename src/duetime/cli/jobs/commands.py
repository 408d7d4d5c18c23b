"""`duetime jobs`: hand jobs in, look at them, stop them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.jobs.create import CREATE_EXAMPLES, EDIT_EXAMPLES, create, edit, show_changed
from duetime.cli.shared.exits import EPILOG, Exit, report
from duetime.cli.shared.options import AsJson, JobId, ListLimit, Server, Unlimited, how_many
from duetime.cli.shared.output import instant, print_facts, print_json, print_line, print_table
from duetime.cli.shared.parsing import instant as parse_instant
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Job, Run

jobs = typer.Typer(no_args_is_help=True, help="Create, show, change and cancel jobs.", epilog=EPILOG)
jobs.command("create", epilog=CREATE_EXAMPLES)(create)
jobs.command("edit", epilog=EDIT_EXAMPLES, no_args_is_help=True)(edit)


@jobs.command(
    "list",
    epilog="""\b
Examples:
  duetime jobs list
  duetime jobs list --status dead --from 2030-01-01T00:00:00Z
  duetime jobs list --all --json > jobs.ndjson""",
)
def list_jobs(
    status: Annotated[str | None, typer.Option(help="Only those in this state, such as created or dead.")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="INSTANT", help="Only those for this instant or later.")
    ] = None,
    to: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only those for before this.")] = None,
    key: Annotated[str | None, typer.Option(help="Only those with this ordering key.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="Only those whose message has this.")] = None,
    limit: ListLimit = None,
    everything: Unlimited = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your jobs, newest first, finished ones included."""
    most = how_many(limit, everything=everything)
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        async for job in client.jobs(
            status=status,
            from_=parse_instant(from_, "--from"),
            to=parse_instant(to, "--to"),
            ordering_key=key,
            q=query,
            limit=most,
        ):
            if as_json:
                print_json(job)
            else:
                rows.append((job.id, job.status, job.execute_at, job.ordering_key, job.attempts, job.message))

    call(server, work)
    if not as_json:
        columns = ("id", "status", "execute at", "key", "attempts", "message")
        print_table(columns, rows, empty="There are no such jobs.")


@jobs.command(
    epilog="""\b
Examples:
  duetime jobs show 1025
  duetime jobs show 1025 --json""",
    no_args_is_help=True,
)
def show(job_id: JobId, server: Server = None, as_json: AsJson = False) -> None:
    """Show a job with all its attempts."""

    async def work(client: Client) -> tuple[Job, list[Run]]:
        return await client.job(job_id), await client.runs(job_id)

    job, runs = call(server, work)
    if as_json:
        print_json({"job": job, "runs": runs})
    else:
        print_job(job, runs)


def print_job(job: Job, runs: list[Run]) -> None:
    """A job and its attempts."""
    names = (*(name for name in job.__struct_fields__ if name not in ("message", "user_id")), "message")
    print_facts([(name.replace("_", " "), getattr(job, name)) for name in names])
    print_line("")
    columns = ("attempt", "state", "due", "late ms", "took ms", "executor", "result")
    rows = [
        (run.attempt, run.state, run.due_at, run.lateness_ms, run.duration_ms, run.executor, _result(run))
        for run in runs
    ]
    print_table(columns, rows, empty="There was no attempt yet.")


def _result(run: Run) -> str | None:
    if run.error is not None:
        return f"{run.error.kind}: {run.error.message}"
    return run.log if run.response is None else _summary(run.response)


def _summary(response: dict[str, Any]) -> str:
    """Returns an answer in a few words. A kind that only a newer server knows is shown by its name."""
    import msgspec

    from duetime.model.targets import Answer

    try:
        return msgspec.convert(response, Answer).summary()
    except msgspec.ValidationError:
        return str(response.get("kind", "answered"))


@jobs.command(
    epilog="""\b
Examples:
  duetime jobs cancel 1025
  duetime jobs cancel 1025 2049 3073""",
    no_args_is_help=True,
)
def cancel(
    job_ids: Annotated[list[int], typer.Argument(metavar="ID...", help="The jobs' ids.", show_default=False)],
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Cancel jobs. Running ones are asked to stop; if some cannot be, the others still are."""

    async def work(client: Client) -> Exit:
        from duetime.client import ApiError

        first = Exit.OK
        for job_id in job_ids:
            try:
                job = await client.cancel(job_id)
            except ApiError as error:
                if error.status not in (404, 409):
                    raise
                error.details["job"] = job_id
                if str(job_id) not in error.message:
                    error.message = f"Job {job_id}: {error.message}"
                code = report(error, as_json=as_json)
                first = first or code
            else:
                if as_json:
                    print_json(job)
                else:
                    done = "Cancelled" if job.finished else "Asked to stop"
                    print_line(f"{done}: job {job.id} ({job.status}).")
        return first

    raise typer.Exit(call(server, work))


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

    show_changed("Brought forward", call(server, work), as_json=as_json)


@jobs.command(
    epilog="""Exits with 0 when the job has succeeded, with 1 when it has ended otherwise.

\b
Examples:
  duetime jobs watch 1025""",
    no_args_is_help=True,
)
def watch(job_id: JobId, server: Server = None, as_json: AsJson = False) -> None:
    """Follow a job until it is finished."""

    async def work(client: Client) -> str:
        status = ""
        async for job in client.watch(job_id):
            status = job.status
            if as_json:
                print_json(job)
            else:
                print_line(_watched(job))
        return status

    raise typer.Exit(Exit.OK if call(server, work) == "succeeded" else Exit.FAILURE)


def _watched(job: Job) -> str:
    parts = [f"job {job.id}: {job.status}"]
    if job.attempts:
        parts.append(f"attempt {job.attempts}")
    if not job.finished:
        parts.append(f"due {instant(job.due_at or job.execute_at)}")
    elif job.finished_at is not None:
        parts.append(f"finished {instant(job.finished_at)}")
    return ", ".join([*parts, *([job.reason] if job.reason else [])])


@jobs.command(
    epilog="""\b
Examples:
  duetime jobs stats
  duetime jobs stats --json"""
)
def stats(server: Server = None, as_json: AsJson = False) -> None:
    """Count your jobs by state."""

    async def work(client: Client) -> dict[str, int]:
        return await client.stats()

    counts = call(server, work)
    if as_json:
        print_json(counts)
    else:
        print_table(("state", "jobs"), counts.items())
