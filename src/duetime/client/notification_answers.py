"""The server's answers about notifications. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct


class NotificationRule(Struct, frozen=True):
    """A notification rule."""

    id: int
    name: str
    events: list[str]
    channels: list[dict[str, Any]]
    scope: dict[str, Any]
    after: int
    late_after: float
    digest: float
    max_per_hour: int
    remind_every: float | None
    quiet: dict[str, Any] | None
    active: bool
    created_at: datetime
    updated_at: datetime
    template: dict[str, Any] | None = None


class Delivery(Struct, frozen=True):
    """How sending to one channel stands."""

    job_id: int
    state: str
    attempts: int
    reason: str | None = None


class NotificationSent(Struct, frozen=True):
    """A message of a rule."""

    id: int
    rule_id: int
    state: str
    events: int
    items: list[dict[str, Any]]
    opened_at: datetime
    due_at: datetime
    closed_at: datetime | None
    held: str | None
    deliveries: list[Delivery]


class NotificationPreview(Struct, frozen=True):
    """A message as it would be sent."""

    subject: str
    text: str
    html: str
    webhook: dict[str, Any]
