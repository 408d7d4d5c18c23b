"""What clients send about dead letters and lanes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from duetime.api.jobs.bodies import Cursor, JobPatch, Limit, RulesPatch
from duetime.api.jobs.parse import in_utc
from duetime.model.errors import Invalid
from duetime.model.ids import MAX_ID
from duetime.model.job import DeadFilter

AT_ONCE = 1000
"""How many dead letters one call can redrive or discard."""

_NO_NUL = {"pattern": r"^[^\x00]*$"}

ErrorText = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Only those whose reason contains this (capitals make no difference), or whose last failure is of "
        "this class, such as `timeout` or `http_503`.",
        extra_json_schema=_NO_NUL,
    ),
]
DefinitionNumber = Annotated[
    int, Meta(ge=1, le=2**31 - 1, description="Only those of this definition: the same target, the same policy.")
]
Since = Annotated[datetime, Meta(tz=True, description="Only those that ended at or after this.")]
Before = Annotated[datetime, Meta(tz=True, description="Only those that ended before this.")]
ExactKey = Annotated[
    str, Meta(max_length=255, description="Only those with this ordering key.", extra_json_schema=_NO_NUL)
]
Ids = Annotated[
    list[Annotated[int, Meta(ge=1, le=MAX_ID)]],
    Meta(min_length=1, max_length=AT_ONCE, description="Which ones; or give a filter."),
]
DryRun = Annotated[bool, Meta(description="Only say which ones it would be.")]


class DeadLettersFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters are meant; without anything, all of them."""

    error: ErrorText | None = None
    definition_id: DefinitionNumber | None = None
    from_: Since | None = msgspec.field(name="from", default=None)
    to: Before | None = None
    ordering_key: ExactKey | None = None


class DeadLettersQuery(DeadLettersFilter, frozen=True, forbid_unknown_fields=True):
    """Which dead letters to list."""

    limit: Limit = 100
    cursor: Cursor | None = None


class RedriveBody(RulesPatch, frozen=True, forbid_unknown_fields=True):
    """What to change about a dead letter before it goes again; nothing leaves it as it was."""

    def patch(self) -> JobPatch | None:
        """The same as a change of a job; None when there is nothing to change."""
        if self == RedriveBody():
            return None
        return JobPatch(**{name: getattr(self, name) for name in self.__struct_fields__})


class RedriveManyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters go again: by their ids or by a filter; and how fast."""

    ids: Ids | None = None
    filter: DeadLettersFilter | None = None
    per_second: (
        Annotated[float, Meta(ge=0.001, le=1e6, description="How many a second; at once if not given.")] | None
    ) = None
    dry_run: DryRun = False


class DiscardBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dead letters are given up: by their ids or by a filter."""

    ids: Ids | None = None
    filter: DeadLettersFilter | None = None
    dry_run: DryRun = False


class LanesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which lanes to list."""

    blocked: Annotated[bool, Meta(description="Only those that wait for a person.")] = False
    limit: Limit = 100


def dead_filter(given: DeadLettersFilter, *, limit: int, before_id: int | None = None) -> DeadFilter:
    """Which dead letters the engine is to look for."""
    for field in ("error", "ordering_key"):
        if "\0" in (getattr(given, field) or ""):
            raise Invalid(f"'{field}' must not contain a NUL character.", field=field)
    return DeadFilter(
        error=given.error,
        definition_id=given.definition_id,
        from_=None if given.from_ is None else in_utc("from", given.from_),
        to=None if given.to is None else in_utc("to", given.to),
        ordering_key=given.ordering_key,
        before_id=before_id,
        limit=limit,
    )


def chosen(body: RedriveManyBody | DiscardBody) -> DeadFilter:
    """Which dead letters a call is about, and one more than it can do, so that it is known when more remain."""
    if (body.ids is None) == (body.filter is None):
        raise Invalid("Give either 'ids' or 'filter' (an empty one stands for all dead letters).", field="ids")
    if body.ids is not None:
        return DeadFilter(ids=tuple(body.ids), limit=AT_ONCE)
    return dead_filter(body.filter or DeadLettersFilter(), limit=AT_ONCE + 1)
