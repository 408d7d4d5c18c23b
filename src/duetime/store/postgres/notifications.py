"""`NotificationStore` on PostgreSQL: decisions are recorded under one version, with the position in the outbox."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import structs

from duetime.model.audit import difference
from duetime.model.events import JobEnded
from duetime.model.ids import MAX_ID, UserId
from duetime.model.notification import (
    MAX_RULES,
    Condition,
    Incident,
    Item,
    Notice,
    Rule,
    RuleContent,
    conditions_needed,
    decode_content,
    decode_items,
    encode_content,
    encode_items,
    redacted,
    states_needed,
    too_many_rules,
)
from duetime.postgres.pool import Connection, Pool
from duetime.store.notification_port import Decision, EndFacts, Gathered, NoticeChange, NotifierView
from duetime.store.outbox_port import OutboxPosition
from duetime.store.postgres.audit import record
from duetime.store.postgres.ended import ended
from duetime.store.postgres.queries import sql

READER = "notifications"
NO_USER = 0
"""The reader's subscription asks for no user's ends: `notified_users` says whose ends it reads."""
KEPT_EVENTS = timedelta(days=1)
"""How long it is known what happened to the cluster."""
AT_ONCE = 200
"""How many reminders and messages one look returns."""


class PostgresNotifications:
    """Keeps rules, incidents and messages."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def create_rule(self, user_id: int, content: RuleContent, now: datetime, actor: int) -> Rule:
        """Store a rule."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("notifications.lock"))
            if len(await connection.fetch(sql("notifications.rules"), user_id, 0, MAX_RULES)) >= MAX_RULES:
                raise too_many_rules()
            row = await connection.fetchrow(
                sql("notifications.create_rule"), user_id, encode_content(content).decode(), now
            )
            await _watch(connection, user_id)
            subject, details = f"notification_rule:{row['id']}", difference({}, _shown(content))
            await record(connection, now, actor, "notification_rule.created", subject, details, owner=user_id)
            return _rule(row)

    async def rule(self, user_id: int, rule_id: int) -> Rule | None:
        """Returns a rule of a user."""
        row = await self._pool.row(sql("notifications.rule"), user_id, rule_id)
        return None if row is None else _rule(row)

    async def rules(self, user_id: int, after_id: int, limit: int) -> list[Rule]:
        """Returns a user's rules."""
        return [_rule(row) for row in await self._pool.rows(sql("notifications.rules"), user_id, after_id, limit)]

    async def rules_of(self, user_ids: Sequence[int], rule_ids: Sequence[int] = ()) -> list[Rule]:
        """Returns all rules of some users, and those with some ids."""
        rows = await self._pool.rows(sql("notifications.rules_of"), list(user_ids), list(rule_ids))
        return [_rule(row) for row in rows]

    async def edit_rule(
        self, user_id: int, rule_id: int, content: RuleContent, now: datetime, actor: int
    ) -> Rule | None:
        """Replace a rule."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("notifications.lock"))
            before = await connection.fetchrow(sql("notifications.rule"), user_id, rule_id)
            row = await connection.fetchrow(
                sql("notifications.edit_rule"), user_id, rule_id, encode_content(content).decode(), now
            )
            if row is None:
                return None
            await connection.execute(sql("notifications.forget_incidents"), rule_id)
            await _watch(connection, user_id)
            subject = f"notification_rule:{rule_id}"
            details = difference(_shown(decode_content(before["content"])), _shown(content))
            await record(connection, now, actor, "notification_rule.edited", subject, details, owner=user_id)
            return _rule(row)

    async def delete_rule(self, user_id: int, rule_id: int, now: datetime, actor: int) -> bool:
        """Delete a rule."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("notifications.lock"))
            if await connection.fetchval(sql("notifications.delete_rule"), user_id, rule_id) is None:
                return False
            await connection.execute(sql("notifications.forget_gathering"), rule_id)
            await _watch(connection, user_id)
            subject = f"notification_rule:{rule_id}"
            await record(connection, now, actor, "notification_rule.deleted", subject, owner=user_id)
            return True

    async def look(self, now: datetime, limit: int) -> NotifierView | None:
        """Returns what there is to decide."""
        standing = await self._pool.row(sql("notifications.standing"), now)
        if standing is None or not (standing["watched"] or standing["open"] or standing["watching"]):
            return None
        rows = await self._pool.rows(sql("outbox.read"), READER, limit)
        found = [one for row in rows for one in ended(row["ended"])]
        users = list({one.user_id for one in found})
        watched = {row[0] for row in await self._pool.rows(sql("notifications.watched"), users)} if users else set()
        reminders = await self._pool.rows(sql("notifications.to_remind"), now, AT_ONCE)
        notices = await self._pool.rows(sql("notifications.open_notices"), now, AT_ONCE)
        return NotifierView(
            standing["version"],
            [one for one in found if one.user_id in watched],
            OutboxPosition(rows[-1]["xid"], rows[-1]["id"]) if rows else None,
            [_incident(row) for row in reminders],
            [_notice(row) for row in notices],
            frozenset(standing["watching"] or ()),
            await self._conditions(now) if standing["watching"] else (),
        )

    async def _conditions(self, now: datetime) -> list[Condition]:
        rows = await self._pool.rows(sql("notifications.conditions"), now - KEPT_EVENTS)
        return [
            Condition(row["event"], row["user_id"], row["name"], row["since"] or now, row["reason"]) for row in rows
        ]

    async def open_conditions(self, rule_ids: Sequence[int]) -> list[Incident]:
        """Returns the incidents of conditions that rules have."""
        return [_incident(row) for row in await self._pool.rows(sql("notifications.open_conditions"), list(rule_ids))]

    async def report_outage(self, since: datetime, until: datetime) -> None:
        """Store that the database was away. The lock keeps nodes apart that report the same outage."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("notifications.lock"))
            await connection.execute(sql("notifications.report_outage"), since, until)

    async def facts(self, ended: Sequence[JobEnded]) -> dict[int, EndFacts]:
        """Returns what is known of jobs that ended."""
        rows = await self._pool.rows(
            sql("notifications.facts"),
            [one.user_id for one in ended],
            [one.job_id for one in ended],
            [one.finished_at for one in ended],
            [one.schedule_id for one in ended],
        )
        return {
            row["job_id"]: EndFacts(
                None if row["labels"] is None else msgspec.json.decode(row["labels"], type=dict[str, str]),
                row["due_at"],
                row["launched_at"],
                row["schedule"],
                row["schedule_state"],
            )
            for row in rows
        }

    async def incidents(self, keys: Sequence[tuple[int, str]]) -> list[Incident]:
        """Returns those of the incidents that exist."""
        rows = await self._pool.rows(
            sql("notifications.incidents"), [rule for rule, _ in keys], [subject for _, subject in keys]
        )
        return [_incident(row) for row in rows]

    async def record(self, version: int, decision: Decision) -> bool:
        """Record a decision, if no other was recorded meanwhile."""
        async with self._pool.transaction() as connection:
            if await connection.fetchval(sql("notifications.decide"), version) is None:
                return False
            if (position := decision.position) is not None:
                await connection.execute(sql("outbox.acknowledge"), READER, str(position.transaction), position.row)
                await connection.execute(sql("outbox.clear_read"))
            if decision.resolved:
                rules, subjects = [one[0] for one in decision.resolved], [one[1] for one in decision.resolved]
                await connection.execute(sql("notifications.end_incidents"), rules, subjects)
            if decision.incidents:
                await connection.execute(sql("notifications.keep_incidents"), *_columns(decision.incidents))
            if decision.gathered:
                await connection.execute(sql("notifications.gather"), *_gathered(decision.gathered))
            if decision.notices:
                await connection.execute(sql("notifications.change_notices"), *_changes(decision.notices))
            return True

    async def add_test(self, user_id: int, rule_id: int, now: datetime) -> Notice | None:
        """Store a test message."""
        items = encode_items((Item("test", now),)).decode()
        row = await self._pool.row(sql("notifications.add_test"), user_id, rule_id, now, items)
        return None if row is None else _notice(row)

    async def notices(self, user_id: int, before_id: int | None, limit: int) -> list[Notice]:
        """Returns a user's messages."""
        rows = await self._pool.rows(sql("notifications.notices"), user_id, before_id or MAX_ID, limit)
        return [_notice(row) for row in rows]

    async def closed_since(self, rule_ids: Sequence[int], since: datetime) -> dict[int, list[datetime]]:
        """Returns when messages of rules were closed to be sent."""
        found: dict[int, list[datetime]] = {}
        for row in await self._pool.rows(sql("notifications.closed_since"), list(rule_ids), since):
            found.setdefault(row["rule_id"], []).append(row["closed_at"])
        return found

    async def sender(self, now: datetime) -> UserId:
        """Returns the user who sends messages."""
        row = await self._pool.row(sql("notifications.sender"))
        if row is None:
            await self._pool.run(sql("notifications.add_sender"), now)
            row = await self._pool.row(sql("notifications.sender"))
        if row is None:
            raise RuntimeError("the user who sends notifications is not there after it was created")
        return UserId(row["id"])

    async def drop_notices(self, before: datetime) -> None:
        """Delete what is old."""
        await self._pool.run(sql("notifications.drop_notices"), before)
        await self._pool.run(sql("notifications.drop_incidents"), before)
        await self._pool.run(sql("notifications.drop_events"), before)


async def _watch(connection: Connection, user_id: int) -> None:
    """Have the ends written that a user's rules need, and none where there is no rule."""
    rows = await connection.fetch(sql("notifications.rules"), user_id, 0, MAX_RULES)
    contents = [decode_content(row["content"]) for row in rows]
    await connection.execute(sql("notifications.watch_conditions"), user_id, list(conditions_needed(contents)))
    states = states_needed(contents)
    if states:
        await connection.execute(sql("notifications.watch"), user_id, [state.value for state in states])
        await connection.execute(sql("outbox.subscribe"), READER, NO_USER, ["dead"])
        return
    await connection.execute(sql("notifications.unwatch"), user_id)
    if not await connection.fetchval(sql("notifications.any_watched")):
        await connection.execute(sql("outbox.unsubscribe"), READER)
        await connection.execute(sql("outbox.clear"))


def _shown(content: RuleContent) -> dict[str, Any]:
    """Returns a rule for the audit, without secrets."""
    shown = {name: msgspec.to_builtins(value) for name, value in structs.asdict(content).items()}
    return {**shown, "channels": [msgspec.to_builtins(redacted(one)) for one in content.channels]}


def _rule(row: Any) -> Rule:
    return Rule(row["id"], row["user_id"], decode_content(row["content"]), row["created_at"], row["updated_at"])


def _incident(row: Any) -> Incident:
    return Incident(*(row[name] for name in Incident.__struct_fields__))


def _notice(row: Any) -> Notice:
    return Notice(
        row["id"],
        row["rule_id"],
        row["user_id"],
        row["state"],
        row["opened_at"],
        row["due_at"],
        row["number"],
        decode_items(row["items"]),
        row["held"],
        row["closed_at"],
        tuple(row["jobs"]),
    )


def _columns(incidents: Sequence[Incident]) -> list[list[Any]]:
    return [[getattr(one, name) for one in incidents] for name in Incident.__struct_fields__]


def _gathered(given: Sequence[Gathered]) -> list[list[Any]]:
    rows = [
        (one.rule_id, one.user_id, one.at, one.due_at, one.number, encode_items(one.items).decode()) for one in given
    ]
    return [list(column) for column in zip(*rows, strict=True)]


def _changes(given: Sequence[NoticeChange]) -> list[list[Any]]:
    rows = [
        (
            one.notice_id,
            one.state,
            one.due_at,
            one.held,
            one.closed_at,
            "{" + ",".join(str(job) for job in one.jobs) + "}" if one.jobs else None,
        )
        for one in given
    ]
    return [list(column) for column in zip(*rows, strict=True)]
