"""A broken host: an HTTP host whose circuit breaker is open for one user."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class BrokenHost(Struct, frozen=True):
    """A host whose breaker a scheduler has opened: the flow's jobs wait until one attempt succeeds."""

    flow: int
    user_id: int
    host: str
    failures: int
    opened_at: datetime
