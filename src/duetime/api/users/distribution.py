"""Where a user's jobs go: over all shards or some, or to executors with given labels."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.ids import SHARDS
from duetime.model.labels import MAX_LABELS, MAX_NAME, MAX_VALUE

LabelName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
LabelText = Annotated[str, Meta(max_length=MAX_VALUE)]
Shard = Annotated[int, Meta(ge=0, lt=SHARDS)]


class Spread(Struct, frozen=True, tag="spread", tag_field="kind", forbid_unknown_fields=True):
    """Over all shards, in turn."""


class Pin(Struct, frozen=True, tag="pin", tag_field="kind", forbid_unknown_fields=True):
    """Over some shards only, in turn."""

    shards: Annotated[list[Shard], Meta(min_length=1, max_length=SHARDS)]


class ByLabels(Struct, frozen=True, tag="labels", tag_field="kind", forbid_unknown_fields=True):
    """Over all shards, and only to executors that have these labels."""

    labels: Annotated[dict[LabelName, LabelText], Meta(min_length=1, max_length=MAX_LABELS)]


def shards_of(distribution: Spread | Pin | ByLabels) -> tuple[int, ...] | None:
    """The shards that jobs go to; None for all."""
    return tuple(sorted(set(distribution.shards))) if isinstance(distribution, Pin) else None


def labels_of(distribution: Spread | Pin | ByLabels) -> dict[str, str] | None:
    """The labels that executors must have; None for any."""
    return distribution.labels if isinstance(distribution, ByLabels) else None
