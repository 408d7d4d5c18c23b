"""A broken host: an HTTP host whose circuit breaker is open for one user."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class BrokenHost(Struct, frozen=True):
    """A host whose breaker at least one scheduler has opened: its jobs wait until one attempt succeeds."""

    user_id: int
    host: str
    failures: int
    opened_at: datetime
    next_probe_at: datetime | None
    """From when on the next job for the host is launched as a probe; None while one probes."""
