"""Parsing a job that a client sent."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.api.jobs.bodies import JobBody, JobPatch
from duetime.api.jobs.parse import JobParser, fingerprint, parse_patch
from duetime.model.definition import PLAIN, Definition
from duetime.model.errors import DuetimeError, Invalid, TooLarge
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.job import Job, JobEdit, NewJob
from duetime.model.message import message_sent, message_shown, stored_message, with_trace
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from duetime.model.targets.http import BearerAuth, HttpTarget
from duetime.model.targets.log import LogTarget
from duetime.model.targets.workflow import CREATES_WORKFLOW

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LAST_DAY = datetime(2200, 12, 30, tzinfo=UTC).replace(tzinfo=None)
HOOK = HttpTarget("https://example.com/hook")
LIMIT = 1000


def body(**fields: Any) -> JobBody:
    return msgspec.json.decode(msgspec.json.encode({"message": "hi"} | fields), type=JobBody)


def parse(key: str | None = None, now: datetime = NOW, **fields: Any) -> NewJob:
    return JobParser(UserId(7), now, LIMIT).parse(body(**fields), idempotency_key=key)


def refused(**fields: Any) -> Any:
    with pytest.raises(Invalid) as caught:
        parse(**fields)
    assert caught.value.message.endswith(".")
    return caught.value.details.get("field")


def test_a_message_alone_is_a_log_job_for_now() -> None:
    job = parse()
    assert job == NewJob(UserId(7), Definition(), "hi", NOW)
    assert job.definition is parse().definition


@pytest.mark.parametrize("value", [{"a": [1.5, None]}, [], 0, False, None, "", "text", "\x1e", "\x1e1", '{"a": 1}'])
def test_a_message_is_any_value_and_comes_back_as_it_was(value: Any) -> None:
    stored = parse(message=value).message
    assert "\0" not in stored
    assert msgspec.json.decode(msgspec.json.encode(message_shown(stored))) == value
    text, is_json = message_sent(stored)
    assert (json.loads(text) if is_json else text) == value
    assert is_json is not isinstance(value, str)


def test_a_nul_is_refused_in_text_and_escaped_in_a_value() -> None:
    assert refused(message="a\0") == "message"
    assert json.loads(message_sent(parse(message=["a\0"]).message)[0]) == ["a\0"]


def test_everything_that_can_be_asked_for_arrives() -> None:
    job = parse(
        execute_at="2026-03-02T09:00:00.123456+09:00",
        target={"kind": "http", "url": "https://example.com/hook"},
        ordering_key="customer 5",
        priority=0,
        timeout="90s",
        expires_at="2026-03-02T00:00:00.123457Z",
        delivery="at_least_once",
        retry={"max_attempts": 3, "delays": [1, 2]},
        on_failure="skip",
        labels={"team": "a", "empty": ""},
    )
    assert job == NewJob(
        UserId(7),
        Definition(HOOK, Policy(90.0, "at_least_once", Retry(max_attempts=3, delays=(1, 2)), "skip")),
        "hi",
        datetime(2026, 3, 2, 0, 0, 0, 123456, UTC),
        lane="customer 5",
        priority=0,
        expires_at=datetime(2026, 3, 2, 0, 0, 0, 123457, UTC),
        labels={"team": "a", "empty": ""},
    )
    assert job.execute_at.tzinfo is UTC


def test_null_is_the_same_as_nothing() -> None:
    fields = [name for name in JobBody.__struct_fields__ if name != "message"]
    assert parse(**dict.fromkeys(fields)) == parse()


@pytest.mark.parametrize(
    ("delay", "seconds"), [("30m", 1800), (90, 90), (0.5, 0.5), ("PT1H", 3600), (0, 0), ("1h30m", 5400)]
)
def test_a_delay_counts_from_now(delay: Any, seconds: float) -> None:
    assert parse(delay=delay).execute_at == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize("delay", ["", "soon", "-5s", 1e300, 10**400, "P1Y", 2 * 10**10])
def test_a_delay_that_is_none_is_refused(delay: Any) -> None:
    assert refused(delay=delay) == "delay"


def test_an_instant_or_a_delay_but_not_both() -> None:
    assert refused(delay=1, execute_at="2026-03-02T09:00:00Z") == "delay"


@given(st.datetimes(max_value=LAST_DAY), st.integers(-840, 840))
def test_any_instant_up_to_2200_is_kept_to_the_microsecond(naive: datetime, offset: int) -> None:
    local = naive.replace(tzinfo=timezone(timedelta(minutes=offset)))
    try:
        expected = local.astimezone(UTC)
    except OverflowError:
        assert refused(execute_at=local.isoformat()) == "execute_at"
    else:
        assert parse(execute_at=local.isoformat()).execute_at == expected


@pytest.mark.parametrize("field", ["execute_at", "expires_at"])
@pytest.mark.parametrize("instant", ["2201-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "2200-12-31T23:30:00-01:00"])
def test_beyond_2200_is_refused(field: str, instant: str) -> None:
    assert refused(**{field: instant}) == field


def test_the_last_instant_of_2200_is_accepted() -> None:
    assert parse(execute_at="2200-12-31T23:59:59.999999Z").execute_at.year == 2200


def test_a_delay_beyond_2200_is_refused() -> None:
    late = datetime(2199, 6, 1, tzinfo=UTC)
    with pytest.raises(Invalid, match="2200"):
        parse(now=late, delay="800d")


def test_an_expiry_must_leave_the_job_a_chance() -> None:
    assert refused(execute_at="2026-03-02T09:00:00Z", expires_at="2026-03-02T09:00:00Z") == "expires_at"
    assert refused(expires_at="2026-03-01T12:00:00Z") == "expires_at"
    parse(expires_at="2026-03-01T12:00:00.000001Z")


def test_a_repeat_under_a_key_is_not_refused_for_having_expired_meanwhile() -> None:
    first = parse("k", expires_at="2026-03-01T13:00:00Z")
    again = parse("k", now=NOW + timedelta(hours=2), expires_at="2026-03-01T13:00:00Z")
    assert first.fingerprint == again.fingerprint


def test_a_message_is_measured_in_bytes_and_has_no_nul() -> None:
    assert parse(message="x" * LIMIT).message == "x" * LIMIT
    assert parse(message="é" * (LIMIT // 2)).message == "é" * (LIMIT // 2)
    for message in ["x" * (LIMIT + 1), "é" * (LIMIT // 2) + "x", "😀" * (LIMIT // 4 + 1)]:
        with pytest.raises(TooLarge) as caught:
            parse(message=message)
        assert caught.value.details == {"field": "message", "limit": LIMIT}
    assert refused(message="a\0b") == "message"


def test_no_nul_gets_into_texts_that_are_stored() -> None:
    assert refused(ordering_key="a\0") == "ordering_key"
    assert refused(labels={"a\0": "b"}) == "labels"
    assert refused(labels={"a": "b\0"}) == "labels.a"


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"timeout": "2d"}, "timeout"),
        ({"timeout": "0s"}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"target": {"kind": "http", "url": "ftp://example.com/"}}, "target.url"),
        ({"target": {"kind": "http", "url": "https://u:p@example.com/"}}, "target.url"),
        ({"target": {"kind": "http", "url": "https://example.com/", "headers": {"Host": "x"}}}, "target.headers"),
        (
            {
                "target": {
                    "kind": "http",
                    "url": "https://example.com/",
                    "auth": {"kind": "bearer", "token": "(hidden)"},
                }
            },
            "target.auth.token",
        ),
        ({"retry": {"delays": []}}, "retry.delays"),
        ({"retry": {"delays": [1] * 1001}}, "retry.delays"),
        ({"retry": {"retry_on": [""]}}, "retry.retry_on"),
        ({"retry": {"give_up_on": ["x" * 65]}}, "retry.give_up_on"),
    ],
)
def test_what_is_wrong_is_named(fields: dict[str, Any], where: str) -> None:
    assert refused(**fields) == where


def test_retry_can_be_turned_off_and_on() -> None:
    assert parse(retry=False).definition.policy.retry == Retry(max_attempts=1)
    assert parse(retry=True).definition.policy.retry == Retry()
    assert parse(retry={}).definition.policy.retry == Retry()


def test_what_a_failure_does_to_later_jobs_is_for_jobs_that_have_later_ones() -> None:
    assert refused(on_failure="skip") == "on_failure"
    assert parse(on_failure="block").definition == Definition()
    with pytest.raises(Invalid, match="ordering_key"):
        patch(on_failure="skip")
    in_lane = msgspec.structs.replace(STORED, lane="k")
    edit = parse_patch(JobPatch(on_failure="skip"), in_lane, now=NOW, max_message_bytes=LIMIT)
    assert edit.definition is not None
    assert edit.definition.policy.on_failure == "skip"


def test_without_a_key_there_is_no_fingerprint() -> None:
    assert parse().fingerprint is None
    with_key = parse("k")
    assert with_key.idempotency_key == "k"
    assert with_key.fingerprint is not None
    assert len(with_key.fingerprint) == 16


SAME = [
    ({"delay": 1800}, {"delay": "30m"}),
    ({"delay": "PT30M"}, {"delay": 1800.0}),
    ({"execute_at": "2026-03-02T09:00:00Z"}, {"execute_at": "2026-03-02T10:00:00.000+01:00"}),
    ({"labels": {"a": "1", "b": "2"}}, {"labels": {"b": "2", "a": "1"}}),
    ({"priority": None}, {}),
    ({"timeout": "1m"}, {"timeout": 60}),
]
DIFFERENT = [
    ({"delay": 1800}, {"delay": 1801}),
    ({}, {"delay": 0}),
    ({"execute_at": "2026-03-02T09:00:00Z"}, {"execute_at": "2026-03-02T09:00:00.000001Z"}),
    ({"message": "a"}, {"message": "b"}),
    ({"ordering_key": "a"}, {}),
    ({"labels": {"a": "1"}}, {"labels": {"a": "2"}}),
    (
        {"target": {"kind": "http", "url": "https://example.com/"}},
        {"target": {"kind": "http", "url": "https://example.com/2"}},
    ),
    ({"retry": False}, {"retry": {"max_attempts": 2}}),
    ({"priority": 4}, {}),
    ({"expires_at": "2026-04-01T00:00:00Z"}, {}),
    ({"delivery": "at_most_once"}, {}),
    ({"on_failure": "skip"}, {}),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_request_spelled_differently_is_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(body(**one)) == fingerprint(body(**other))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_request_is_another(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(body(**one)) != fingerprint(body(**other))


def test_a_delay_means_the_same_whenever_it_is_repeated() -> None:
    first, later = parse("k", delay="1h"), parse("k", now=NOW + timedelta(minutes=5), delay="1h")
    assert first.execute_at != later.execute_at
    assert first.fingerprint == later.fingerprint


STORED = Job(
    JobId(1024),
    UserId(7),
    JobState.CREATED,
    DefinitionId(1),
    Definition(HttpTarget("https://example.com/old", auth=BearerAuth("t")), Policy(timeout=5, delivery="at_most_once")),
    "old",
    execute_at=NOW + timedelta(hours=1),
    due_at=NOW + timedelta(hours=1),
    created_at=NOW,
    lane=None,
    priority=5,
    attempts=0,
    expires_at=NOW + timedelta(hours=2),
)


def patch(**fields: Any) -> JobEdit:
    decoded = msgspec.json.decode(msgspec.json.encode(fields), type=JobPatch)
    return parse_patch(decoded, STORED, now=NOW, max_message_bytes=LIMIT)


def test_a_patch_sets_what_it_names_and_leaves_the_rest() -> None:
    assert patch(message="new") == JobEdit(message="new")
    assert patch(priority=0) == JobEdit(priority=0)
    assert patch(delay="90m") == JobEdit(execute_at=NOW + timedelta(minutes=90))
    assert patch(execute_at="2026-03-01T01:00:00Z") == JobEdit(execute_at=datetime(2026, 3, 1, 1, tzinfo=UTC))
    assert patch(expires_at=None) == JobEdit(expires_at=None)
    assert patch(expires_at=None, delay="3h") == JobEdit(expires_at=None, execute_at=NOW + timedelta(hours=3))
    assert patch(expires_at="2027-01-01T00:00:00Z") == JobEdit(expires_at=datetime(2027, 1, 1, tzinfo=UTC))


def test_a_patch_of_a_traced_job_checks_its_message_without_the_trace() -> None:
    workflow = stored_message({"name": "w", "steps": [{"ref": "a", "message": "x"}]})
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    traced = msgspec.structs.replace(
        STORED, definition=Definition(CREATES_WORKFLOW), message=with_trace(workflow, parent)
    )
    assert parse_patch(JobPatch(priority=1), traced, now=NOW, max_message_bytes=LIMIT) == JobEdit(priority=1)


def test_a_patch_of_the_target_keeps_the_policy_and_the_other_way_round() -> None:
    to_log = patch(target={"kind": "log"})
    assert to_log.definition == Definition(LogTarget(), STORED.definition.policy)
    slower = patch(timeout=30, retry=False)
    assert slower.definition == Definition(
        STORED.definition.target, Policy(timeout=30, delivery="at_most_once", retry=Retry(max_attempts=1))
    )
    assert patch(timeout=5, message="m").definition is None


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"priority": None},
        {"ordering_key": "a"},
        {"delay": "3h"},
        {"expires_at": "2026-03-01T12:30:00Z"},
        {"delay": 1, "execute_at": "2026-03-02T09:00:00Z"},
        {"execute_at": "2201-01-01T00:00:00Z"},
        {"message": "a\0"},
        {"message": "x" * (LIMIT + 1)},
        {"target": {"kind": "http", "url": "nowhere at all"}},
    ],
)
def test_a_patch_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((DuetimeError, msgspec.ValidationError)):
        patch(**fields)


_anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.fixed_dictionaries({"message": st.text()}, optional=dict.fromkeys(JobBody.__struct_fields__[1:], _anything)))
def test_whatever_is_sent_is_taken_or_refused_in_our_words(fields: dict[str, Any]) -> None:
    try:
        job = parse("key", **fields)
    except (DuetimeError, msgspec.ValidationError):
        return
    assert job.execute_at.tzinfo is UTC
    assert "\0" not in job.message + (job.lane or "")


def test_the_jobs_of_one_request_share_what_repeats() -> None:
    """Equal targets become one definition, however often they are spelled out; a target of `log` is the plain one."""
    parser = JobParser(UserId(7), NOW, LIMIT)
    calls = [parser.parse(body(target=HttpTarget("https://example.org/a"), delay="5s")) for _ in range(2)]
    other = parser.parse(body(target=HttpTarget("https://example.org/b"), delay=5))
    assert calls[0].definition is calls[1].definition
    assert other.definition.target == HttpTarget("https://example.org/b")
    assert {calls[0].execute_at, other.execute_at} == {NOW + timedelta(seconds=5)}
    assert parser.parse(body(target=LogTarget())).definition is PLAIN
