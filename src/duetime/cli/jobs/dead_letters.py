"""`duetime dead-letters`: jobs that failed for good, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.jobs.commands import print_job
from duetime.cli.jobs.create import Header, Method, Timeout, Url, show_changed
from duetime.cli.shared.exits import EPILOG, Usage, report
from duetime.cli.shared.option_lists import sharing
from duetime.cli.shared.options import AsJson, JobId, ListLimit, Server, ServerOnly, Unlimited, Yes, how_many
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.parsing import http_target, seconds
from duetime.cli.shared.parsing import instant as parse_instant
from duetime.cli.shared.session import call
from duetime.model.errors import NotFound

if TYPE_CHECKING:
    from duetime.client import Chosen, Client, DeadLetter, DeadLetterFilter, Job

dead_letters = typer.Typer(no_args_is_help=True, help="Jobs that failed for good: redrive or discard.", epilog=EPILOG)

Ids = Annotated[list[int] | None, typer.Argument(metavar="[ID...]", help="The jobs' ids.", show_default=False)]
Error = Annotated[
    str | None, typer.Option(help="Only those whose reason has this, or of this class (timeout, http_503).")
]
Definition = Annotated[int | None, typer.Option(min=1, help="Only those of this definition, by its id.")]
From = Annotated[str | None, typer.Option("--from", metavar="INSTANT", help="Only those that ended then or later.")]
To = Annotated[str | None, typer.Option(metavar="INSTANT", help="Only those that ended before this.")]
Key = Annotated[str | None, typer.Option(help="Only those with this ordering key.")]
Everything = Annotated[bool, typer.Option("--all", help="All of them.", show_default=False)]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say which ones it would be.", show_default=False)]


def chosen(
    error: Error = None,
    definition: Definition = None,
    from_: From = None,
    to: To = None,
    key: Key = None,
) -> None:
    """Which dead letters are meant."""


@dead_letters.command(
    "list",
    epilog="""\b
Examples:
  duetime dead-letters list
  duetime dead-letters list --error 503 --from 2030-01-01T00:00:00Z
  duetime dead-letters list --all --json > dead.ndjson""",
)
@sharing(chosen)
def list_dead_letters(
    given: dict[str, Any],
    limit: ListLimit = None,
    everything: Unlimited = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your dead letters, newest first."""
    wanted, most = _filter(given), how_many(limit, everything=everything)
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        async for job in client.dead_letters(wanted, limit=most):
            if as_json:
                print_json(job)
            else:
                ended = job.finished_at or job.due_at
                rows.append((job.id, ended, job.ordering_key, job.attempts, job.reason, job.message))

    call(server, work)
    if not as_json:
        columns = ("id", "ended", "key", "attempts", "reason", "message")
        print_table(columns, rows, empty="There are no such dead letters.")


@dead_letters.command(
    epilog="""\b
Examples:
  duetime dead-letters show 1025
  duetime dead-letters show 1025 --json""",
    no_args_is_help=True,
)
def show(job_id: JobId, server: Server = None, as_json: AsJson = False) -> None:
    """Show a dead letter with all its attempts."""

    async def work(client: Client) -> DeadLetter:
        return await client.dead_letter(job_id)

    found = call(server, work)
    if as_json:
        print_json(found)
    else:
        print_job(found.job, found.runs)


@dead_letters.command(
    epilog="""With options that choose (--error, --from, …, --all) you are asked before anything is done. At most \
1,000 go in one call.

\b
Examples:
  duetime dead-letters redrive 1025
  duetime dead-letters redrive 1025 --url https://example.com/new-hook
  duetime dead-letters redrive --error 503 --dry-run
  duetime dead-letters redrive --all --per-second 10 --yes""",
    no_args_is_help=True,
)
@sharing(chosen)
def redrive(
    given: dict[str, Any],
    job_ids: Ids = None,
    everything: Everything = False,
    per_second: Annotated[
        float | None, typer.Option(min=0.001, help="How many a second. Default: all at once.")
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    message: Annotated[str | None, typer.Option(help="With one ID: another payload.")] = None,
    url: Url = None,
    method: Method = None,
    header: Header = None,
    timeout: Timeout = None,
    server: ServerOnly = None,
    as_json: AsJson = False,
) -> None:
    """Give dead letters another life: by ID, which can be changed on the way, or by what they are."""
    target = http_target(url, method, header)
    changed = any(value is not None for value in (message, target, timeout))
    which = _which(job_ids, everything, _filter(given))
    if changed:
        if not isinstance(which, list) or len(which) != 1 or dry_run or per_second is not None:
            raise Usage("A dead letter is changed one at a time: give one ID, without --dry-run and --per-second.")
        job_id = which[0]

        async def redrive_one(client: Client) -> Job:
            return await client.redrive(job_id, message=message, target=target, timeout=seconds(timeout))

        show_changed("Redriven:", call(server, redrive_one), as_json=as_json)
        return

    async def work(client: Client) -> Chosen:
        if not isinstance(which, list) and not (yes or dry_run):
            _ask("Redrive", await client.redrive_many(which, dry_run=True))
        return await client.redrive_many(which, per_second=per_second, dry_run=dry_run)

    _show_chosen("redriven", call(server, work), which, as_json=as_json)


@dead_letters.command(
    epilog="""They end as cancelled, and lanes that waited for them go on. At most 1,000 go in one call.

\b
Examples:
  duetime dead-letters discard 1025 2049
  duetime dead-letters discard --key order-7 --yes
  duetime dead-letters discard --all --dry-run""",
    no_args_is_help=True,
)
@sharing(chosen)
def discard(
    given: dict[str, Any],
    job_ids: Ids = None,
    everything: Everything = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Give dead letters up for good."""
    which = _which(job_ids, everything, _filter(given))

    async def work(client: Client) -> Chosen:
        if not (yes or dry_run):
            _ask("Discard", await client.discard(which, dry_run=True))
        return await client.discard(which, dry_run=dry_run)

    _show_chosen("discarded", call(server, work), which, as_json=as_json)


def _filter(given: dict[str, Any]) -> DeadLetterFilter:
    from duetime.client import DeadLetterFilter

    return DeadLetterFilter(
        error=given["error"],
        definition_id=given["definition"],
        from_=parse_instant(given["from_"], "--from"),
        to=parse_instant(given["to"], "--to"),
        ordering_key=given["key"],
    )


def _which(job_ids: list[int] | None, everything: bool, wanted: DeadLetterFilter) -> list[int] | DeadLetterFilter:
    filtered = wanted != type(wanted)()
    if job_ids:
        if filtered or everything:
            raise Usage("Give either IDs or options that choose, not both.")
        return job_ids
    if not (filtered or everything):
        raise Usage("Which ones? Give IDs, options that choose such as --error, or --all.")
    return wanted


def _ask(verb: str, would_be: Chosen) -> None:
    more = " (there are more; these are what one call can do)" if would_be.more_remain else ""
    noun = "dead letter" if would_be.count == 1 else "dead letters"
    if would_be.count:
        typer.confirm(f"{verb} {would_be.count} {noun}{more}?", abort=True, err=True)


def _show_chosen(done: str, chosen: Chosen, which: list[int] | DeadLetterFilter, *, as_json: bool) -> None:
    if as_json:
        print_json(chosen)
    else:
        _print_chosen(done, chosen)
    missed = sorted(set(which) - set(chosen.ids)) if isinstance(which, list) else []
    if missed:
        error = NotFound(f"Not among your dead letters: {', '.join(map(str, missed))}.", ids=missed)
        raise typer.Exit(report(error, as_json=as_json))


def _print_chosen(done: str, chosen: Chosen) -> None:
    noun = "dead letter" if chosen.count == 1 else "dead letters"
    verb = f"would be {done}" if chosen.dry_run else f"{'was' if chosen.count == 1 else 'were'} {done}"
    print_line(f"{chosen.count} {noun} {verb}.")
    if chosen.dry_run and chosen.ids:
        print_line(" ".join(map(str, chosen.ids)))
    if chosen.more_remain:
        print_line("More remain: run it again.")
