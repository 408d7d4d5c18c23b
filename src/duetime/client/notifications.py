"""Calls about notification rules and the messages they sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import msgspec

from .calls import Calls
from .notification_answers import NotificationPreview, NotificationRule, NotificationSent

RULES = "/api/v1/me/notification-rules"
MESSAGES = "/api/v1/me/notifications"


class NotificationCalls(Calls):
    """Creates, changes, tries and deletes notification rules, and lists what they sent."""

    async def create_notification_rule(
        self, name: str, events: Sequence[str], channels: Sequence[Mapping[str, Any]], **options: Any
    ) -> NotificationRule:
        """Creates a rule. `options` are the other fields of the call, such as `after` or `scope`."""
        body = {"name": name, "events": list(events), "channels": list(channels), **options}
        return self._read(await self._session.call("POST", RULES, body=msgspec.json.encode(body)), NotificationRule)

    async def notification_rules(self, *, limit: int | None = None) -> AsyncIterator[NotificationRule]:
        """Yields the user's rules."""
        async for rule in self._pages(RULES, {}, NotificationRule, limit):
            yield rule

    async def notification_rule(self, rule_id: int) -> NotificationRule:
        """Returns a rule."""
        return self._read(await self._session.call("GET", f"{RULES}/{rule_id}", safe=True), NotificationRule)

    async def edit_notification_rule(self, rule_id: int, **changes: Any) -> NotificationRule:
        """Changes fields of a rule."""
        answer = await self._session.call("PATCH", f"{RULES}/{rule_id}", body=msgspec.json.encode(changes))
        return self._read(answer, NotificationRule)

    async def delete_notification_rule(self, rule_id: int) -> NotificationRule:
        """Deletes a rule. Returns it as it was."""
        return self._read(await self._session.call("DELETE", f"{RULES}/{rule_id}"), NotificationRule)

    async def test_notification_rule(self, rule_id: int) -> NotificationSent:
        """Sends a test message to every channel of a rule."""
        return self._read(await self._session.call("POST", f"{RULES}/{rule_id}/test"), NotificationSent)

    async def preview_notification_rule(self, rule_id: int) -> NotificationPreview:
        """Returns what a rule would send."""
        answer = await self._session.call("GET", f"{RULES}/{rule_id}/preview", safe=True)
        return self._read(answer, NotificationPreview)

    async def notifications(self, *, limit: int | None = None) -> AsyncIterator[NotificationSent]:
        """Yields messages, newest first, with the state of each delivery."""
        async for sent in self._pages(MESSAGES, {}, NotificationSent, limit):
            yield sent
