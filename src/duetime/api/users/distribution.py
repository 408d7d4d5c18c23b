"""Where a user's jobs run: on all shards, on some, or on executors with given labels."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.ids import SHARDS
from duetime.model.labels import MAX_LABELS, MAX_NAME, MAX_VALUE

LabelName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
LabelText = Annotated[str, Meta(max_length=MAX_VALUE)]
Shard = Annotated[int, Meta(ge=0, lt=SHARDS)]


class Spread(Struct, frozen=True, tag="spread", tag_field="kind", forbid_unknown_fields=True):
    """On all shards, round robin."""


class Pin(Struct, frozen=True, tag="pin", tag_field="kind", forbid_unknown_fields=True):
    """On some shards only, round robin."""

    shards: Annotated[list[Shard], Meta(min_length=1, max_length=SHARDS)]


class ByLabels(Struct, frozen=True, tag="labels", tag_field="kind", forbid_unknown_fields=True):
    """On all shards, and only on executors that have these labels."""

    labels: Annotated[dict[LabelName, LabelText], Meta(min_length=1, max_length=MAX_LABELS)]


Distribution = Annotated[
    Spread | Pin | ByLabels,
    Meta(description="Which shards get jobs without an ordering key, or which labels executors must have."),
]


def pinned_shards(distribution: Spread | Pin | ByLabels) -> tuple[int, ...] | None:
    """The shards that get the jobs; None for all."""
    return tuple(sorted(set(distribution.shards))) if isinstance(distribution, Pin) else None


def required_labels(distribution: Spread | Pin | ByLabels) -> dict[str, str] | None:
    """The labels that executors must have; None for any."""
    return distribution.labels if isinstance(distribution, ByLabels) else None
