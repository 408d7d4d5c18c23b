"""A cluster and its living nodes, as people see them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from msgspec import Struct


class ClusterIdentity(Struct, frozen=True):
    """Which cluster a database belongs to, and which coordinator judges its leases."""

    id: UUID
    name: str | None
    coordinator: str


class NodeState(Struct, frozen=True):
    """A living node, as the store has it."""

    id: int
    name: str
    roles: list[str]
    version: str
    joined_at: datetime
    lease_left: float | None
    """Seconds; None where the store is not the judge. Negative: it has expired, and no node has fenced it yet."""
    standby: int
    draining: bool
    shards: int
    lowest_term: int | None
    highest_term: int | None
    running: int
    """Runs that the node executes."""
    oldest_due: datetime | None
    """The due instant of its oldest job that was due and not launched, in the node's last report."""
    clock_skew: float | None
    """Seconds by which its wall clock was ahead of the database's, in the node's last report."""
