"""How a user's jobs are spread over shards: over all of them, or over some."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from duetime.model.errors import NotYetActive
from duetime.model.ids import SHARDS

Shard = Annotated[int, Meta(ge=0, lt=SHARDS)]


class Spread(Struct, frozen=True, tag="spread", tag_field="kind", forbid_unknown_fields=True):
    """Over all shards, in turn."""


class Pin(Struct, frozen=True, tag="pin", tag_field="kind", forbid_unknown_fields=True):
    """Over some shards only, in turn."""

    shards: Annotated[list[Shard], Meta(min_length=1, max_length=SHARDS)]


class ByLabels(Struct, frozen=True, tag="labels", tag_field="kind", forbid_unknown_fields=True):
    """Not yet active: to executors with given labels."""

    labels: dict[str, str] = msgspec.field(default_factory=dict[str, str])


def shards_of(distribution: Spread | Pin | ByLabels) -> tuple[int, ...] | None:
    """The shards that jobs go to; None for all."""
    match distribution:
        case Spread():
            return None
        case Pin(shards=shards):
            return tuple(sorted(set(shards)))
        case ByLabels():
            raise NotYetActive(
                "Executors do not have labels in this release: use 'spread', or 'pin' with shards.",
                field="distribution.kind",
            )
