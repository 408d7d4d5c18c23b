"""Closed gates, as a scheduler makes them visible: what holds due jobs back, since when and until when."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

GateKind = Literal["breaker", "definition_limit", "user_limit", "slots"]


class ClosedGate(Struct, frozen=True):
    """A gate that one scheduler keeps closed.

    A user's limit has no flow. Slots have no flow, and no user if all are in use; a user holds its part of them.
    """

    kind: GateKind
    user_id: int
    flow: int
    name: str
    """Of a breaker the host, of a limit what it bounds (`runs` or `rate`), of slots the pool."""
    since: datetime
    until: datetime | None = None
    """When it opens by itself; of a breaker, when the next run probes the host. None: when a run ends."""
    failures: int = 0


class NodeGate(Struct, frozen=True):
    """A closed gate, and the scheduler whose it is."""

    node: int
    gate: ClosedGate
