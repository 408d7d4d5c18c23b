"""Rules are told of flips only; messages wait for quiet hours and caps, and say so; names from strangers do no harm."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.engine.notifying.deliveries import jobs_of
from duetime.engine.notifying.judge import NOTHING, Judge, keys_of, reminder
from duetime.engine.notifying.message import clean, discord_body, message_of, slack_body, webhook_body
from duetime.engine.notifying.send_time import next_step
from duetime.model.events import JobEnded
from duetime.model.ids import UserId
from duetime.model.notification import (
    Channel,
    DiscordChannel,
    EventKind,
    Incident,
    Item,
    MailChannel,
    Notice,
    Rule,
    RuleContent,
    Scope,
    SlackChannel,
    TeamsChannel,
    WebhookChannel,
    redacted,
    states_needed,
)
from duetime.model.policy import Hours
from duetime.model.states import JobState
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.mail import decode_mail
from duetime.store.notification_port import EndFacts

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
HOOK = WebhookChannel("https://example.com/hook")


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def rule(*events: EventKind, **more: object) -> Rule:
    given_ = {"name": "r", "events": events, "channels": (HOOK,), **more}
    return Rule(1, 7, RuleContent(**given_), NOW, NOW)  # type: ignore[arg-type]


def ended(state: JobState, seconds: float = 0.0, *, job: int = 1025, **more: object) -> JobEnded:
    return JobEnded(job, 7, state, 1, NOW, at(seconds), **more)  # type: ignore[arg-type]


def told(of: Rule, ends: list[JobEnded], facts: EndFacts = NOTHING) -> list[str]:
    judge = Judge({})
    return [item.event for one in ends for item in judge.judge(of, one, facts)]


DEAD, DONE, LOST = JobState.DEAD, JobState.SUCCEEDED, JobState.LOST


def test_a_schedule_is_told_of_when_it_flips_and_not_in_between() -> None:
    states = [DONE, DEAD, DEAD, LOST, DONE, DONE, DEAD]
    ends = [ended(state, number, schedule_id=5) for number, state in enumerate(states)]
    assert told(rule("failed", "recovered"), ends) == ["failed", "recovered", "failed"]
    assert told(rule("failed"), ends) == ["failed", "failed"]
    assert told(rule("recovered"), ends) == ["recovered"]


@pytest.mark.parametrize(("after", "expected"), [(1, ["failed", "recovered"]), (3, ["failed", "recovered"]), (4, [])])
def test_a_failure_is_told_after_so_many_in_a_row(after: int, expected: list[str]) -> None:
    ends = [ended(state, number, schedule_id=5) for number, state in enumerate([DEAD, DEAD, DEAD, DONE])]
    assert told(rule("failed", "recovered", after=after), ends) == expected


def test_a_recovery_says_how_long_it_failed_and_how_often() -> None:
    judge, one = Judge({}), rule("failed", "recovered")
    for number in range(5):
        judge.judge(one, ended(DEAD, number * 60, schedule_id=5))
    (item,) = judge.judge(one, ended(DONE, 300, schedule_id=5))
    assert (item.event, item.since, item.in_a_row) == ("recovered", NOW, 5)
    assert judge.changed == {}
    assert judge.resolved == {(1, "schedule:5")}


@given(st.lists(st.sampled_from([DEAD, LOST, DONE, JobState.CANCELLED]), max_size=30), st.integers(1, 4), st.data())
def test_flips_alternate_however_ends_are_split_into_turns(
    states: list[JobState], after: int, data: st.DataObject
) -> None:
    """The incidents that one turn leaves are all that the next one needs."""
    one = rule("failed", "recovered", after=after)
    kept: dict[tuple[int, str], Incident] = {}
    seen: list[str] = []
    ends = [ended(state, number, schedule_id=5) for number, state in enumerate(states)]
    while ends:
        size = data.draw(st.integers(1, len(ends)))
        turn, ends = ends[:size], ends[size:]
        needed = {key for end in turn for key in keys_of(one, end)}
        judge = Judge({key: incident for key, incident in kept.items() if key in needed})
        seen += [item.event for end in turn for item in judge.judge(one, end)]
        kept = {key: incident for key, incident in {**kept, **judge.changed}.items() if key not in judge.resolved}
    assert all(event == ("failed", "recovered")[number % 2] for number, event in enumerate(seen))
    whole = [ended(state, number, schedule_id=5) for number, state in enumerate(states)]
    assert seen == told(one, whole)


def test_jobs_without_schedule_and_lane_are_each_told_of() -> None:
    ends = [ended(DEAD, job=1), ended(DEAD, job=2), ended(DONE, job=3), ended(DONE, job=1)]
    assert told(rule("failed", "recovered"), ends) == ["failed", "failed", "recovered"]
    discarded = [ended(DEAD, job=1), ended(JobState.CANCELLED, job=1), ended(DONE, job=1)]
    assert told(rule("failed", "recovered"), discarded) == ["failed"]


def test_each_kind_of_event() -> None:
    assert told(rule("dead"), [ended(DEAD), ended(LOST), ended(DONE)]) == ["dead"]
    assert told(rule("lost"), [ended(DEAD), ended(LOST)]) == ["lost"]
    assert told(rule("lane_blocked"), [ended(DEAD, lane="a"), ended(DEAD, lane="a", blocks_lane=True)]) == [
        "lane_blocked"
    ]
    missed = ended(JobState.SKIPPED, reason="misfire: it passed before it could be launched", schedule_id=5)
    assert told(rule("missed"), [missed, ended(JobState.SKIPPED, reason="expired: x")]) == ["missed"]


def test_late_is_told_once_until_a_launch_is_in_time() -> None:
    one, judge = rule("late", late_after=10), Judge({})
    late, fine = EndFacts(due_at=NOW, launched_at=at(11)), EndFacts(due_at=NOW, launched_at=at(10))
    seen = [judge.judge(one, ended(DONE, schedule_id=5), facts) for facts in (late, late, fine, late, NOTHING)]
    assert [[item.event for item in items] for items in seen] == [["late"], [], [], ["late"], []]


def test_the_end_of_a_schedule_is_told_once_and_again_if_it_was_active_between() -> None:
    one, judge = rule("schedule_ended"), Judge({})
    states = ["active", "ended", "ended", "active", "ended", None]
    seen = [judge.judge(one, ended(DONE, schedule_id=5), EndFacts(schedule_state=state)) for state in states]
    assert [len(items) for items in seen] == [0, 1, 0, 0, 1, 0]


def test_a_scope_leaves_out_all_others() -> None:
    end = ended(DEAD, schedule_id=5, lane="a")
    facts = EndFacts(labels={"team": "a", "env": "x"})
    fitting = (Scope(), Scope(5), Scope(None, "a"), Scope(None, None, {"team": "a"}), Scope(5, "a", {"team": "a"}))
    assert all(told(rule("dead", scope=scope), [end], facts) == ["dead"] for scope in fitting)
    others = (Scope(6), Scope(None, "b"), Scope(None, None, {"team": "b"}), Scope(5, "b"))
    assert not any(told(rule("dead", scope=scope), [end], facts) for scope in others)
    assert told(rule("dead", scope=Scope(None, None, {"team": "a"})), [end]) == []


def test_rules_need_only_the_ends_that_they_judge() -> None:
    assert states_needed([]) == ()
    assert states_needed([rule("dead").content]) == (DEAD,)
    assert DONE in states_needed([rule("dead").content, rule("failed").content])
    assert states_needed([rule("failed", active=False).content]) == ()


def test_a_reminder_names_what_still_fails() -> None:
    one = rule("failed", remind_every=600.0)
    later, item = reminder(one, Incident(1, "schedule:5", NOW, 3, told=True, remind_at=at(600)), at(600))
    assert later.remind_at == at(1200)
    assert (item.event, item.schedule_id, item.since, item.in_a_row) == ("still_failing", 5, NOW, 3)


def notice(*items: Item, number: int | None = None, **more: object) -> Notice:
    count = len(items) if number is None else number
    return Notice(3, 1, 7, "gathering", NOW, at(60), count, items, **more)  # type: ignore[arg-type]


def test_a_message_waits_for_the_end_of_quiet_hours() -> None:
    content = rule("dead", quiet=Hours("22:00-07:00", "Europe/Berlin")).content
    night = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
    step = next_step(notice(), content, [], night)
    assert (step.state, step.due_at) == ("gathering", datetime(2026, 3, 5, 6, 0, tzinfo=UTC))
    assert step.held == "it came in quiet hours"
    assert next_step(notice(), content, [], NOW).state == "sending"


def test_a_message_beyond_the_cap_waits_until_an_hour_has_room() -> None:
    content = rule("dead", max_per_hour=2).content
    step = next_step(notice(), content, [at(-3700), at(-1800), at(-60)], NOW)
    assert (step.state, step.due_at) == ("gathering", at(1800))
    assert step.held == "the rule allows 2 messages an hour"
    assert next_step(notice(), content, [at(-3700), at(-60)], NOW).state == "sending"


def test_a_message_says_how_many_more_and_what_was_held_back() -> None:
    items = [Item("dead", NOW, number, reason="no answer") for number in range(20)]
    many = notice(*items, number=10_000, held="it came in quiet hours")
    message = message_of(rule("dead"), many, "https://page.test")
    assert message.subject == "[Duetime] 10,000 events: is a dead letter"
    assert "And 9,980 more." in message.text
    assert "Held back since 2026-03-04 12:00:00 UTC: it came in quiet hours." in message.text
    assert "https://page.test/jobs/7" in message.text
    assert message.html.count("<li>") == 20


def test_names_and_reasons_of_strangers_do_no_harm() -> None:
    evil = Item("failed", NOW, 5, 6, "<b>x</b>\r\nBcc: a@b.c\x1b[31m", "lane", "<script>alert(1)</script>\u202e")
    message = message_of(rule("failed"), notice(evil), "https://page.test")
    assert "\n" not in message.subject
    assert "\r" not in message.subject
    assert "<script>" not in message.html
    assert "<b>x" not in message.html
    assert "\x1b" not in message.text
    assert "\u202e" not in message.text
    assert discord_body(message)["allowed_mentions"] == {"parse": []}
    assert slack_body(message)["blocks"][0]["text"]["type"] == "plain_text"
    assert len(clean("x" * 1000, 100)) == 100


def test_a_webhook_has_everything_as_data() -> None:
    body = webhook_body(rule("dead"), notice(Item("dead", NOW, 5)), None)
    decoded = msgspec.json.decode(msgspec.json.encode(body))
    assert (decoded["type"], decoded["events"]) == ("duetime.notification", 1)
    assert decoded["listed"] == [{"event": "dead", "at": "2026-03-04T12:00:00Z", "job_id": 5, "url": None}]


CHANNELS: tuple[Channel, ...] = (
    MailChannel(("a@example.com", "b@example.com")),
    WebhookChannel("https://example.com/?token=abc", "a secret of some length"),
    SlackChannel("https://hooks.slack.com/services/T/B/x"),
    TeamsChannel("https://example.com/teams/x"),
    DiscordChannel("https://discord.com/api/webhooks/1/x"),
)


def test_every_channel_is_a_job_with_a_key_and_a_lane_of_its_own() -> None:
    one = rule("dead", channels=CHANNELS)
    jobs = jobs_of(one, notice(Item("dead", NOW, 5)), UserId(2), None, NOW)
    assert [job.definition.target.kind for job in jobs] == ["mail", "http", "http", "http", "http"]
    assert len({job.idempotency_key for job in jobs}) == len({job.lane for job in jobs}) == len(CHANNELS)
    again = jobs_of(one, notice(Item("dead", NOW, 5)), UserId(2), None, at(5))
    assert [job.idempotency_key for job in again] == [job.idempotency_key for job in jobs]
    mail = decode_mail(jobs[0].message)
    assert (mail.to, mail.id) == (("a@example.com", "b@example.com"), "notice-3-0")
    target = jobs[1].definition.target
    assert isinstance(target, HttpTarget)
    assert target.signing_key() == b"a secret of some length"
    assert not any(job.definition.policy.breaker for job in jobs)


def test_what_is_shown_of_a_channel_has_no_secret() -> None:
    shown = msgspec.json.encode([redacted(one) for one in CHANNELS]).decode()
    assert not any(secret in shown for secret in ("abc", "of some length", "services/T/B", "teams/x", "webhooks/1"))
    assert "hooks.slack.com" in shown
