"""What clients see of notification rules and messages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from duetime.engine.notifying.rules import Preview, SentNotice
from duetime.model.notification import Channel, Item, Notice, Rule, Scope, Template, redacted
from duetime.model.policy import Hours


class RuleView(Struct, frozen=True):
    """A notification rule. Secrets are hidden, and so are the parts of URLs of chat services that are secrets."""

    id: int
    name: str
    events: tuple[str, ...]
    channels: tuple[Channel, ...]
    scope: Scope
    after: int
    late_after: float
    digest: float
    max_per_hour: int
    remind_every: float | None
    quiet: Hours | None
    template: Template | None
    active: bool
    created_at: datetime
    updated_at: datetime


class DeliveryView(Struct, frozen=True):
    """How sending to one channel stands."""

    job_id: int
    state: str
    attempts: int
    reason: str | None


class NoticeView(Struct, frozen=True):
    """A message: `gathering` events, `sending`, `sent` to the jobs that deliver it, or `dropped`."""

    id: int
    rule_id: int
    state: str
    events: int
    items: tuple[Item, ...]
    opened_at: datetime
    due_at: datetime
    closed_at: datetime | None
    held: str | None
    deliveries: tuple[DeliveryView, ...]


class MessagePreviewView(Struct, frozen=True):
    """A message as it would be sent."""

    subject: str
    text: str
    html: str
    webhook: dict[str, Any]


def rule_view(rule: Rule) -> RuleView:
    """A rule as shown."""
    content = rule.content
    return RuleView(
        rule.id,
        content.name,
        content.events,
        tuple(redacted(one) for one in content.channels),
        content.scope,
        content.after,
        content.late_after,
        content.digest,
        content.max_per_hour,
        content.remind_every,
        content.quiet,
        content.template,
        content.active,
        rule.created_at,
        rule.updated_at,
    )


def notice_view(notice: Notice) -> NoticeView:
    """A message as shown, before its jobs are known."""
    return sent_view(SentNotice(notice, ()))


def sent_view(sent: SentNotice) -> NoticeView:
    """A message as shown."""
    notice = sent.notice
    return NoticeView(
        notice.id,
        notice.rule_id,
        notice.state,
        notice.number,
        notice.items,
        notice.opened_at,
        notice.due_at,
        notice.closed_at,
        notice.held,
        tuple(DeliveryView(job.id, job.state.value, job.attempts, job.reason) for job in sent.jobs),
    )


def preview_view(preview: Preview) -> MessagePreviewView:
    """A preview as shown."""
    message = preview.message
    return MessagePreviewView(message.subject, message.text, message.html, preview.webhook)
