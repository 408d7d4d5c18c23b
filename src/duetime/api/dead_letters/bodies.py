"""What clients send about dead letters."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from duetime.api.jobs.bodies import JobPatch, RulesPatch
from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.model.bounds import DEFINITION_ID, REDRIVE_RATE, REDRIVEN
from duetime.model.ids import MAX_ID

ErrorText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Only those whose reason contains this text (case is ignored), or whose last failure is of this "
        "class, such as `timeout` or `http_503`.",
        extra_json_schema=NO_NUL,
    ),
]
ErrorKind = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="Only those whose last failure is of exactly this class.",
        examples=["timeout", "http_503"],
        extra_json_schema=NO_NUL,
    ),
]
DefinitionNumber = Annotated[
    int,
    Meta(
        ge=DEFINITION_ID.least,
        le=DEFINITION_ID.most,
        description="Only those with this definition: the same target and policy.",
    ),
]
Since = Annotated[datetime, Meta(tz=True, description="Only those that ended at or after this instant.")]
Before = Annotated[datetime, Meta(tz=True, description="Only those that ended before this instant.")]
ExactKey = Annotated[
    str, Meta(max_length=255, description="Only those with this ordering key.", extra_json_schema=NO_NUL)
]
Ids = Annotated[
    list[Annotated[int, Meta(ge=1, le=MAX_ID)]],
    Meta(min_length=1, max_length=REDRIVEN, description="The ids of dead letters, instead of a filter."),
]
DryRun = Annotated[bool, Meta(description="Change nothing: only show which ones the call would change.")]


class DeadLettersFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """Selects dead letters; without any field, all of them."""

    error: ErrorText | None = None
    kind: ErrorKind | None = None
    definition_id: DefinitionNumber | None = None
    from_: Since | None = msgspec.field(name="from", default=None)
    to: Before | None = None
    ordering_key: ExactKey | None = None


class DeadLettersSearch(DeadLettersFilter, frozen=True, forbid_unknown_fields=True):
    """Which dead letters to count or group."""


class DeadLettersQuery(DeadLettersFilter, frozen=True, forbid_unknown_fields=True):
    """Which dead letters to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None


class RedriveBody(RulesPatch, frozen=True, forbid_unknown_fields=True):
    """Changes to a dead letter before it runs again; without any field, it runs again unchanged."""

    def patch(self) -> JobPatch | None:
        """The same changes as those of a job; None when there are none."""
        if self == RedriveBody():
            return None
        return JobPatch(**{name: getattr(self, name) for name in self.__struct_fields__})


class RedriveManyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters run again, by ids or by a filter, and how fast."""

    ids: Ids | None = None
    filter: DeadLettersFilter | None = None
    per_second: (
        Annotated[
            float,
            Meta(
                ge=REDRIVE_RATE.least,
                le=REDRIVE_RATE.most,
                description="How many start per second; default: all at once.",
            ),
        ]
        | None
    ) = None
    dry_run: DryRun = False


class DiscardBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters to discard, by ids or by a filter."""

    ids: Ids | None = None
    filter: DeadLettersFilter | None = None
    dry_run: DryRun = False
