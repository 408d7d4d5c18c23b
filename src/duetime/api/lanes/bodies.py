"""What clients send about lanes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.server.cursors import PageSize


class LanesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which lanes to list."""

    blocked: Annotated[bool, Meta(description="Only lanes that wait for a person.")] = False
    limit: PageSize = 100
