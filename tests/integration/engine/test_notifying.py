"""Notifications on a real database with a clock of the test's: digests, caps, reminders, and mails that are sent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from duetime.executor.targets.mail import MailRunner
from duetime.executor.targets.mail import MailServer as Server
from duetime.model.definition import Definition
from duetime.model.errors import StoreAway
from duetime.model.gate import ClosedGate
from duetime.model.notification import EventKind, MailChannel, Notice, Rule, RuleContent, Scope
from duetime.model.outcome import SUCCEEDED, Outcome, failed
from duetime.model.policy import Policy, Retry
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.mail import MailTarget
from harness.engine import Engine
from harness.mail import MailServer, mail_server
from harness.waiting import eventually

ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))
TO = MailChannel(("ops@example.com",))


async def rule_of(engine: Engine, user: int, *events: EventKind, **more: Any) -> Rule:
    store = engine.stores.notifications
    assert store is not None
    return await store.create_rule(user, RuleContent("r", events, (TO,), **more), engine.clock.now(), user)


async def notices(engine: Engine, user: int) -> list[Notice]:
    store = engine.stores.notifications
    assert store is not None
    return await store.notices(user, None, 100)


async def notify(engine: Engine) -> None:
    """One turn of the duty. Ends of transactions that are still running elsewhere come with a later one."""
    assert engine.notifier is not None
    await engine.notifier.run_once()


def answer(run: LaunchedRun) -> Outcome | None:
    """Jobs do as their messages say; mails stay open for the test to send."""
    if isinstance(run.definition.target, MailTarget):
        return None
    return failed("error", "no") if run.message == "broken" else SUCCEEDED


async def send(engine: Engine, server: MailServer) -> None:
    """Send the mails that wait, over a real connection."""
    await engine.settle_down()
    runner = MailRunner(Server(engine.clock, "127.0.0.1", server.port, "duetime@example.com", "none"))
    for run in list(engine.bus.open.values()):
        engine.bus.end(run.job_id, await runner.run(run))
    await engine.settle_down()


async def test_ten_thousand_failures_within_a_minute_are_one_mail(engine: Engine) -> None:
    engine.bus.answer = answer
    user = await engine.user()
    await rule_of(engine, user, "dead")
    async with mail_server() as server:
        for part in range(10):
            jobs = [engine.job(user, "broken", definition=ONCE) for _ in range(1000)]
            await engine.submit.many(jobs)
            await engine.settle_down()
            await notify(engine)
            await send(engine, server)
            assert server.mails == [], part
            engine.clock.advance(5)
        await eventually(lambda: gathered(engine, user, 10_000))
        engine.clock.advance(10)
        await notify(engine)
        await send(engine, server)
        (mail,) = server.mails
        assert mail["subject"] == "[Duetime] 10,000 events: is a dead letter"
        text = mail.get_body(("plain",))
        assert text is not None
        assert "And 9,980 more." in text.get_content()
        (told,) = await notices(engine, user)
        assert (told.state, told.number) == ("sent", 10_000)


async def gathered(engine: Engine, user: int, number: int) -> bool:
    await notify(engine)
    return [one.number for one in await notices(engine, user)] == [number]


async def test_what_the_cap_holds_back_is_one_message_that_says_so(engine: Engine) -> None:
    engine.bus.answer = answer
    user = await engine.user()
    await rule_of(engine, user, "dead", digest=0.0, max_per_hour=1)
    async with mail_server() as server:
        for number in range(3):
            await engine.add(user, "broken", definition=ONCE)
            await engine.settle_down()
            await eventually(lambda number=number: events(engine, user, number + 1))
            await send(engine, server)
            engine.clock.advance(60)
        assert len(server.mails) == 1
        for _ in range(3):
            engine.clock.advance(1200)
            await engine.ownership.renew()
        await notify(engine)
        await send(engine, server)
        assert len(server.mails) == 2
        text = server.mails[1].get_body(("plain",))
        assert text is not None
        assert "the rule allows 1 messages an hour" in text.get_content()
        assert server.mails[1]["subject"].startswith("[Duetime] 2 events")


async def events(engine: Engine, user: int, number: int) -> bool:
    await notify(engine)
    return sum(one.number for one in await notices(engine, user)) == number


async def test_a_failure_that_goes_on_is_reminded_of_until_it_is_over(engine: Engine) -> None:
    engine.bus.answer = answer
    user = await engine.user()
    await rule_of(engine, user, "failed", "recovered", digest=0.0, remind_every=600.0, scope=Scope(None, "lane"))
    policy = Definition(policy=Policy(retry=Retry(max_attempts=1), on_failure="skip"))
    await engine.add(user, "broken", definition=policy, lane="lane")
    await engine.settle_down()
    await eventually(lambda: events(engine, user, 1))
    for number in (2, 3):
        engine.clock.advance(600)
        await notify(engine)
        assert await events(engine, user, number)
    await engine.add(user, "fine", lane="lane")
    await engine.settle_down()
    await eventually(lambda: events(engine, user, 4))
    engine.clock.advance(6000)
    assert await events(engine, user, 4)
    found = [item.event for one in reversed(await notices(engine, user)) for item in one.items]
    assert found == ["failed", "still_failing", "still_failing", "recovered"]


async def test_a_failing_notifier_does_not_notify_through_itself(engine: Engine) -> None:
    engine.bus.answer = lambda run: failed("refused", "no mail today")
    user = await engine.user()
    await rule_of(engine, user, "dead", digest=0.0)
    await engine.add(user, "broken", definition=ONCE)
    await engine.settle_down()
    await eventually(lambda: events(engine, user, 1))
    for _ in range(5):
        await engine.settle_down()
        engine.clock.advance(60)
        await notify(engine)
    (told,) = await notices(engine, user)
    (sender,) = [one for one in await engine.stores.accounts.users(100, 0) if one.username == "(duetime)"]
    job = await engine.stores.insight.job(sender.id, told.jobs[0])
    assert job is not None
    assert job.state is JobState.DEAD
    assert await notices(engine, sender.id) == []


async def test_what_the_mail_server_answers_decides_about_another_attempt(engine: Engine) -> None:
    engine.bus.answer = answer
    user = await engine.user()
    await rule_of(engine, user, "dead", digest=0.0)
    await engine.add(user, "broken", definition=ONCE)
    await engine.settle_down()
    await eventually(lambda: events(engine, user, 1))
    async with mail_server() as server:
        server.answer = "451 try later"
        await notify(engine)
        await send(engine, server)
        server.answer = None
        assert server.mails == []
        engine.clock.advance(60)
        await send(engine, server)
        assert len(server.mails) == 1
        server.answer = "554 no"
        await engine.add(user, "broken", definition=ONCE)
        await engine.settle_down()
        await eventually(lambda: events(engine, user, 2))
        await send(engine, server)
        newest = (await notices(engine, user))[0]
        store = engine.stores.notifications
        assert store is not None
        job = await engine.stores.insight.job(await store.sender(engine.clock.now()), newest.jobs[0])
        assert job is not None
        assert (job.state, job.attempts) == (JobState.DEAD, 1)
        assert job.reason == "The mail server answered 554 no"


def test_the_digest_is_a_minute_unless_a_rule_says_otherwise() -> None:
    assert timedelta(seconds=RuleContent("r", ("dead",), (TO,)).digest) == timedelta(minutes=1)


async def told(engine: Engine, user: int) -> list[tuple[str, str | None]]:
    """One turn, and what all messages list, in order."""
    await notify(engine)
    return [(item.event, item.name) for one in reversed(await notices(engine, user)) for item in one.items]


async def test_a_breaker_is_told_when_it_opens_and_when_it_closes(engine: Engine) -> None:
    user, stranger = await engine.user(), await engine.user("stranger")
    await rule_of(engine, user, "breaker_open", "recovered", digest=0.0)
    await rule_of(engine, stranger, "breaker_open", digest=0.0)
    gate = ClosedGate("breaker", user, 7, "example.com", engine.clock.now(), None, 5)
    await engine.stores.gates.publish(engine.ownership.node, [gate])
    for _ in range(3):
        assert await told(engine, user) == [("breaker_open", "example.com")]
    engine.clock.advance(90)
    await engine.ownership.renew()
    await engine.stores.gates.publish(engine.ownership.node, [])
    assert await told(engine, user) == [("breaker_open", "example.com"), ("recovered", "example.com")]
    assert await told(engine, stranger) == []


async def test_an_outage_and_a_lost_node_are_told_to_rules_about_the_cluster(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, notifier, store = await engine.user(), engine.notifier, engine.stores.notifications
    assert notifier is not None
    assert store is not None
    await rule_of(engine, user, "node_lost", "database_away", "recovered", digest=0.0, scope=Scope(cluster=True))

    async def away(now: datetime, limit: int) -> None:
        raise StoreAway

    for seconds, expected in ((3.0, []), (30.0, [("database_away", "The database")])):
        with monkeypatch.context() as patched:
            patched.setattr(notifier._store, "look", away)
            with pytest.raises(StoreAway):
                await notifier.run_once()
            engine.clock.advance(seconds)
            with pytest.raises(StoreAway):
                await notifier.run_once()
        assert await told(engine, user) == expected
    async with engine.pool.acquired() as connection:
        await connection.execute(
            "WITH n AS (INSERT INTO nodes (name, roles, version, joined_at) SELECT name, roles, '1', now() "
            "FROM (VALUES ('gone', ARRAY['scheduler']), ('a worker', ARRAY['worker'])) AS v(name, roles) RETURNING id) "
            "INSERT INTO leases (node_id, until) SELECT id, now() - interval '1 hour' FROM n"
        )
    await engine.ownership.balance()
    found = await told(engine, user)
    assert [event for event, _ in found] == ["database_away", "node_lost"]
    assert str(found[1][1]).startswith("gone (")
    assert await told(engine, user) == found, "each is told once"
