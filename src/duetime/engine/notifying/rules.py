"""What people ask of notifications: rules, a test, a preview, and what became of messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.notifying.message import Message, message_of, webhook_body
from duetime.model.errors import Forbidden, Invalid, NotFound
from duetime.model.ids import UserId
from duetime.model.job import Job, JobFilter
from duetime.model.notification import (
    CONDITIONS,
    AppriseChannel,
    EventKind,
    Item,
    MailChannel,
    Notice,
    Rule,
    RuleContent,
)
from duetime.model.targets.apprise import service_of
from duetime.model.targets.url import check_url
from duetime.store.notification_port import NotificationStore
from duetime.timing.windows import Window

JOBS_AT_ONCE = 1000


class NotificationSettings(Struct, frozen=True):
    """What the operator decides about notifications."""

    page: str | None = None
    """The address of the page, for links."""
    mail: bool = False
    """Whether a mail server is configured."""
    recipients: tuple[str, ...] = ("*",)
    """Which addresses rules may name, with `*` for any characters."""
    apprise: tuple[str, ...] = ()
    """Which services of Apprise rules of admins may name, by the scheme of their URLs."""


class SentNotice(NamedTuple):
    """A message, and the jobs that send it as far as they are known."""

    notice: Notice
    jobs: tuple[Job, ...]


class Preview(NamedTuple):
    """A message as it would be sent."""

    message: Message
    webhook: dict[str, object]


class Notifications:
    """Carries out what people request for rules."""

    def __init__(
        self,
        store: NotificationStore,
        clock: Clock,
        settings: NotificationSettings,
        jobs: Callable[[int, JobFilter], Awaitable[Sequence[Job]]],
        has_schedule: Callable[[int, int], Awaitable[object]],
    ) -> None:
        """`jobs` finds jobs of a user. `has_schedule` raises `NotFound` for a schedule that the user does not have."""
        self._store, self._clock, self._settings = store, clock, settings
        self._jobs, self._has_schedule = jobs, has_schedule

    async def create(self, user_id: int, content: RuleContent, actor: int, *, admin: bool = False) -> Rule:
        """Create a rule. `admin`: the user is one, and may have rules about the cluster and channels of Apprise."""
        await self._check(user_id, content, admin)
        return await self._store.create_rule(user_id, content, self._clock.now(), actor)

    async def show(self, user_id: int, rule_id: int) -> Rule:
        """Returns one rule."""
        found = await self._store.rule(user_id, rule_id)
        if found is None:
            raise _no_rule(rule_id)
        return found

    async def list(self, user_id: int, after_id: int, limit: int) -> list[Rule]:
        """Returns rules in the order of ids."""
        return await self._store.rules(user_id, after_id, limit)

    async def edit(self, user_id: int, rule_id: int, content: RuleContent, actor: int, *, admin: bool = False) -> Rule:
        """Replace a rule."""
        await self._check(user_id, content, admin)
        edited = await self._store.edit_rule(user_id, rule_id, content, self._clock.now(), actor)
        if edited is None:
            raise _no_rule(rule_id)
        return edited

    async def delete(self, user_id: int, rule_id: int, actor: int) -> Rule:
        """Delete a rule. Returns it as it was."""
        found = await self.show(user_id, rule_id)
        if not await self._store.delete_rule(user_id, rule_id, self._clock.now(), actor):
            raise _no_rule(rule_id)
        return found

    async def test(self, user_id: int, rule_id: int) -> Notice:
        """Send a test message to every channel of a rule, whatever its quiet hours and its cap."""
        notice = await self._store.add_test(user_id, rule_id, self._clock.now())
        if notice is None:
            raise _no_rule(rule_id)
        return notice

    async def preview(self, user_id: int, rule_id: int) -> Preview:
        """Returns what a rule would send for one event of each kind that it asks for."""
        rule, now = await self.show(user_id, rule_id), self._clock.now()
        items = tuple(_example(event, rule, now) for event in rule.content.events)
        notice = Notice(0, rule.id, user_id, "sending", now, now, len(items), items)
        page = self._settings.page
        return Preview(message_of(rule, notice, page), webhook_body(rule, notice, page))

    async def notices(self, user_id: int, before_id: int | None, limit: int) -> list[SentNotice]:
        """Returns messages, newest first, with the jobs that send them."""
        notices = await self._store.notices(user_id, before_id, limit)
        ids = [job for one in notices for job in one.jobs]
        found: dict[int, Job] = {job.id: job for job in await self._sent_by(ids)} if ids else {}
        return [SentNotice(one, tuple(found[job] for job in one.jobs if job in found)) for one in notices]

    async def _sent_by(self, ids: Sequence[int]) -> list[Job]:
        sender: UserId = await self._store.sender(self._clock.now())
        found: list[Job] = []
        for first in range(0, len(ids), JOBS_AT_ONCE):
            part = tuple(ids[first : first + JOBS_AT_ONCE])
            found += await self._jobs(sender, JobFilter(ids=part, limit=JOBS_AT_ONCE))
        return found

    async def _check(self, user_id: int, content: RuleContent, admin: bool) -> None:
        """Raise `Invalid`, with the field, if a rule cannot be carried out. `Forbidden` for what is for admins."""
        if content.scope.cluster and not admin:
            raise Forbidden("Rules about the cluster are for admins.")
        for channel in content.channels:
            if isinstance(channel, MailChannel):
                self._check_mail(channel)
            elif isinstance(channel, AppriseChannel):
                self._check_apprise(channel, admin)
            else:
                _check_url(channel.url)
        if content.quiet is not None:
            window = Window.parse(content.quiet.window, zone=content.quiet.zone)
            if window.next_closing(self._clock.now()) is None:
                raise Invalid("Quiet hours that never end would hold back every message.", field="quiet.window")
        if content.scope.schedule_id is not None:
            try:
                await self._has_schedule(user_id, content.scope.schedule_id)
            except NotFound:
                raise Invalid(f"You have no schedule {content.scope.schedule_id}.", field="scope.schedule_id") from None

    def _check_apprise(self, channel: AppriseChannel, admin: bool) -> None:
        if not admin:
            raise Forbidden("Channels of Apprise are for admins: use another kind of channel.")
        service = service_of(channel.url)
        if service not in self._settings.apprise:
            allowed = ", ".join(self._settings.apprise) or "none"
            raise Invalid(
                f"The operator allows no service '{service}' of Apprise. Services in notifications.apprise: {allowed}.",
                field="channels.url",
            )

    def _check_mail(self, channel: MailChannel) -> None:
        if not self._settings.mail:
            raise Invalid(
                "No mail is sent here: the operator has not set smtp.host. Use another kind of channel.",
                field="channels.kind",
            )
        for address in channel.to:
            if not any(fnmatchcase(address.lower(), one.lower()) for one in self._settings.recipients):
                allowed = ", ".join(self._settings.recipients) or "none"
                raise Invalid(
                    f"The operator allows no mail to '{address}'. Addresses that are allowed: {allowed}.",
                    field="channels.to",
                )


def _example(event: EventKind, rule: Rule, now: datetime) -> Item:
    """Returns an event as a preview lists it."""
    if event in CONDITIONS:
        return Item(event, now, reason="an example", since=now, condition=event, name="example")
    scope = rule.content.scope
    if scope.cluster:
        return Item(event, now, since=now, condition="breaker_open", name="example")
    return Item(event, now, 1025, scope.schedule_id, None, scope.ordering_key, "an example")


def _check_url(url: str) -> None:
    try:
        check_url(url)
    except Invalid as error:
        raise Invalid(error.message, field="channels.url") from None


def _no_rule(rule_id: int) -> NotFound:
    return NotFound(f"There is no notification rule {rule_id}.")
