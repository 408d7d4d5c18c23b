"""What clients send about notification rules."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.jobs.bodies import Labels
from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.engine.notifying.template import NAMES
from duetime.model.notification import Channel, EventKind, Template
from duetime.model.policy import Hours

Name = Annotated[str, Meta(min_length=1, max_length=255, extra_json_schema=NO_NUL)]
Key = Annotated[str, Meta(min_length=1, max_length=255, extra_json_schema=NO_NUL)]
Events = Annotated[
    tuple[EventKind, ...],
    Meta(
        min_length=1,
        max_length=12,
        description="`failed`: `after` jobs of a schedule or lane ended badly in a row, told once until it works "
        "again; `recovered`: it works again; `dead` and `lost`: each such job; `late`: launched more than `late_after` "
        "after it was due; `missed`: an instant of a schedule passed before it could be launched; `lane_blocked`: a "
        "dead job blocks its lane; `schedule_ended`: a schedule has no further occurrence; `breaker_open`: the circuit "
        "breaker of a host opens. With `scope.cluster`: `node_lost`, `database_away`, `shards_unowned`.",
    ),
]
Channels = Annotated[tuple[Channel, ...], Meta(min_length=1, max_length=10)]
After = Annotated[int, Meta(ge=1, le=1000, description="`failed` after this many jobs in a row; retries do not count.")]
LateAfter = Annotated[float, Meta(ge=1, le=86_400, description="Seconds, for `late`.")]
Digest = Annotated[
    float, Meta(ge=0, le=3600, description="What happens within so many seconds after the first event is one message.")
]
PerHour = Annotated[int, Meta(ge=1, le=1000, description="More messages are held back, and sent as one that says so.")]
Remind = Annotated[
    float | None,
    Meta(description="A reminder after each so many seconds of failing, from 300 to 2592000; null: none."),
]
Quiet = Annotated[Hours | None, Meta(description="Hours in which nothing is sent; at their end it is one message.")]

OwnWords = Annotated[
    Template | None,
    Meta(
        description="Your own subject and text for mails, chat services and Apprise, with "
        + ", ".join("`{{" + name + "}}`" for name in NAMES)
        + " filled in; null: Duetime's words. Webhooks are data, and have none."
    ),
]


class ScopeBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which jobs a rule is about. Without a field: all of yours. `cluster`, for admins: the cluster instead of jobs."""

    schedule_id: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    ordering_key: Key | None = None
    labels: Labels | None = None
    cluster: bool = False


EVERYTHING = ScopeBody()


class RuleBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule: about which jobs, which events, and where to."""

    name: Name
    events: Events
    channels: Channels
    scope: ScopeBody = EVERYTHING
    after: After = 1
    late_after: LateAfter = 60.0
    digest: Digest = 60.0
    max_per_hour: PerHour = 20
    remind_every: Remind = None
    quiet: Quiet = None
    template: OwnWords = None
    active: bool = True


class RulePatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to a rule. What it remembers of failures that go on is forgotten."""

    name: Name | UnsetType = UNSET
    events: Events | UnsetType = UNSET
    channels: Channels | UnsetType = UNSET
    scope: ScopeBody | UnsetType = UNSET
    after: After | UnsetType = UNSET
    late_after: LateAfter | UnsetType = UNSET
    digest: Digest | UnsetType = UNSET
    max_per_hour: PerHour | UnsetType = UNSET
    remind_every: Remind | UnsetType = UNSET
    quiet: Quiet | UnsetType = UNSET
    template: OwnWords | UnsetType = UNSET
    active: bool | UnsetType = UNSET


class RulesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which rules to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None


class NoticesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which messages to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None
