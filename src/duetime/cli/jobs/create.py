"""`duetime jobs create` and `duetime jobs edit`: what a job is to be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from duetime.cli.jobs.bulk import create_from
from duetime.cli.shared.exits import Usage
from duetime.cli.shared.option_lists import sharing
from duetime.cli.shared.options import AsJson, JobId, ServerOnly
from duetime.cli.shared.output import instant, print_json, print_line
from duetime.cli.shared.parsing import hours, http_target, limit, pairs, seconds
from duetime.cli.shared.parsing import instant as parse_instant
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Job

CREATE_EXAMPLES = """Without --at and --delay the job is due at once; without --url its message goes to its log.

\b
Examples:
  duetime jobs create "hello" --delay 30s
  duetime jobs create "hello" --at 2030-01-31T09:00:00Z
  duetime jobs create '{"order": 7}' --url https://example.com/hook
  duetime jobs create "step 2" --key order-7 --label team=billing
  duetime jobs create "call" --url https://example.com --hours "MON-FRI 09:00-17:00" --zone Europe/Riga
  duetime jobs create "train" --url https://example.com/train --requires zone=eu --requires gpu=a100
  duetime jobs create - < message.txt
  duetime jobs create --file jobs.ndjson

A line of the file is a job as the API takes it: {"message": "hello", "delay": "30s"}."""

EDIT_EXAMPLES = """\b
Examples:
  duetime jobs edit 1025 --at 2030-01-31T10:00:00Z
  duetime jobs edit 1025 --message "later" --delay 1h
  duetime jobs edit 1025 --no-expiry --no-hours"""

At = Annotated[
    str | None, typer.Option(metavar="INSTANT", help="When, such as 2030-01-31T09:00:00Z; local without an offset.")
]
Delay = Annotated[str | None, typer.Option(metavar="DURATION", help="How long from now, such as 30s or 1h30m.")]
Url = Annotated[str | None, typer.Option(metavar="URL", help="Send the message there, as an HTTP request.")]
Method = Annotated[str | None, typer.Option(metavar="METHOD", help="Default: POST.")]
Header = Annotated[list[str] | None, typer.Option(metavar="NAME:VALUE", help="May be repeated.")]
Key = Annotated[str | None, typer.Option(help="Ordering key: one at a time, in order.")]
Label = Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="May be repeated.")]
Priority = Annotated[int | None, typer.Option(min=0, max=9, help="Higher goes first. Default: 5.")]
Timeout = Annotated[str | None, typer.Option(metavar="DURATION", help="For one attempt. Default: 60s.")]
ExpiresAt = Annotated[
    str | None, typer.Option(metavar="INSTANT", help="From then on it is no longer started, but skipped.")
]
RetryAttempts = Annotated[int | None, typer.Option(min=1, help="How often to try in all; 1 is no retry.")]
Delivery = Annotated[Literal["at_least_once", "at_most_once"] | None, typer.Option(help="Default: at_least_once.")]

OnFailure = Annotated[
    Literal["block", "skip"] | None,
    typer.Option(help="What a final failure does to later ones with the same key. Default: block."),
]

LimitConcurrency = Annotated[
    int | None, typer.Option(min=1, help="How many jobs with this same target and policy run at once.")
]
Rate = Annotated[
    str | None, typer.Option(metavar="N/UNIT", help="How many of them start per second, minute or hour: 10/second.")
]
HoursOption = Annotated[
    str | None, typer.Option(metavar="WINDOW", help="Attempts start only within: MON-FRI 09:00-17:00.")
]
Zone = Annotated[str | None, typer.Option(metavar="ZONE", help="With --hours, such as Europe/Riga. Default: UTC.")]
Breaker = Annotated[
    bool | None,
    typer.Option("--breaker/--no-breaker", help="Whether it waits while its host is taken to be down. Default: yes."),
]
Requires = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="A label that the executor must have. May be repeated.")
]
NoLimit = Annotated[bool, typer.Option("--no-limit", help="Take its limit away.", show_default=False)]
NoHours = Annotated[bool, typer.Option("--no-hours", help="Take its hours away.", show_default=False)]

NoExpiry = Annotated[bool, typer.Option("--no-expiry", help="Let it start however late.", show_default=False)]
NoRequires = Annotated[bool, typer.Option("--no-requires", help="Any executor may run it.", show_default=False)]


def described(
    url: Url = None,
    method: Method = None,
    header: Header = None,
    priority: Priority = None,
    timeout: Timeout = None,
    expires_at: ExpiresAt = None,
    retry_attempts: RetryAttempts = None,
    delivery: Delivery = None,
    on_failure: OnFailure = None,
    limit_concurrency: LimitConcurrency = None,
    rate: Rate = None,
    hours: HoursOption = None,
    zone: Zone = None,
    breaker: Breaker = None,
    requires: Requires = None,
) -> None:
    """What a job does, and by what rules."""


@sharing(described)
def create(
    given: dict[str, Any],
    message: Annotated[str | None, typer.Argument(help="The payload; - reads it from stdin.")] = None,
    at: At = None,
    delay: Delay = None,
    key: Key = None,
    label: Label = None,
    idempotency_key: Annotated[
        str | None, typer.Option(help="The same key and job again creates no second one.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Create many: NDJSON, one job a line; - is stdin.")
    ] = None,
    server: ServerOnly = None,
    as_json: AsJson = False,
) -> None:
    """Create a job, or many from a file."""
    if file is not None:
        if message is not None:
            raise Usage("Give either a MESSAGE or a --file, not both.")
        own = {"at": at, "delay": delay, "key": key, "label": label, "idempotency_key": idempotency_key}
        _refuse_beside_a_file(own | given)
        create_from(file, server, as_json=as_json)
        return
    if message is None:
        raise Usage("A MESSAGE is missing (or a --file).")
    text = sys.stdin.read() if message == "-" else message
    rules = _rules(given)

    async def work(client: Client) -> Job:
        return await client.create_job(
            text,
            at=parse_instant(at, "--at"),
            delay=delay,
            ordering_key=key,
            labels=pairs(label, "=", "--label") or None,
            idempotency_key=idempotency_key,
            **rules,
        )

    show_changed("Created", call(server, work), as_json=as_json)


@sharing(described)
def edit(
    job_id: JobId,
    given: dict[str, Any],
    at: At = None,
    delay: Delay = None,
    message: Annotated[str | None, typer.Option(help="Another payload.")] = None,
    no_expiry: NoExpiry = False,
    no_limit: NoLimit = False,
    no_hours: NoHours = False,
    no_requires: NoRequires = False,
    server: ServerOnly = None,
    as_json: AsJson = False,
) -> None:
    """Change a job that has not started; what is not given stays."""
    rules = _rules(given)
    away = {"expires_at": no_expiry, "limit": no_limit, "hours": no_hours, "requires": no_requires}
    for name, taken_away in away.items():
        if taken_away and rules[name]:
            raise Usage("Something is both set and taken away.")
        if not taken_away and not rules[name]:
            del rules[name]

    async def work(client: Client) -> Job:
        return await client.edit(job_id, at=parse_instant(at, "--at"), delay=delay, message=message, **rules)

    show_changed("Changed", call(server, work), as_json=as_json)


def _refuse_beside_a_file(given: dict[str, Any]) -> None:
    """What is said about one job would be lost on those of a file."""
    said = [f"--{name.replace('_', '-')}" for name, value in given.items() if value not in (None, [])]
    if said:
        raise Usage(f"Each line of a --file says itself what its job is to be: leave out {', '.join(said)}.")


def _rules(given: dict[str, Any]) -> dict[str, Any]:
    """What the options say, by the names that the client has."""
    attempts = given["retry_attempts"]
    return {
        "target": http_target(given["url"], given["method"], given["header"]),
        "priority": given["priority"],
        "timeout": seconds(given["timeout"]),
        "expires_at": parse_instant(given["expires_at"], "--expires-at"),
        "retry": None if attempts is None else {"max_attempts": attempts},
        "delivery": given["delivery"],
        "on_failure": given["on_failure"],
        "limit": limit(given["limit_concurrency"], given["rate"]),
        "hours": hours(given["hours"], given["zone"]),
        "breaker": given["breaker"],
        "requires": pairs(given["requires"], "=", "--requires") or None,
    }


def show_changed(verb: str, job: Job, *, as_json: bool) -> None:
    """A job after something was done to it."""
    if as_json:
        print_json(job)
    else:
        print_line(f"{verb} job {job.id}: {job.status}, due {instant(job.due_at or job.execute_at)}.")
