"""When a gathered message is sent: not in quiet hours, and not more often than its rule allows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from duetime.model.notification import Notice, RuleContent
from duetime.model.policy import Hours
from duetime.store.notification_port import NoticeChange
from duetime.timing.windows import Window

HOUR = timedelta(hours=1)


def next_step(notice: Notice, content: RuleContent, closed: Sequence[datetime], now: datetime) -> NoticeChange:
    """Returns what becomes of a message that is due: it is closed to be sent, or waits longer and says why.

    `closed` says when earlier messages of the rule were sent, oldest first.
    """
    quiet_until = None if content.quiet is None else end_of_quiet(content.quiet, now)
    if quiet_until is not None:
        return NoticeChange(notice.id, "gathering", quiet_until, held="it came in quiet hours")
    recent = [at for at in closed if at > now - HOUR]
    if len(recent) >= content.max_per_hour:
        room_at = recent[-content.max_per_hour] + HOUR
        why = f"the rule allows {content.max_per_hour} messages an hour"
        return NoticeChange(notice.id, "gathering", room_at, held=why)
    return NoticeChange(notice.id, "sending", notice.due_at, closed_at=now)


def end_of_quiet(quiet: Hours, now: datetime) -> datetime | None:
    """Returns when the quiet hours that it is now end; None outside of them."""
    window = Window.parse(quiet.window, zone=quiet.zone)
    return window.next_closing(now) if window.contains(now) else None
