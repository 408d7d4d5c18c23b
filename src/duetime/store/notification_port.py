"""The contract of notifications: rules, what goes on for them, and the messages that gather. Obligations: `store.port`.

Any node may read what is new, decide, and record its decision. `record` compares a version, so of two nodes that
decide at the same time one records and the other has done nothing. The position in the outbox moves in the same
transaction: an end is judged exactly once, whatever crashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.events import JobEnded
from duetime.model.ids import UserId
from duetime.model.notification import Condition, Incident, Item, Notice, NoticeState, Rule, RuleContent
from duetime.store.outbox_port import OutboxPosition


class EndFacts(NamedTuple):
    """What an end does not say of its job. Empty for a job that is not found."""

    labels: dict[str, str] | None = None
    due_at: datetime | None = None
    launched_at: datetime | None = None
    schedule: str | None = None
    """The name of its schedule."""
    schedule_state: str | None = None


class NotifierView(NamedTuple):
    """What there is to decide now."""

    version: int
    ended: Sequence[JobEnded]
    """Ends of users who have rules, in the order of their transactions."""
    position: OutboxPosition | None
    """The position after them. None when there is nothing to read."""
    reminders: Sequence[Incident]
    notices: Sequence[Notice]
    """Those that gather and are due, and those that are being sent."""
    watching: frozenset[int] = frozenset()
    """Users whose rules ask for conditions."""
    conditions: Sequence[Condition] = ()
    """What holds now, and what happened to the cluster within a day; read only where a rule asks for conditions."""


class Gathered(NamedTuple):
    """Events for the gathering message of a rule; `due_at` counts if there is none yet."""

    rule_id: int
    user_id: int
    at: datetime
    due_at: datetime
    number: int
    items: tuple[Item, ...]


class NoticeChange(NamedTuple):
    """What becomes of a message: it waits longer, is closed to be sent, is sent, or is dropped."""

    notice_id: int
    state: NoticeState
    due_at: datetime
    held: str | None = None
    closed_at: datetime | None = None
    jobs: tuple[int, ...] = ()


class Decision(NamedTuple):
    """Everything that one look at the rules decided."""

    position: OutboxPosition | None = None
    incidents: Sequence[Incident] = ()
    """New ones, and those that changed."""
    resolved: Sequence[tuple[int, str]] = ()
    """Incidents that have ended, by rule and subject."""
    gathered: Sequence[Gathered] = ()
    notices: Sequence[NoticeChange] = ()


class NotificationStore(Protocol):
    """Keeps rules, and what was decided for them."""

    async def create_rule(self, user_id: int, content: RuleContent, now: datetime, actor: int) -> Rule:
        """Store a rule; ends of the user's jobs count from then on. `Conflict` beyond `MAX_RULES`."""
        ...

    async def rule(self, user_id: int, rule_id: int) -> Rule | None:
        """Returns a rule of a user."""
        ...

    async def rules(self, user_id: int, after_id: int, limit: int) -> list[Rule]:
        """Returns a user's rules in the order of ids."""
        ...

    async def rules_of(self, user_ids: Sequence[int], rule_ids: Sequence[int] = ()) -> list[Rule]:
        """Returns all rules of some users, and those with some ids, in the order of ids."""
        ...

    async def edit_rule(
        self, user_id: int, rule_id: int, content: RuleContent, now: datetime, actor: int
    ) -> Rule | None:
        """Replace a rule. What goes on for it is forgotten, so it starts as a new rule does."""
        ...

    async def delete_rule(self, user_id: int, rule_id: int, now: datetime, actor: int) -> bool:
        """Delete a rule, what goes on for it, and its gathering message. A repeat returns false."""
        ...

    async def look(self, now: datetime, limit: int) -> NotifierView | None:
        """Returns what there is to decide: ends of at most `limit` statements. None without any rule and message."""
        ...

    async def facts(self, ended: Sequence[JobEnded]) -> dict[int, EndFacts]:
        """Returns what is known of jobs that ended, by their ids."""
        ...

    async def incidents(self, keys: Sequence[tuple[int, str]]) -> list[Incident]:
        """Returns those of the incidents that exist."""
        ...

    async def open_conditions(self, rule_ids: Sequence[int]) -> list[Incident]:
        """Returns the incidents of conditions that rules have."""
        ...

    async def report_outage(self, since: datetime, until: datetime) -> None:
        """Store that the database was away, if a rule asks for it. Outages that overlap are one."""
        ...

    async def record(self, version: int, decision: Decision) -> bool:
        """Record a decision, all of it or nothing. False if another one was recorded since the look."""
        ...

    async def add_test(self, user_id: int, rule_id: int, now: datetime) -> Notice | None:
        """Store a test message of a rule, to be sent at once. None if the rule is not there."""
        ...

    async def notices(self, user_id: int, before_id: int | None, limit: int) -> list[Notice]:
        """Returns a user's messages, newest first."""
        ...

    async def closed_since(self, rule_ids: Sequence[int], since: datetime) -> dict[int, list[datetime]]:
        """Returns when messages of rules were closed to be sent, tests left out, oldest first."""
        ...

    async def sender(self, now: datetime) -> UserId:
        """Returns the user who sends messages, created with the first call. It has no password and no rules."""
        ...

    async def drop_notices(self, before: datetime) -> None:
        """Delete messages that were done before an instant, incidents of single jobs that began before it, and what
        happened to the cluster.
        """
        ...
