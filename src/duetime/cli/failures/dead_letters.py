"""`duetime dead-letters`: lists the jobs that failed for good, redrives or discards them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.jobs.options import Auth, FollowRedirects, Header, Method, Timeout, Url
from duetime.cli.jobs.printing import print_job, print_job_change
from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG, UsageError, report
from duetime.cli.shared.kafka_target import (
    KafkaCluster,
    KafkaHeader,
    KafkaKey,
    KafkaPartition,
    KafkaTopic,
    build_target,
)
from duetime.cli.shared.option_groups import with_options
from duetime.cli.shared.option_values import parse_instant, parse_seconds
from duetime.cli.shared.options import AsJson, JobId, ListLimit, Server, Unlimited, Yes, entry_limit
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.session import call
from duetime.model.bounds import DEFINITION_ID, REDRIVE_RATE, REDRIVEN
from duetime.model.errors import NotFound

if TYPE_CHECKING:
    from duetime.client import Chosen, Client, DeadLetter, DeadLetterFilter, Job

dead_letters = typer.Typer(
    no_args_is_help=True, help="List, redrive or discard jobs that failed for good.", epilog=EPILOG
)

Ids = Annotated[
    list[int] | None,
    typer.Argument(metavar="[ID...]", help="The ids of the dead letters, such as 1025.", show_default=False),
]
Error = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Only those whose reason contains this text or has this error class, such as timeout or http_503.",
    ),
]
Definition = Annotated[
    int | None,
    bounded(DEFINITION_ID, "Only those of the definition with this id; 'duetime jobs show' names it.", metavar="ID"),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="INSTANT",
        help="Only those that ended at this instant or later, such as 2030-01-31T09:00:00Z.",
    ),
]
To = Annotated[str | None, typer.Option(metavar="INSTANT", help="Only those that ended before this instant.")]
Key = Annotated[str | None, typer.Option(metavar="KEY", help="Only those with this ordering key.")]
Everything = Annotated[bool, typer.Option("--all", help="All your dead letters.", show_default=False)]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only show which dead letters it would be.", show_default=False)
]


def filter_options(
    error: Error = None,
    definition: Definition = None,
    from_: From = None,
    to: To = None,
    key: Key = None,
) -> None:
    """The options that select dead letters."""


def redrive_options(
    error: Error = None,
    definition: Definition = None,
    from_: From = None,
    to: To = None,
    key: Key = None,
    url: Url = None,
    method: Method = None,
    header: Header = None,
    auth: Auth = None,
    follow_redirects: FollowRedirects = None,
    kafka_topic: KafkaTopic = None,
    kafka_cluster: KafkaCluster = None,
    kafka_key: KafkaKey = None,
    kafka_header: KafkaHeader = None,
    kafka_partition: KafkaPartition = None,
) -> None:
    """The options that select dead letters, and those of a new target."""


@dead_letters.command(
    "list",
    epilog="""\b
Examples:
  duetime dead-letters list
  duetime dead-letters list --error 503 --from 2030-01-01T00:00:00Z
  duetime dead-letters list --all --json > dead.ndjson""",
)
@with_options(filter_options)
def list_dead_letters(
    given: dict[str, Any],
    limit: ListLimit = None,
    everything: Unlimited = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your dead letters, newest first."""
    wanted, most = _filter(given), entry_limit(limit, everything=everything)
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        async for job in client.dead_letters(wanted, limit=most):
            if as_json:
                print_json(job)
            else:
                ended = job.finished_at or job.due_at
                rows.append((job.id, ended, job.ordering_key, job.attempts, job.reason, job.message_text))

    call(server, work)
    if not as_json:
        columns = ("id", "ended", "key", "attempts", "reason", "message")
        print_table(columns, rows, empty="There are no such dead letters: none of your jobs has failed for good.")


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
    epilog=f"""Without IDs you select by --error, --definition, --from, --to, --key or --all, and are asked before \
anything is done. One call redrives at most {REDRIVEN:,}.

\b
Examples:
  duetime dead-letters redrive 1025
  duetime dead-letters redrive 1025 --url https://example.com/new-hook
  duetime dead-letters redrive --error 503 --dry-run
  duetime dead-letters redrive --all --per-second 10 --yes""",
    no_args_is_help=True,
)
@with_options(redrive_options)
def redrive(
    given: dict[str, Any],
    job_ids: Ids = None,
    everything: Everything = False,
    per_second: Annotated[
        float | None,
        bounded(REDRIVE_RATE, "Redrive this many per second. Default: all at once.", metavar="NUMBER"),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    message: Annotated[str | None, typer.Option(metavar="TEXT", help="A new message. Needs exactly one ID.")] = None,
    timeout: Timeout = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Run dead letters again, with all their attempts. With one ID the job can be changed first."""
    target = build_target(given)
    changed = any(value is not None for value in (message, target, timeout))
    which = _selection(job_ids, everything, _filter(given))
    if changed:
        if not isinstance(which, list) or len(which) != 1 or dry_run or per_second is not None:
            raise UsageError("Only one dead letter can be changed: give one ID, without --dry-run and --per-second.")
        job_id = which[0]

        async def redrive_one(client: Client) -> Job:
            return await client.redrive(job_id, message=message, target=target, timeout=parse_seconds(timeout))

        print_job_change("Redriven:", call(server, redrive_one), as_json=as_json)
        return

    async def work(client: Client) -> Chosen:
        if not isinstance(which, list) and not (yes or dry_run):
            _ask("Redrive", await client.redrive_many(which, dry_run=True))
        return await client.redrive_many(which, per_second=per_second, dry_run=dry_run)

    _show_chosen("redriven", call(server, work), which, as_json=as_json)


@dead_letters.command(
    epilog=f"""Discarded jobs end as cancelled, and lanes that they blocked continue. You are asked first. One call \
discards at most {REDRIVEN:,}.

\b
Examples:
  duetime dead-letters discard 1025 2049
  duetime dead-letters discard --key order-7 --yes
  duetime dead-letters discard --all --dry-run""",
    no_args_is_help=True,
)
@with_options(filter_options)
def discard(
    given: dict[str, Any],
    job_ids: Ids = None,
    everything: Everything = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Discard dead letters: they never run again."""
    which = _selection(job_ids, everything, _filter(given))

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


def _selection(job_ids: list[int] | None, everything: bool, wanted: DeadLetterFilter) -> list[int] | DeadLetterFilter:
    filtered = wanted != type(wanted)()
    if job_ids:
        if filtered or everything:
            raise UsageError("Give either IDs, or options that select such as --error, not both.")
        return job_ids
    if not (filtered or everything):
        raise UsageError("Give IDs, options that select such as --error, or --all.")
    return wanted


def _ask(verb: str, would_be: Chosen) -> None:
    more = " (the most that one call can do; more remain)" if would_be.more_remain else ""
    noun = "dead letter" if would_be.count == 1 else "dead letters"
    if would_be.count:
        confirm(f"{verb} {would_be.count} {noun}{more}?")


def _show_chosen(done: str, chosen: Chosen, which: list[int] | DeadLetterFilter, *, as_json: bool) -> None:
    if as_json:
        print_json(chosen)
    else:
        _print_chosen(done, chosen)
    missed = sorted(set(which) - set(chosen.ids)) if isinstance(which, list) else []
    if missed:
        error = NotFound(f"These are not among your dead letters: {', '.join(map(str, missed))}.", ids=missed)
        raise typer.Exit(report(error, as_json=as_json))


def _print_chosen(done: str, chosen: Chosen) -> None:
    noun = "dead letter" if chosen.count == 1 else "dead letters"
    verb = f"would be {done}" if chosen.dry_run else f"{'was' if chosen.count == 1 else 'were'} {done}"
    print_line(f"{chosen.count} {noun} {verb}.")
    if chosen.dry_run and chosen.ids:
        print_line(" ".join(map(str, chosen.ids)))
    if chosen.more_remain:
        print_line("More remain: run the command again.")
