"""`NotificationStore` in memory: as sql/notifications.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil

import msgspec
from msgspec.structs import replace

from duetime.model.events import JobEnded
from duetime.model.ids import UserId
from duetime.model.notification import (
    MAX_ITEMS,
    MAX_RULES,
    Condition,
    Incident,
    Item,
    Notice,
    Rule,
    RuleContent,
    conditions_needed,
    states_needed,
    too_many_rules,
)
from duetime.model.states import JobState
from duetime.store.notification_port import Decision, EndFacts, NotifierView
from simulation.memory.accounts import MemoryAccounts
from simulation.memory.gates import broken_hosts
from simulation.memory.link import Link
from simulation.memory.outbox import acknowledge, read, unsubscribe
from simulation.memory.tables import Subscriber, Tables

READER = "notifications"
SENDER = "(duetime)"


@dataclass(slots=True)
class Watchers(Subscriber):
    """The rows of `notified_users`: the ends that each user's rules need."""

    watched: dict[int, tuple[JobState, ...]] = field(default_factory=dict)

    def wants(self, ended: JobEnded) -> bool:
        """Whether a rule needs this end."""
        return ended.state in self.watched.get(ended.user_id, ())


class MemoryNotifications:
    """Rules, incidents and messages."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link
        self._version = 0
        self._rules: dict[int, Rule] = {}
        self._incidents: dict[tuple[int, str], Incident] = {}
        self._notices: dict[int, Notice] = {}
        self._tests: set[int] = set()
        self._outages: list[tuple[datetime, datetime]] = []

    async def create_rule(self, user_id: int, content: RuleContent, now: datetime, actor: int) -> Rule:
        """Store a rule."""

        def work() -> Rule:
            if sum(one.user_id == user_id for one in self._rules.values()) >= MAX_RULES:
                raise too_many_rules()
            number = self._tables.number("rule")
            rule = self._rules[number] = Rule(number, user_id, content, now, now)
            self._changed(number, "created", actor, now, user_id)
            return rule

        return await self._link.call("create_rule", work)

    async def rule(self, user_id: int, rule_id: int) -> Rule | None:
        """A rule of a user."""
        found = self._rules.get(rule_id)
        return found if found is not None and found.user_id == user_id else None

    async def rules(self, user_id: int, after_id: int, limit: int) -> list[Rule]:
        """A user's rules."""
        return [one for one in self._rules.values() if one.user_id == user_id and one.id > after_id][:limit]

    async def rules_of(self, user_ids: Sequence[int], rule_ids: Sequence[int] = ()) -> list[Rule]:
        """All rules of some users, and those with some ids."""
        return [one for one in self._rules.values() if one.user_id in user_ids or one.id in rule_ids]

    async def edit_rule(
        self, user_id: int, rule_id: int, content: RuleContent, now: datetime, actor: int
    ) -> Rule | None:
        """Replace a rule."""

        def work() -> Rule | None:
            found = self._rules.get(rule_id)
            if found is None or found.user_id != user_id:
                return None
            rule = self._rules[rule_id] = replace(found, content=content, updated_at=now)
            self._forget(rule_id)
            self._changed(rule_id, "edited", actor, now, user_id)
            return rule

        return await self._link.call("edit_rule", work)

    async def delete_rule(self, user_id: int, rule_id: int, now: datetime, actor: int) -> bool:
        """Delete a rule."""

        def work() -> bool:
            found = self._rules.get(rule_id)
            if found is None or found.user_id != user_id:
                return False
            del self._rules[rule_id]
            self._forget(rule_id)
            gathering = [
                one.id for one in self._notices.values() if one.rule_id == rule_id and one.state == "gathering"
            ]
            for one in gathering:
                del self._notices[one]
            self._changed(rule_id, "deleted", actor, now, user_id)
            return True

        return await self._link.call("delete_rule", work)

    async def look(self, now: datetime, limit: int) -> NotifierView | None:
        """What there is to decide."""

        def work() -> NotifierView | None:
            rules = [one for one in self._rules.values() if one.content.active]
            watched = {one.user_id for one in rules if states_needed([one.content])}
            watching = frozenset(one.user_id for one in rules if conditions_needed([one.content]))
            notices = [
                one for one in self._notices.values() if one.state in ("gathering", "sending") and one.due_at <= now
            ]
            if not watched and not notices and not watching:
                return None
            page = read(self._tables, READER, limit)
            reminders = [one for one in self._incidents.values() if one.remind_at is not None and one.remind_at <= now]
            found = [one for one in page.ended if one.user_id in watched]
            conditions = self._conditions(now) if watching else []
            return NotifierView(self._version, found, page.position, reminders, notices, watching, conditions)

        return await self._link.call("look", work)

    async def facts(self, ended: Sequence[JobEnded]) -> dict[int, EndFacts]:
        """What is known of jobs that ended."""
        return {one.job_id: self._facts(one) for one in ended}

    async def incidents(self, keys: Sequence[tuple[int, str]]) -> list[Incident]:
        """Those of the incidents that exist."""
        return [self._incidents[key] for key in keys if key in self._incidents]

    async def open_conditions(self, rule_ids: Sequence[int]) -> list[Incident]:
        """The incidents of conditions that rules have."""
        return [
            one
            for (rule, subject), one in self._incidents.items()
            if rule in rule_ids and subject.startswith("condition/")
        ]

    async def report_outage(self, since: datetime, until: datetime) -> None:
        """Store that the database was away."""

        def work() -> None:
            contents = [one.content for one in self._rules.values()]
            known = any(one[0] <= until and one[1] >= since for one in self._outages)
            if "database_away" in conditions_needed(contents) and not known:
                self._outages.append((since, until))

        await self._link.call("report_outage", work)

    def _conditions(self, now: datetime) -> list[Condition]:
        hosts = broken_hosts(self._tables, None)
        found = [
            Condition("breaker_open", one.user_id, one.host, one.opened_at, f"{one.failures} failures in a row")
            for one in hosts
        ]
        for since, until in self._outages:
            if since >= now - timedelta(days=1):
                reason = f"for {ceil((until - since).total_seconds())} s"
                found.append(Condition("database_away", 0, "The database", since, reason))
        return found

    async def record(self, version: int, decision: Decision) -> bool:
        """Record a decision."""

        def work() -> bool:
            if version != self._version:
                return False
            self._version += 1
            if decision.position is not None:
                acknowledge(self._tables, READER, decision.position)
            for key in decision.resolved:
                self._incidents.pop(key, None)
            self._incidents |= {one.key: one for one in decision.incidents}
            for one in decision.gathered:
                open_ = [n for n in self._notices.values() if n.rule_id == one.rule_id and n.state == "gathering"]
                number = open_[0].id if open_ else self._tables.number("notice")
                before = open_[0] if open_ else None
                self._notices[number] = Notice(
                    number,
                    one.rule_id,
                    one.user_id,
                    "gathering",
                    one.at if before is None else before.opened_at,
                    one.due_at if before is None else before.due_at,
                    one.number + (0 if before is None else before.number),
                    (*(() if before is None else before.items), *one.items)[:MAX_ITEMS],
                    None if before is None else before.held,
                )
            for change in decision.notices:
                known = self._notices.get(change.notice_id)
                if known is not None:
                    self._notices[known.id] = replace(
                        known,
                        state=change.state,
                        due_at=change.due_at,
                        held=change.held or known.held,
                        closed_at=change.closed_at or known.closed_at,
                        jobs=change.jobs or known.jobs,
                    )
            return True

        return await self._link.call("record", work)

    async def add_test(self, user_id: int, rule_id: int, now: datetime) -> Notice | None:
        """Store a test message."""

        def work() -> Notice | None:
            rule = self._rules.get(rule_id)
            if rule is None or rule.user_id != user_id:
                return None
            number = self._tables.number("notice")
            self._tests.add(number)
            items = (Item("test", now),)
            made = self._notices[number] = Notice(
                number, rule_id, user_id, "sending", now, now, 1, items, closed_at=now
            )
            return made

        return await self._link.call("add_test", work)

    async def notices(self, user_id: int, before_id: int | None, limit: int) -> list[Notice]:
        """A user's messages."""
        found = [one for one in self._notices.values() if one.user_id == user_id and one.id < (before_id or 2**53)]
        return sorted(found, key=lambda one: -one.id)[:limit]

    async def closed_since(self, rule_ids: Sequence[int], since: datetime) -> dict[int, list[datetime]]:
        """When messages of rules were closed to be sent."""
        found: dict[int, list[datetime]] = {}
        for one in self._notices.values():
            closed_at = None if one.id in self._tests else one.closed_at
            if one.rule_id in rule_ids and closed_at is not None and closed_at > since:
                found.setdefault(one.rule_id, []).append(closed_at)
        return {rule: sorted(instants) for rule, instants in found.items()}

    async def sender(self, now: datetime) -> UserId:
        """The user who sends messages."""
        accounts = MemoryAccounts(self._tables, self._link)
        known = await accounts.credentials(SENDER)
        if known is not None:
            return known.user.id
        made = await accounts.create_user(SENDER, "!", 1.0, "user", now, None)
        self._tables.audit.pop()
        return made.id

    async def drop_notices(self, before: datetime) -> None:
        """Delete what is old."""

        def work() -> None:
            old = [
                one.id
                for one in self._notices.values()
                if one.state in ("sent", "dropped") and one.closed_at is not None and one.closed_at < before
            ]
            for number in old:
                del self._notices[number]
            self._incidents = {
                key: one for key, one in self._incidents.items() if one.since >= before or "job:" not in one.subject
            }
            self._outages = [one for one in self._outages if one[1] >= before]

        await self._link.call("drop_notices", work)

    def _changed(self, rule_id: int, what: str, actor: int, now: datetime, owner: int) -> None:
        self._version += 1
        self._tables.record(now, actor, f"notification_rule.{what}", f"notification_rule:{rule_id}", owner)
        contents: dict[int, list[RuleContent]] = {}
        for one in self._rules.values():
            contents.setdefault(one.user_id, []).append(one.content)
        watched = {user: states for user, some in contents.items() if (states := states_needed(some))}
        if watched:
            known = self._tables.subscribers.get(READER)
            read_until = self._tables.number("outbox") if known is None else known.read_until
            self._tables.subscribers[READER] = Watchers((), None, read_until, watched)
        else:
            unsubscribe(self._tables, READER)

    def _forget(self, rule_id: int) -> None:
        self._incidents = {key: one for key, one in self._incidents.items() if key[0] != rule_id}

    def _facts(self, one: JobEnded) -> EndFacts:
        ended = next((row for row in self._tables.history if row.job.id == one.job_id), None)
        job = self._tables.jobs.get(one.job_id)
        schedule = None if one.schedule_id is None else self._tables.schedules.get(one.schedule_id)
        text = ended.job.labels if ended is not None else None if job is None else job.labels
        return EndFacts(
            None if text is None else msgspec.json.decode(text, type=dict[str, str]),
            ended.job.due_at if ended is not None else None if job is None else job.due_at,
            None if ended is None else ended.launched_at,
            None if schedule is None else schedule.row.name,
            None if schedule is None else schedule.row.state,
        )
