"""Notification rules: about which ends of jobs a user is told, when, and where. Pure values."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from duetime.model.errors import Conflict
from duetime.model.policy import Hours
from duetime.model.states import JobState
from duetime.model.targets.port import HIDDEN
from duetime.model.targets.url import masked_url

EventKind = Literal[
    "failed", "recovered", "dead", "lost", "late", "missed", "lane_blocked", "schedule_ended", "breaker_open",
    "node_lost", "database_away", "shards_unowned",
]  # fmt: skip
"""What a rule can ask for. A test message and a reminder are told too, but cannot be asked for as events."""

CLUSTER_EVENTS = frozenset({"node_lost", "database_away", "shards_unowned"})
"""What only rules about the cluster can ask for."""
CONDITIONS = CLUSTER_EVENTS | {"breaker_open"}
"""What is no end of a job."""

MAX_RULES = 100
"""How many rules one user may have."""
MAX_ITEMS = 20
"""How many events a message lists one by one. The others are counted."""

Secret = Annotated[str, Meta(min_length=8, max_length=256)]
Url = Annotated[str, Meta(min_length=8, max_length=2048)]
Address = Annotated[
    str,
    Meta(
        min_length=3, max_length=254, pattern=r"^[^@\s<>,;:\"()\[\]\\]+@[A-Za-z0-9.-]+$", examples=["ops@example.com"]
    ),
]


class MailChannel(Struct, frozen=True, tag="mail", tag_field="kind", forbid_unknown_fields=True):
    """A mail to some addresses."""

    to: Annotated[tuple[Address, ...], Meta(min_length=1, max_length=10)]


class WebhookChannel(
    Struct, frozen=True, tag="webhook", tag_field="kind", forbid_unknown_fields=True, omit_defaults=True
):
    """A POST of JSON. With a secret it is signed as Standard Webhooks says."""

    url: Url
    secret: Secret | None = None


class SlackChannel(Struct, frozen=True, tag="slack", tag_field="kind", forbid_unknown_fields=True):
    """An incoming webhook of Slack, or of a service that takes the same body."""

    url: Url


class TeamsChannel(Struct, frozen=True, tag="teams", tag_field="kind", forbid_unknown_fields=True):
    """A workflow of Microsoft Teams that takes an adaptive card."""

    url: Url


class DiscordChannel(Struct, frozen=True, tag="discord", tag_field="kind", forbid_unknown_fields=True):
    """A webhook of Discord."""

    url: Url


class AppriseChannel(Struct, frozen=True, tag="apprise", tag_field="kind", forbid_unknown_fields=True):
    """A service that Apprise knows, by its URL for Apprise. For admins, and services that the operator allows."""

    url: Url


Channel = MailChannel | WebhookChannel | SlackChannel | TeamsChannel | DiscordChannel | AppriseChannel


def redacted(channel: Channel) -> Channel:
    """Returns a channel as it may be shown. The path of a chat service's URL is a secret."""
    if isinstance(channel, MailChannel):
        return channel
    if isinstance(channel, AppriseChannel):
        return replace(channel, url=f"{channel.url.partition('://')[0]}://{HIDDEN}")
    if not isinstance(channel, WebhookChannel):
        parts = urlsplit(channel.url)
        return replace(channel, url=f"{parts.scheme}://{parts.netloc}/{HIDDEN}")
    return replace(channel, url=masked_url(channel.url), secret=None if channel.secret is None else HIDDEN)


class Scope(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Which jobs a rule is about: of one schedule, in one lane, with some labels. Without a field, all of a user's.

    A rule of an admin can be about the cluster instead.
    """

    schedule_id: int | None = None
    ordering_key: str | None = None
    labels: dict[str, str] | None = None
    cluster: bool = False


class Template(Struct, frozen=True, forbid_unknown_fields=True):
    """A user's own words for messages to people. `duetime.engine.notifying.template` has the names to fill in."""

    subject: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    text: Annotated[str, Meta(min_length=1, max_length=4000)] | None = None


class RuleContent(Struct, frozen=True):
    """What a user writes in a rule."""

    name: str
    events: tuple[EventKind, ...]
    channels: tuple[Channel, ...]
    scope: Scope = Scope()
    after: int = 1
    """`failed` is told after this many jobs in a row ended badly."""
    late_after: float = 60.0
    """`late` is told when a job was launched this many seconds after it was due."""
    digest: float = 60.0
    """What happens within this many seconds after the first event becomes one message."""
    max_per_hour: int = 20
    """More messages than these are held back, and sent as one when the hour is over."""
    remind_every: float | None = None
    """A reminder after each so many seconds in which a failure goes on."""
    quiet: Hours | None = None
    """Hours in which nothing is sent: what happens then is sent as one message at their end."""
    template: Template | None = None
    """None: Duetime's own words."""
    active: bool = True


class Rule(Struct, frozen=True):
    """A rule as the store holds it."""

    id: int
    user_id: int
    content: RuleContent
    created_at: datetime
    updated_at: datetime


class Incident(Struct, frozen=True):
    """Something that goes on for a rule: failures in a row of one subject, or a subject that is late or has ended.

    The row is the memory of the flip: what is told once has one, and what is over has none.
    """

    rule_id: int
    subject: str
    """Such as `schedule:7`, `lane:customer-1`, `job:1025`; `late/…` and `ended/…` for those events."""
    since: datetime
    in_a_row: int = 1
    told: bool = False
    remind_at: datetime | None = None

    @property
    def key(self) -> tuple[int, str]:
        """What it is found by."""
        return self.rule_id, self.subject


class Item(Struct, frozen=True, omit_defaults=True):
    """One event, as a message lists it."""

    event: str
    at: datetime
    job_id: int | None = None
    schedule_id: int | None = None
    schedule: str | None = None
    """The name of the schedule."""
    lane: str | None = None
    reason: str | None = None
    since: datetime | None = None
    """Since when it failed: of `recovered` and of a reminder."""
    in_a_row: int | None = None
    condition: str | None = None
    """The condition that the event is about, if it is about one: `breaker_open`, `node_lost`, …"""
    name: str | None = None
    """The host, node or database of the condition."""


class Condition(Struct, frozen=True):
    """Something other than the end of a job that rules can ask for, and that holds now or has happened."""

    event: EventKind
    user_id: int
    """Whose breaker it is; 0 for the cluster."""
    name: str
    since: datetime
    reason: str


NoticeState = Literal["gathering", "sending", "sent", "dropped"]


class Notice(Struct, frozen=True):
    """A message of a rule, from its first event to the jobs that send it."""

    id: int
    rule_id: int
    user_id: int
    state: NoticeState
    opened_at: datetime
    due_at: datetime
    number: int
    """How many events it is about."""
    items: tuple[Item, ...]
    """The first of them."""
    held: str | None = None
    """Why it was held back."""
    closed_at: datetime | None = None
    jobs: tuple[int, ...] = ()
    """The jobs that send it, one for each channel."""


_NEEDED: dict[str, frozenset[JobState]] = {
    "failed": frozenset({JobState.DEAD, JobState.LOST, JobState.SUCCEEDED, JobState.CANCELLED}),
    "recovered": frozenset({JobState.DEAD, JobState.LOST, JobState.SUCCEEDED, JobState.CANCELLED}),
    "dead": frozenset({JobState.DEAD}),
    "lost": frozenset({JobState.LOST}),
    "late": frozenset({JobState.DEAD, JobState.LOST, JobState.SUCCEEDED}),
    "missed": frozenset({JobState.SKIPPED}),
    "lane_blocked": frozenset({JobState.DEAD}),
    "schedule_ended": frozenset(
        {JobState.DEAD, JobState.LOST, JobState.SUCCEEDED, JobState.CANCELLED, JobState.SKIPPED}
    ),
    **dict.fromkeys(CONDITIONS, frozenset[JobState]()),
}


def states_needed(contents: list[RuleContent]) -> tuple[JobState, ...]:
    """Returns the ends that active rules must learn of, in a fixed order."""
    of_jobs = [one for one in contents if one.active and not one.scope.cluster]
    needed = {state for one in of_jobs for event in one.events for state in _NEEDED[event]}
    return tuple(sorted(needed))


def conditions_needed(contents: list[RuleContent]) -> tuple[str, ...]:
    """Returns the conditions that active rules ask for, in a fixed order."""
    return tuple(sorted({event for one in contents if one.active for event in one.events if event in CONDITIONS}))


def too_many_rules() -> Conflict:
    """The error for one rule more than a user may have."""
    return Conflict(f"You have {MAX_RULES} notification rules, and more are not allowed: delete one first.")


encode_content = msgspec.json.Encoder().encode
decode_content = msgspec.json.Decoder(RuleContent).decode
encode_items = msgspec.json.Encoder().encode
decode_items = msgspec.json.Decoder(tuple[Item, ...]).decode
