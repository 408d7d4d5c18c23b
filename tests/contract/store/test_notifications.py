"""Notifications: rules, ends that are judged once, incidents, and messages that gather."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contract.store.place import NOW, Audited, Place, at
from duetime.model.errors import Conflict
from duetime.model.gate import ClosedGate
from duetime.model.notification import (
    MAX_ITEMS,
    MAX_RULES,
    Condition,
    EventKind,
    Incident,
    Item,
    RuleContent,
    Scope,
    WebhookChannel,
)
from duetime.store.notification_port import Decision, Gathered, NoticeChange, NotifierView
from harness.waiting import eventually

HOOK = WebhookChannel("https://example.com/hook", "a secret of some length")


def content(*events: EventKind, name: str = "rule", scope: Scope | None = None, active: bool = True) -> RuleContent:
    return RuleContent(name, events or ("dead",), (HOOK,), scope or Scope(), active=active)


async def seen(place: Place, number: int) -> NotifierView:
    """What there is to decide, once there are so many ends: a reader may have to wait for older transactions."""
    views: list[NotifierView] = []

    async def enough() -> bool:
        view = await place.notifications.look(at(3600), 100)
        if view is not None:
            views[:] = [view]
        return view is not None and len(view.ended) >= number

    await eventually(enough)
    return views[0]


async def test_a_rule_is_stored_changed_and_deleted_by_its_user(place: Place) -> None:
    stranger = await place.new_user()
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    assert rule.content == content()
    assert await place.notifications.rule(place.user, rule.id) == rule
    assert await place.notifications.rule(stranger, rule.id) is None
    other = await place.notifications.create_rule(place.user, content("lost"), NOW, place.user)
    assert await place.notifications.rules(place.user, 0, 10) == [rule, other]
    assert await place.notifications.rules(place.user, rule.id, 10) == [other]
    assert await place.notifications.rules(stranger, 0, 10) == []
    assert await place.notifications.rules_of([stranger], [other.id]) == [other]
    assert await place.notifications.rules_of([place.user, stranger]) == [rule, other]
    assert await place.notifications.edit_rule(stranger, rule.id, content(name="x"), at(1), stranger) is None
    edited = await place.notifications.edit_rule(place.user, rule.id, content(name="x"), at(1), place.user)
    assert edited is not None
    assert (edited.content.name, edited.created_at, edited.updated_at) == ("x", NOW, at(1))
    assert not await place.notifications.delete_rule(stranger, rule.id, at(2), stranger)
    assert await place.notifications.delete_rule(place.user, rule.id, at(2), place.user)
    assert not await place.notifications.delete_rule(place.user, rule.id, at(2), place.user)
    subject = f"notification_rule:{rule.id}"
    changes = [one for one in await place.audit() if one.subject == subject]
    assert changes == [
        Audited(place.user, f"notification_rule.{what}", subject) for what in ("created", "edited", "deleted")
    ]


async def test_a_user_has_a_bounded_number_of_rules(place: Place) -> None:
    for _ in range(MAX_RULES):
        await place.notifications.create_rule(place.user, content(), NOW, place.user)
    with pytest.raises(Conflict, match="more are not allowed"):
        await place.notifications.create_rule(place.user, content(), NOW, place.user)
    await place.notifications.create_rule(await place.new_user(), content(), NOW, place.user)


async def test_without_a_rule_nothing_is_written_and_there_is_nothing_to_decide(place: Place) -> None:
    await place.die(await place.add())
    assert await place.notifications.look(at(10), 10) is None
    rule = await place.notifications.create_rule(place.user, content(active=False), NOW, place.user)
    await place.die(await place.add())
    assert await place.notifications.look(at(10), 10) is None
    await place.notifications.edit_rule(place.user, rule.id, content(), NOW, place.user)
    ref = await place.add()
    await place.die(ref)
    assert [one.job_id for one in (await seen(place, 1)).ended] == [ref.id]
    await place.notifications.delete_rule(place.user, rule.id, NOW, place.user)
    assert await place.notifications.look(at(10), 10) is None


async def test_only_ends_that_a_rule_needs_are_read(place: Place) -> None:
    await place.notifications.create_rule(place.user, content("dead"), NOW, place.user)
    done, dead = await place.add(), await place.add()
    await place.launch(done)
    await place.succeed(done)
    await place.die(dead)
    assert [one.job_id for one in (await seen(place, 1)).ended] == [dead.id]
    await place.notifications.create_rule(place.user, content("failed"), NOW, place.user)
    second = await place.add()
    await place.launch(second)
    await place.succeed(second)
    assert [one.job_id for one in (await seen(place, 2)).ended] == [dead.id, second.id]


async def test_a_decision_is_recorded_once_and_moves_the_position(place: Place) -> None:
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    await place.die(await place.add())
    view = await seen(place, 1)
    kept = Incident(rule.id, "job:1", NOW, 3, told=True, remind_at=at(5))
    items = (Item("dead", NOW, 1),)
    decision = Decision(view.position, [kept], [], [Gathered(rule.id, place.user, NOW, at(60), 1, items)])
    assert await place.notifications.record(view.version, decision)
    assert not await place.notifications.record(view.version, decision)
    assert await place.notifications.incidents([kept.key, (rule.id, "job:2")]) == [kept]
    after = await place.notifications.look(at(10), 10)
    assert after is not None
    assert (list(after.ended), after.position, after.reminders, after.notices) == ([], None, [kept], [])
    (notice,) = await place.notifications.notices(place.user, None, 10)
    assert (notice.state, notice.number, notice.items, notice.due_at) == ("gathering", 1, items, at(60))
    assert await place.notifications.record(after.version, Decision(resolved=[kept.key]))
    assert await place.notifications.incidents([kept.key]) == []


async def test_a_changed_rule_voids_what_was_decided_with_the_old_one(place: Place) -> None:
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    await place.die(await place.add())
    view = await seen(place, 1)
    await place.notifications.delete_rule(place.user, rule.id, NOW, place.user)
    assert not await place.notifications.record(view.version, Decision(incidents=[Incident(rule.id, "job:1", NOW)]))


async def test_events_gather_in_one_message_until_it_is_closed(place: Place) -> None:
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    await place.die(await place.add())
    version = (await seen(place, 1)).version
    many = tuple(Item("dead", NOW, number) for number in range(MAX_ITEMS - 1))
    for number, items in ((50, many), (3, (Item("lost", NOW, 7), Item("lost", NOW, 8)))):
        gathered = Gathered(rule.id, place.user, NOW, at(60), number, items)
        assert await place.notifications.record(version, Decision(gathered=[gathered]))
        version += 1
    (notice,) = (await seen(place, 0)).notices
    assert (notice.number, len(notice.items), notice.items[-1]) == (53, MAX_ITEMS, Item("lost", NOW, 7))
    held = NoticeChange(notice.id, "gathering", at(7200), held="why")
    assert await place.notifications.record(version, Decision(notices=[held]))
    assert (await seen(place, 0)).notices == []
    closed = NoticeChange(notice.id, "sending", at(100), closed_at=at(101))
    assert await place.notifications.record(version + 1, Decision(notices=[closed]))
    assert [one.held for one in (await seen(place, 0)).notices] == ["why"]
    assert await place.notifications.closed_since([rule.id], at(100)) == {rule.id: [at(101)]}
    assert await place.notifications.closed_since([rule.id], at(101)) == {}
    again = Gathered(rule.id, place.user, at(102), at(200), 1, many[:1])
    assert await place.notifications.record(version + 2, Decision(gathered=[again]))
    sent = NoticeChange(notice.id, "sent", at(100), jobs=(1, 2))
    assert await place.notifications.record(version + 3, Decision(notices=[sent]))
    newest, oldest = await place.notifications.notices(place.user, None, 10)
    assert (newest.state, oldest.state, oldest.jobs) == ("gathering", "sent", (1, 2))
    assert await place.notifications.notices(place.user, newest.id, 10) == [oldest]
    assert await place.notifications.notices(await place.new_user(), None, 10) == []


async def test_a_test_message_is_to_be_sent_at_once_and_does_not_count(place: Place) -> None:
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    assert await place.notifications.add_test(await place.new_user(), rule.id, NOW) is None
    notice = await place.notifications.add_test(place.user, rule.id, NOW)
    assert notice is not None
    assert (notice.state, notice.items) == ("sending", (Item("test", NOW),))
    assert (await seen(place, 0)).notices == [notice]
    assert await place.notifications.closed_since([rule.id], at(-10)) == {}


async def test_facts_say_what_an_end_does_not(place: Place) -> None:
    await place.notifications.create_rule(place.user, content(), NOW, place.user)
    plain, parked = await place.add(labels='{"team": "a"}'), await place.add(5, lane="x", labels='{"team": "b"}')
    await place.die(plain)
    await place.die(parked, park=True)
    view = await seen(place, 2)
    facts = await place.notifications.facts(view.ended)
    assert (facts[plain.id].labels, facts[plain.id].due_at) == ({"team": "a"}, plain.due_at)
    assert facts[plain.id].launched_at is not None
    assert (facts[parked.id].labels, facts[parked.id].schedule) == ({"team": "b"}, None)


async def test_the_sender_is_one_user_without_a_password(place: Place) -> None:
    sender = await place.notifications.sender(NOW)
    assert await place.notifications.sender(NOW) == sender
    known = await place.stores.accounts.credentials("(duetime)")
    assert known is not None
    assert (known.user.id, known.user.role, known.password_hash) == (sender, "user", "!")


async def test_what_is_old_and_done_is_dropped(place: Place) -> None:
    rule = await place.notifications.create_rule(place.user, content(), NOW, place.user)
    await place.die(await place.add())
    version = (await seen(place, 1)).version
    incidents = [Incident(rule.id, subject, NOW) for subject in ("job:1", "late/job:2", "schedule:3")]
    assert await place.notifications.record(version, Decision(incidents=incidents))
    notice = await place.notifications.add_test(place.user, rule.id, NOW)
    assert notice is not None
    sent = NoticeChange(notice.id, "sent", NOW)
    assert await place.notifications.record(version + 1, Decision(notices=[sent]))
    await place.notifications.drop_notices(NOW)
    assert len(await place.notifications.notices(place.user, None, 10)) == 1
    await place.notifications.drop_notices(NOW + timedelta(seconds=1))
    assert await place.notifications.notices(place.user, None, 10) == []
    left = await place.notifications.incidents([one.key for one in incidents])
    assert [one.subject for one in left] == ["schedule:3"]


async def test_conditions_are_read_only_where_a_rule_asks_for_them(place: Place) -> None:
    await place.notifications.create_rule(place.user, content("dead"), NOW, place.user)
    breaker = ClosedGate("breaker", place.user, 7, "example.com", NOW, None, 5)
    await place.stores.gates.publish(place.node, [breaker])
    view = await place.notifications.look(at(1), 10)
    assert view is not None
    assert (view.watching, list(view.conditions)) == (frozenset(), [])
    rule = await place.notifications.create_rule(place.user, content("breaker_open"), NOW, place.user)
    view = await place.notifications.look(at(1), 10)
    assert view is not None
    assert view.watching == {place.user}
    held = [one for one in view.conditions if one.event == "breaker_open"]
    assert held == [Condition("breaker_open", place.user, "example.com", NOW, "5 failures in a row")]
    incident = Incident(rule.id, "condition/breaker_open/7/example.com", NOW, told=True)
    other = Incident(rule.id, "job:7", NOW)
    assert await place.notifications.record(view.version, Decision(incidents=[incident, other]))
    assert await place.notifications.open_conditions([rule.id]) == [incident]
    assert await place.notifications.open_conditions([rule.id + 1]) == []
    await place.notifications.delete_rule(place.user, rule.id, NOW, place.user)
    view = await place.notifications.look(at(1), 10)
    assert view is not None
    assert view.watching == frozenset()


async def test_an_outage_that_several_nodes_report_is_one(place: Place) -> None:
    await place.notifications.report_outage(at(1), at(9))
    scope = Scope(cluster=True)
    await place.notifications.create_rule(place.user, content("database_away", scope=scope), NOW, place.user)
    for since, until in ((10, 20), (11, 21), (40, 50)):
        await place.notifications.report_outage(at(since), at(until))

    async def outages(seconds: float) -> list[tuple[object, str]]:
        view = await place.notifications.look(at(seconds), 10)
        assert view is not None
        return [(one.since, one.reason) for one in view.conditions if one.event == "database_away"]

    assert sorted(await outages(60)) == [(at(10), "for 10 s"), (at(40), "for 10 s")], "none from before the rule"
    assert await outages(86_400 + 30) == [(at(40), "for 10 s")], "what happened a day ago is over"
    await place.notifications.drop_notices(at(30))
    assert await outages(60) == [(at(40), "for 10 s")]
