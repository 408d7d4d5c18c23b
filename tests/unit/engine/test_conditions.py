"""Conditions are told once while they hold, and once when they end; templates fill in what a message says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duetime.engine.notifying.conditions import GRACE, judge_conditions
from duetime.engine.notifying.deliveries import jobs_of
from duetime.engine.notifying.judge import reminder
from duetime.engine.notifying.message import message_of
from duetime.engine.notifying.template import NAMES, check_template
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.notification import (
    AppriseChannel,
    Channel,
    Condition,
    EventKind,
    Incident,
    Item,
    Notice,
    Rule,
    RuleContent,
    Scope,
    Template,
    WebhookChannel,
    conditions_needed,
    redacted,
    states_needed,
)

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
HOOK = WebhookChannel("https://example.com/hook")
BREAKER = Condition("breaker_open", 7, "example.com", NOW, "5 failures in a row")
LOST = Condition("node_lost", 0, "host:1 (3)", NOW, "scheduler")
UNOWNED = Condition("shards_unowned", 0, "Shards", NOW, "12 of 1024 shards")
CLUSTER = Scope(cluster=True)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def rule(
    *events: EventKind, scope: Scope | None = None, channels: tuple[Channel, ...] = (HOOK,), **more: object
) -> Rule:
    content = RuleContent("r", events, channels, scope or Scope(), **more)  # type: ignore[arg-type]
    return Rule(1, 7, content, NOW, NOW)


def through(of: Rule, *looks: tuple[float, list[Condition]]) -> list[str]:
    """What is told over several looks at what holds."""
    known: dict[tuple[int, str], Incident] = {}
    told: list[str] = []
    for seconds, held in looks:
        items, incidents, resolved = judge_conditions(of, held, known, at(seconds))
        known |= {one.key: one for one in incidents}
        for key in resolved:
            del known[key]
        told += [f"{one.event} {one.condition}" for one in items]
    return told


def test_an_open_breaker_is_told_once_and_once_when_it_closes() -> None:
    looks = ((0.0, [BREAKER]), (1.0, [BREAKER]), (2.0, []), (3.0, []), (4.0, [BREAKER]))
    opened, closed = "breaker_open breaker_open", "recovered breaker_open"
    assert through(rule("breaker_open", "recovered"), *looks) == [opened, closed, opened]
    assert through(rule("breaker_open"), *looks) == [opened, opened]
    assert through(rule("dead", "recovered"), *looks) == []


def test_a_user_is_told_of_its_own_breakers_and_an_admin_of_all() -> None:
    strange = Condition("breaker_open", 8, "other.example", NOW, "5 failures in a row")
    assert through(rule("breaker_open"), (0.0, [strange])) == []
    assert through(rule("breaker_open", scope=CLUSTER), (0.0, [strange, BREAKER])) == ["breaker_open breaker_open"] * 2
    assert through(rule("breaker_open"), (0.0, [LOST, UNOWNED])) == []


def test_what_happened_is_told_once_and_not_to_a_rule_made_later() -> None:
    of = rule("node_lost", "recovered", scope=CLUSTER)
    assert through(of, (0.0, [LOST]), (1.0, [LOST]), (2.0, [])) == ["node_lost node_lost"]
    early = Condition("node_lost", 0, "host:1 (3)", at(-1), "scheduler")
    assert through(of, (0.0, [early]), (1.0, [early])) == []


def test_shards_without_an_owner_are_told_after_a_while() -> None:
    of, grace = rule("shards_unowned", "recovered", scope=CLUSTER), GRACE["shards_unowned"].total_seconds()
    told = ["shards_unowned shards_unowned", "recovered shards_unowned"]
    assert through(of, (0.0, [UNOWNED]), (grace - 1, [UNOWNED]), (grace, [UNOWNED]), (grace + 9, [])) == told
    assert through(of, (0.0, [UNOWNED]), (grace - 1, []), (grace, [UNOWNED]), (grace + 9, [UNOWNED])) == []


def test_a_condition_that_goes_on_is_reminded_of() -> None:
    of = rule("breaker_open", remind_every=600.0)
    (incident,) = judge_conditions(of, [BREAKER], {}, NOW).incidents
    assert incident.remind_at == at(600)
    later, item = reminder(of, incident, at(600))
    assert later.remind_at == at(1200)
    assert (item.event, item.condition, item.name) == ("still_failing", "breaker_open", "example.com")


def test_conditions_need_no_ends_of_jobs() -> None:
    contents = [rule("breaker_open").content, rule("node_lost", "recovered", scope=CLUSTER).content]
    assert states_needed(contents) == ()
    assert conditions_needed(contents) == ("breaker_open", "node_lost")
    assert conditions_needed([rule("dead").content]) == ()


def notice(*items: Item) -> Notice:
    return Notice(5, 1, 7, "sending", NOW, NOW, len(items), items)


def test_a_message_says_what_a_condition_is_about() -> None:
    of = rule("breaker_open", "recovered", scope=CLUSTER)
    for one, subject in (
        (BREAKER, "Host 'example.com' has an open circuit breaker: its jobs wait"),
        (LOST, "Node 'host:1 (3)' is gone: its lease ran out"),
        (UNOWNED, "Shards have no owner: their jobs wait"),
    ):
        told = Item(one.event, NOW, reason=one.reason, since=NOW, condition=one.event, name=one.name)
        message = message_of(of, notice(told), None)
        assert message.subject == f"[Duetime] {subject}"
        assert one.reason in message.text
    again = Item("recovered", at(90), since=NOW, condition="breaker_open", name="example.com")
    assert "works again after 1.5 min." in message_of(of, notice(again), None).text


DEAD = Item("dead", NOW, 1025, reason="<b>no</b>")


def test_a_template_is_filled_in_and_what_it_leaves_out_is_said_as_ever() -> None:
    own = rule("dead", template=Template("{{what}}: {{ number }} for {{rule}}", "See {{page}}\n{{events}}"))
    message = message_of(own, notice(DEAD), "https://duetime.test")
    assert message.subject == "Job 1025: 1 for r"
    line = "2026-03-04 12:00:00 UTC  Job 1025 is a dead letter: <b>no</b>"
    assert message.text == f"See https://duetime.test\n{line}\n"
    assert "&lt;b&gt;no&lt;/b&gt;" in message.html
    plain = message_of(rule("dead"), notice(DEAD), None)
    subject_only = message_of(rule("dead", template=Template("mine")), notice(DEAD), None)
    assert (subject_only.subject, subject_only.text) == ("mine", plain.text)
    assert "<b>mine</b>" in subject_only.html
    text_only = message_of(rule("dead", template=Template(text="{{subject}}")), notice(DEAD), None)
    assert (text_only.subject, text_only.text) == (plain.subject, plain.subject + "\n")


def test_what_is_filled_in_is_not_read_again_and_ends_no_line_of_a_subject() -> None:
    evil = Item("failed", NOW, 1, 2, "{{page}}\r\nBcc: x@y.z")
    message = message_of(rule("failed", template=Template("{{what}}")), notice(evil), "https://duetime.test")
    assert message.subject == "Schedule '{{page}} Bcc: x@y.z'"


@pytest.mark.parametrize("template", [Template(), Template("{{nope}}"), Template(text="{{ rule.id }}")])
def test_a_template_that_names_what_there_is_not_is_refused(template: Template) -> None:
    with pytest.raises(Invalid, match="template"):
        check_template(template)
    check_template(Template(" ".join("{{" + name + "}}" for name in NAMES)))


def test_a_channel_of_apprise_is_a_job_whose_credentials_are_hidden() -> None:
    channel = AppriseChannel("tgram://123:secret/chat")
    assert redacted(channel) == AppriseChannel("tgram://(hidden)")
    (job,) = jobs_of(rule("dead", channels=(channel,)), notice(DEAD), UserId(9), None, NOW)
    assert job.definition.target.kind == "apprise"
    assert "secret" not in job.message
    assert "secret" not in str(job.definition.target.redacted())
