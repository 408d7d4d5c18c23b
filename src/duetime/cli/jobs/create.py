"""`duetime jobs create` and `duetime jobs edit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.jobs.bulk import create_from
from duetime.cli.jobs.options import At, Delay, JobKey, Key, Label, OptionalJobId, job_options, job_rules, one_job
from duetime.cli.jobs.printing import print_created, print_job_change
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.input_files import read_text
from duetime.cli.shared.option_groups import with_options
from duetime.cli.shared.option_values import parse_instant, parse_pairs
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Job

CREATE_EXAMPLES = """Without --at and --delay the job is due at once. Without --url and --kafka-topic its message is \
written to its log.

\b
Examples:
  duetime jobs create "hello" --delay 30s
  duetime jobs create "hello" --at 2030-01-31T09:00:00Z
  duetime jobs create '{"order": 7}' --url https://example.com/hook
  duetime jobs create '{"order": 7}' --kafka-topic orders --kafka-key customer-7 --delay 1h
  duetime jobs create "step 2" --key order-7 --label team=billing
  duetime jobs create "call" --url https://example.com --hours "MON-FRI 09:00-17:00" --zone Europe/Riga
  duetime jobs create "train" --url https://example.com/train --requires zone=eu --requires gpu=a100
  duetime jobs create '{"to": "a@b.c"}' --queue mail --task send
  duetime jobs create - < message.txt
  duetime jobs create --file jobs.ndjson

Each line of the file is a job in the API's JSON: {"message": "hello", "delay": "30s"}."""

EDIT_EXAMPLES = """\b
Examples:
  duetime jobs edit 1025 --at 2030-01-31T10:00:00Z
  duetime jobs edit 1025 --message "later" --delay 1h
  duetime jobs edit --idempotency-key order-4711-expiry --delay 1h
  duetime jobs edit 1025 --no-expiry --no-hours"""

NoExpiry = Annotated[bool, typer.Option("--no-expiry", help="Remove its --expires-at.", show_default=False)]
NoLimit = Annotated[bool, typer.Option("--no-limit", help="Remove its limits.", show_default=False)]
NoHours = Annotated[bool, typer.Option("--no-hours", help="Remove its --hours.", show_default=False)]
NoRequires = Annotated[bool, typer.Option("--no-requires", help="Let any executor run it.", show_default=False)]


@with_options(job_options)
def create(
    given: dict[str, Any],
    message: Annotated[
        str | None,
        typer.Argument(metavar="MESSAGE", help="The message that the target receives; - reads it from stdin."),
    ] = None,
    at: At = None,
    delay: Delay = None,
    key: Key = None,
    label: Label = None,
    idempotency_key: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Repeating the command with the same key creates no second job.")
    ] = None,
    traceparent: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="The span that the job comes from, as in W3C Trace Context.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Create many jobs from an NDJSON file, one per line; - is stdin."),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a job, or many from a file."""
    if file is not None:
        if message is not None:
            raise UsageError("Give either a MESSAGE or a --file, not both.")
        own = {"at": at, "delay": delay, "key": key, "label": label, "idempotency_key": idempotency_key}
        own |= {"traceparent": traceparent}
        _refuse_beside_a_file(own | given)
        create_from(file, server, as_json=as_json)
        return
    if message is None:
        raise UsageError("Give a MESSAGE or a --file.")
    text = read_text(Path("-")) if message == "-" else message
    rules = job_rules(given)

    async def work(client: Client) -> Job:
        return await client.create_job(
            text,
            at=parse_instant(at, "--at"),
            delay=delay,
            ordering_key=key,
            labels=parse_pairs(label, "=", "--label") or None,
            idempotency_key=idempotency_key,
            traceparent=traceparent,
            **rules,
        )

    print_created(call(server, work), as_json=as_json)


@with_options(job_options)
def edit(
    given: dict[str, Any],
    job_id: OptionalJobId = None,
    idempotency_key: JobKey = None,
    at: At = None,
    delay: Delay = None,
    message: Annotated[str | None, typer.Option(metavar="TEXT", help="The new message.")] = None,
    no_expiry: NoExpiry = False,
    no_limit: NoLimit = False,
    no_hours: NoHours = False,
    no_requires: NoRequires = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a job that has not started. Only the options you give change it."""
    which = one_job(job_id, idempotency_key)
    rules = job_rules(given)
    removals = {"expires_at": no_expiry, "limit": no_limit, "hours": no_hours, "requires": no_requires}
    for name, removed in removals.items():
        if removed and rules[name]:
            option = "--no-expiry" if name == "expires_at" else f"--no-{name}"
            raise UsageError(f"{option} removes what another option sets: give one of them.")
        if not removed and not rules[name]:
            del rules[name]

    async def work(client: Client) -> Job:
        change: dict[str, Any] = {"at": parse_instant(at, "--at"), "delay": delay, "message": message, **rules}
        if isinstance(which, int):
            return await client.edit(which, **change)
        return await client.edit_by_key(which, **change)

    print_job_change("Changed", call(server, work), as_json=as_json)


def _refuse_beside_a_file(given: dict[str, Any]) -> None:
    """Refuses options about one job, which would not apply to the jobs of a file."""
    names = [f"--{name.replace('_', '-')}" for name, value in given.items() if value not in (None, [])]
    if names:
        raise UsageError(
            f"With --file, each line describes its job: leave out {', '.join(names)}, and set this in the file."
        )
