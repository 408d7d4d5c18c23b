"""The options that say what a job does and by which rules. Schedules and redrives use many of them too."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.kafka_target import (
    KafkaCluster,
    KafkaHeader,
    KafkaKey,
    KafkaPartition,
    KafkaTopic,
    build_target,
)
from duetime.cli.shared.option_values import (
    build_hours,
    build_limit,
    build_queue_target,
    parse_instant,
    parse_pairs,
    parse_seconds,
)
from duetime.cli.shared.program_target import Artifact, Cwd, Env, Run, build_program_target
from duetime.model.bounds import AT_ONCE, ATTEMPTS, MAX_TIMEOUT, PRIORITY, REDIRECTS

At = Annotated[
    str | None,
    typer.Option(
        metavar="INSTANT", help="When it is due, such as 2030-01-31T09:00:00Z; local time if it has no UTC offset."
    ),
]
Delay = Annotated[
    str | None, typer.Option(metavar="DURATION", help="How long from now it is due, such as 30s or 1h30m.")
]
Url = Annotated[str | None, typer.Option(metavar="URL", help="Send the message to this address as an HTTP request.")]
Method = Annotated[
    str | None, typer.Option(metavar="METHOD", help="The HTTP method, such as GET. Needs --url. Default: POST.")
]
Header = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME:VALUE", help="A header of the HTTP request. Needs --url. May be repeated."),
]
Auth = Annotated[
    str | None,
    typer.Option(
        metavar="KIND:VALUE",
        help="Credentials of the HTTP request: basic:USER:PASSWORD or bearer:TOKEN. Needs --url. The process list "
        "shows the command line: write @FILE for the password or token to read it from a file.",
    ),
]
FollowRedirects = Annotated[
    int | None,
    bounded(REDIRECTS, "Follow up to N redirects of the target. Needs --url. Default: 0, a redirect is a failure."),
]
Queue = Annotated[
    str | None, typer.Option(metavar="NAME", help="Let a worker of this queue pull the job, instead of --url.")
]
Task = Annotated[
    str | None, typer.Option(metavar="NAME", help="What the worker does. Needs --queue. Default: default.")
]
Key = Annotated[
    str | None,
    typer.Option(metavar="KEY", help="The ordering key. Jobs with the same key run one at a time, in order."),
]
Label = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="A label, such as team=billing. May be repeated.")
]
OptionalJobId = Annotated[
    int | None, typer.Argument(metavar="[ID]", help="The job's id, such as 1025.", show_default=False)
]
JobKey = Annotated[
    str | None,
    typer.Option("--idempotency-key", metavar="KEY", help="Instead of the id: the key that the job was created with."),
]
Priority = Annotated[
    int | None,
    bounded(PRIORITY, "Among your due jobs, higher ones start first. Default: 5."),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION",
        help=f"How long one attempt may take, such as 30s; at most {MAX_TIMEOUT // 3600}h. Default: 60s.",
    ),
]
ExpiresAt = Annotated[
    str | None,
    typer.Option(metavar="INSTANT", help="Skip the job if it has not started by then, such as 2030-01-31T10:00:00Z."),
]
RetryAttempts = Annotated[
    int | None,
    bounded(ATTEMPTS, "How many attempts in all; 1 means no retry. Default: 5."),
]
Delivery = Annotated[
    Literal["at_least_once", "at_most_once"] | None,
    typer.Option(help="at_most_once makes one attempt and never another. Default: at_least_once."),
]
OnFailure = Annotated[
    Literal["block", "skip"] | None,
    typer.Option(
        help="After a final failure, later jobs with the same key wait (block) or run (skip). Default: block."
    ),
]
LimitConcurrency = Annotated[
    int | None,
    bounded(AT_ONCE, "How many jobs with the same target and policy may run at the same time."),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="N/UNIT",
        help="How many jobs with the same target and policy may start per second, minute or hour, such as 10/second.",
    ),
]
HoursOption = Annotated[
    str | None,
    typer.Option(metavar="WINDOW", help="Start attempts only in these hours, such as MON-FRI 09:00-17:00."),
]
Zone = Annotated[
    str | None, typer.Option(metavar="ZONE", help="The time zone of --hours, such as Europe/Riga. Default: UTC.")
]
BreakerOption = Annotated[
    bool | None,
    typer.Option(
        "--breaker/--no-breaker",
        help="Wait while the circuit breaker of the target's host is open. Default: --breaker.",
    ),
]
Requires = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A label that the executor must have, such as zone=eu. May be repeated."),
]


def job_options(
    url: Url = None,
    method: Method = None,
    header: Header = None,
    auth: Auth = None,
    follow_redirects: FollowRedirects = None,
    queue: Queue = None,
    task: Task = None,
    kafka_topic: KafkaTopic = None,
    kafka_cluster: KafkaCluster = None,
    kafka_key: KafkaKey = None,
    kafka_header: KafkaHeader = None,
    kafka_partition: KafkaPartition = None,
    run: Run = None,
    env: Env = None,
    cwd: Cwd = None,
    artifact: Artifact = None,
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
    breaker: BreakerOption = None,
    requires: Requires = None,
) -> None:
    """The options for a job's target and policy."""


def one_job(job_id: int | None, key: str | None) -> int | str:
    """Returns the id or the idempotency key that names the job of a command."""
    if (job_id is None) == (key is None):
        raise UsageError("Give either the job's ID or its --idempotency-key.")
    return job_id if job_id is not None else key or ""


def _target(given: dict[str, Any]) -> dict[str, Any] | None:
    program = build_program_target(given)
    if program is not None:
        return program
    return build_target(given) if given.get("queue") is None else build_queue_target(given)


def job_rules(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the values of `job_options` by the names that the client has."""
    attempts = given["retry_attempts"]
    return {
        "target": _target(given),
        "priority": given["priority"],
        "timeout": parse_seconds(given["timeout"]),
        "expires_at": parse_instant(given["expires_at"], "--expires-at"),
        "retry": None if attempts is None else {"max_attempts": attempts},
        "delivery": given["delivery"],
        "on_failure": given["on_failure"],
        "limit": build_limit(given["limit_concurrency"], given["rate"]),
        "hours": build_hours(given["hours"], given["zone"]),
        "breaker": given["breaker"],
        "requires": parse_pairs(given["requires"], "=", "--requires") or None,
    }


OfSchedule = Annotated[
    str | None, typer.Option(metavar="SCHEDULE", help="Only jobs of this schedule, given by its name or its id.")
]
