"""The options that say what a schedule does and when."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from duetime.cli.jobs.options import (
    Auth,
    BreakerOption,
    Delivery,
    FollowRedirects,
    Header,
    Key,
    Label,
    LimitConcurrency,
    Method,
    OnFailure,
    Priority,
    Rate,
    Requires,
    RetryAttempts,
    Timeout,
    Url,
)
from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.kafka_target import (
    KafkaCluster,
    KafkaHeader,
    KafkaKey,
    KafkaPartition,
    KafkaTopic,
    build_target,
)
from duetime.cli.shared.option_values import build_limit, parse_instant, parse_pairs
from duetime.model.bounds import OCCURRENCES

Which = Annotated[
    str, typer.Argument(metavar="SCHEDULE", help="The name or the id of the schedule.", show_default=False)
]

Cron = Annotated[
    list[str] | None,
    typer.Option(metavar="EXPR", help="A cron expression, such as '30 2 * * *'; see 'duetime cron'. May be repeated."),
]
CronDialect = Annotated[
    Literal["standard", "quartz"] | None,
    typer.Option(help="How --cron is written; quartz has 1 for Sunday and may have a year. Default: standard."),
]
Every = Annotated[str | None, typer.Option(metavar="DURATION", help="An interval, such as 15m.")]
Anchor = Annotated[
    str | None,
    typer.Option(metavar="INSTANT", help="The instant from which --every counts. Default: --start."),
]
At = Annotated[
    list[str] | None, typer.Option(metavar="INSTANT", help="An instant, such as 2030-01-31T09:00:00Z. May be repeated.")
]
Rrule = Annotated[
    str | None, typer.Option(metavar="RULE", help="A recurrence rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.")
]
Zone = Annotated[
    str | None, typer.Option(metavar="ZONE", help="The time zone of its timing, such as Europe/Riga. Default: UTC.")
]
Dst = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="How --cron behaves when clocks change: vixie, literal, skip_once or shift. Default: vixie.",
    ),
]
CalendarName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="A calendar of yours with the dates to leave out; see 'duetime calendars'."),
]
Window = Annotated[
    str | None, typer.Option(metavar="HOURS", help="Launch only in these hours, such as 'MON-FRI 09:00-17:00'.")
]
WindowPolicy = Annotated[
    Literal["move", "skip"] | None,
    typer.Option(help="Occurrences outside --window move into it, or are skipped. Default: move."),
]
Jitter = Annotated[
    str | None,
    typer.Option(metavar="DURATION", help="Delay each launch by up to this duration, such as 5m, to spread load."),
]
Start = Annotated[str | None, typer.Option(metavar="INSTANT", help="No occurrence before this instant.")]
End = Annotated[str | None, typer.Option(metavar="INSTANT", help="No occurrence at this instant or later.")]
MaxOccurrences = Annotated[
    int | None,
    bounded(OCCURRENCES, "End the schedule after this many launches."),
]
MisfireRule = Annotated[
    Literal["fire_once", "fire_all", "skip"] | None,
    typer.Option(help="Which missed occurrences to launch, for example after no node ran. Default: fire_once."),
]
OverlapRule = Annotated[
    Literal["skip", "queue", "allow", "cancel_running"] | None,
    typer.Option(help="What happens when the occurrence before has not finished. Default: skip."),
]
ExpiresAfter = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION", help="Skip an occurrence that has not started this long after it is due, such as 10m."
    ),
]
Message = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="The message of each job; may contain {{nominal}}, {{occurrence}} and {{schedule}}."
    ),
]

_FIELD_BY_OPTION = {
    "dst": "dst_policy",
    "key": "ordering_key",
    "label": "labels",
    "limit_concurrency": "limit",
    "rate": "limit",
    "retry_attempts": "retry",
    "url": "target",
    "kafka_topic": "target",
}
"""The API's field for each option whose name differs from it."""


def schedule_options(
    cron: Cron = None,
    dialect: CronDialect = None,
    every: Every = None,
    anchor: Anchor = None,
    at: At = None,
    rrule: Rrule = None,
    zone: Zone = None,
    dst: Dst = None,
    calendar: CalendarName = None,
    window: Window = None,
    window_policy: WindowPolicy = None,
    jitter: Jitter = None,
    start: Start = None,
    end: End = None,
    max_occurrences: MaxOccurrences = None,
    misfire: MisfireRule = None,
    overlap: OverlapRule = None,
    message: Message = None,
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
    key: Key = None,
    priority: Priority = None,
    timeout: Timeout = None,
    expires_after: ExpiresAfter = None,
    retry_attempts: RetryAttempts = None,
    delivery: Delivery = None,
    on_failure: OnFailure = None,
    limit_concurrency: LimitConcurrency = None,
    rate: Rate = None,
    breaker: BreakerOption = None,
    label: Label = None,
    requires: Requires = None,
) -> None:
    """The options for a schedule's timing, target and policy."""


def field_of(option: str) -> str:
    """Returns the API's name for what an option sets."""
    name = option.removeprefix("--").replace("-", "_")
    return _FIELD_BY_OPTION.get(name, name)


def schedule_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the values of `schedule_options` by the names that the API has, without those not given."""
    same = ("dialect", "every", "rrule", "zone", "calendar", "window", "window_policy", "jitter", "max_occurrences")
    same = (
        *same,
        "misfire",
        "overlap",
        "message",
        "priority",
        "timeout",
        "expires_after",
        "delivery",
        "on_failure",
        "breaker",
    )
    fields = {name: given[name] for name in same}
    attempts = given["retry_attempts"]
    fields["retry"] = None if attempts is None else {"max_attempts": attempts}
    fields["limit"] = build_limit(given["limit_concurrency"], given["rate"])
    fields["anchor"] = parse_instant(given["anchor"], "--anchor")
    crons = given["cron"]
    fields["cron"] = crons[0] if crons and len(crons) == 1 else crons or None
    fields["at"] = [parse_instant(one, "--at") for one in given["at"] or []] or None
    fields["dst_policy"] = given["dst"]
    fields["start"] = parse_instant(given["start"], "--start")
    fields["end"] = parse_instant(given["end"], "--end")
    fields["ordering_key"] = given["key"]
    fields["target"] = build_target(given)
    fields["labels"] = parse_pairs(given["label"], "=", "--label") or None
    fields["requires"] = parse_pairs(given["requires"], "=", "--requires") or None
    return {name: value for name, value in fields.items() if value is not None}
