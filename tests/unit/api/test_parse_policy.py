"""Parsing a job's policy: limits, hours, breakers and retries."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.api.jobs.bodies import JobBody, JobPatch
from duetime.api.jobs.parse import JobParser, parse_patch
from duetime.api.jobs.policy import check_hours, check_limit
from duetime.api.jobs.retry import FAILURES
from duetime.model.definition import Definition
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.job import Job
from duetime.model.policy import Hours, Limit, Policy, Retry
from duetime.model.states import JobState
from duetime.model.targets.log import LogTarget
from duetime.timing.windows import Window

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OFFICE = Hours("MON-FRI 09:00-17:00", "Europe/Riga")


def policy(**fields: Any) -> Policy:
    body = msgspec.json.decode(msgspec.json.encode({"message": "hi"} | fields), type=JobBody)
    return JobParser(UserId(7), NOW, 1000).parse(body).definition.policy


def refused(**fields: Any) -> Invalid:
    with pytest.raises(Invalid) as caught:
        policy(**fields)
    assert caught.value.message.endswith((".", "?"))
    return caught.value


def test_limits_hours_and_breaker_arrive() -> None:
    found = policy(
        limit={"max_concurrency": 3, "rate": 2.5, "per": "minute", "burst": 10},
        hours={"window": OFFICE.window, "zone": OFFICE.zone},
        breaker=False,
    )
    assert found == Policy(limit=Limit(3, 2.5, "minute", 10), hours=OFFICE, breaker=False)
    assert policy(hours={"window": "09:00-17:00"}).hours == Hours("09:00-17:00", "UTC")
    assert policy(breaker=True) == Policy()


@pytest.mark.parametrize(
    ("limit", "field"),
    [
        ({}, "limit"),
        ({"per": "minute"}, "limit"),
        ({"max_concurrency": 1, "burst": 2}, "limit.burst"),
        ({"max_concurrency": 1, "per": "minute"}, "limit.per"),
        ({"rate": 1e-7}, "limit.rate"),
        ({"rate": 1e7}, "limit.rate"),
        ({"rate": 1, "burst": 10**7}, "limit.burst"),
        ({"max_concurrency": 10**7}, "limit.max_concurrency"),
    ],
)
def test_a_limit_that_limits_nothing_or_cannot_be_kept_is_refused(limit: Any, field: str) -> None:
    assert refused(limit=limit).details["field"] == field


@pytest.mark.parametrize("limit", [{"max_concurrency": 0}, {"rate": 0}, {"rate": -1}, {"rate": 1, "per": "day"}])
def test_a_limit_of_nothing_does_not_fit(limit: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        policy(limit=limit)


@given(st.builds(Limit, max_concurrency=st.none() | st.integers(1), rate=st.none() | st.floats(0, exclude_min=True)))
def test_whatever_limit_is_taken_can_be_metered(limit: Limit) -> None:
    try:
        taken = check_limit("limit", limit)
    except Invalid:
        return
    assert taken is not None
    # The longest wait for one token must be an instant that exists.
    assert taken.rate is None or 3600 / taken.rate < 200 * 366 * 86_400


@pytest.mark.parametrize(
    ("hours", "field", "words"),
    [
        ({"window": "MON-FRI 9-17"}, "hours.window", "write"),
        ({"window": "FOO 09:00-17:00"}, "hours.window", "MON to SUN"),
        ({"window": "09:00-09:00"}, "hours.window", "00:00-24:00"),
        ({"window": "09:00-17:00", "zone": "Europe/Rga"}, "hours.zone", "Europe/Riga"),
        ({"window": "09:00-17:00", "zone": "a\0b"}, "hours.zone", "no time zone"),
    ],
)
def test_hours_that_cannot_be_read_are_refused_with_what_would_be_right(hours: Any, field: str, words: str) -> None:
    error = refused(hours=hours)
    assert error.details["field"] == field
    assert words in error.message


@given(st.text(max_size=40), st.sampled_from(["UTC", "Europe/Riga", "Nowhere"]))
def test_whatever_hours_are_taken_open_some_time(window: str, zone: str) -> None:
    try:
        taken = check_hours(Hours(window, zone))
    except DuetimeError:
        return
    assert taken is not None
    assert Window.parse(taken.window, zone=taken.zone).next_opening(NOW) is not None


@pytest.mark.parametrize("pattern", [*FAILURES, "http_503", "http_429", "http_4xx", "http_5xx"])
def test_failures_that_exist_can_be_named(pattern: str) -> None:
    if pattern != "refused":
        assert policy(retry={"retry_on": [pattern]}).retry.retry_on == (pattern,)
    assert policy(retry={"give_up_on": [pattern]}).retry.give_up_on == (pattern,)


@pytest.mark.parametrize(
    "pattern", ["", "time-out", "http_", "http_4", "http_4x", "http_600", "http_xxx", "503", "HTTP_503", "x" * 500, "é"]
)
def test_failures_that_do_not_exist_are_refused_with_those_that_do(pattern: str) -> None:
    for field in ("retry_on", "give_up_on"):
        error = refused(retry={field: ["timeout", pattern]})
        assert error.details["field"] == f"retry.{field}"
        assert "connection" in error.message
        assert len(error.message) < 400


def test_a_misspelled_failure_is_recognised() -> None:
    assert "did you mean 'timeout'?" in refused(retry={"retry_on": ["timeuot"]}).message


@pytest.mark.parametrize(
    ("retry", "field"),
    [
        ({"backoff": "fixed", "factor": 3}, "factor"),
        ({"backoff": "linear", "factor": 3}, "factor"),
        ({"delays": [1], "backoff": "fixed"}, "backoff"),
        ({"delays": [1], "base": 5}, "base"),
        ({"delays": [1], "factor": 3}, "factor"),
        ({"delays": [1], "jitter": "none"}, "jitter"),
        ({"delays": []}, "delays"),
        ({"delays": [1, 2, 3, 4, 5]}, "delays"),
        ({"max_attempts": 2, "delays": [1, 2]}, "delays"),
        ({"max_attempts": 1, "base": 5}, "base"),
        ({"max_attempts": 1, "delays": [1]}, "delays"),
        ({"max_attempts": 1, "cap": 5}, "cap"),
        ({"max_attempts": 1, "retry_on": ["timeout"]}, "retry_on"),
        ({"max_attempts": 1, "give_up_on": ["crash", "timeout"]}, "give_up_on"),
    ],
)
def test_what_would_never_come_to_count_in_a_retry_is_refused(retry: Any, field: str) -> None:
    assert refused(retry=retry).details["field"] == f"retry.{field}"


@pytest.mark.parametrize(
    "retry",
    [
        Retry(),
        Retry(max_attempts=1),
        Retry(max_attempts=1, deadline=60, give_up_on=("crash",)),
        Retry(backoff="fixed", base=5, cap=60, jitter="none"),
        Retry(factor=3),
        Retry(delays=(1, 2, 3, 4), cap=60),
        Retry(max_attempts=9, delays=(1,), retry_on=("timeout",)),
    ],
)
def test_a_retry_that_counts_is_taken_and_what_is_shown_of_it_too(retry: Retry) -> None:
    assert policy(retry=msgspec.to_builtins(retry)).retry == retry


def test_at_most_once_goes_without_retries() -> None:
    for retry in ({"max_attempts": 3}, {"deadline": 60}, {"max_attempts": 1, "give_up_on": ["crash"]}):
        assert refused(delivery="at_most_once", retry=retry).details["field"] == "retry"
    assert policy(delivery="at_most_once", retry=False) == Policy(delivery="at_most_once", retry=Retry(max_attempts=1))
    shown = msgspec.to_builtins(policy(delivery="at_most_once").retry)
    assert policy(delivery="at_most_once", retry=shown) == Policy(delivery="at_most_once")
    before = msgspec.structs.replace(LIMITED, definition=Definition(policy=Policy(retry=Retry(max_attempts=3))))
    with pytest.raises(Invalid, match="leave 'retry' out"):
        parse_patch(JobPatch(delivery="at_most_once"), before, now=NOW, max_message_bytes=1000)
    once = parse_patch(JobPatch(delivery="at_most_once", retry=False), before, now=NOW, max_message_bytes=1000)
    assert once.definition == Definition(policy=Policy(delivery="at_most_once", retry=Retry(max_attempts=1)))


LIMITED = Job(
    JobId(1024),
    UserId(7),
    JobState.CREATED,
    DefinitionId(1),
    Definition(LogTarget(), Policy(limit=Limit(3), hours=OFFICE, breaker=False)),
    "m",
    execute_at=NOW,
    due_at=NOW,
    created_at=NOW,
    lane=None,
    priority=5,
    attempts=0,
)


def patched(**fields: Any) -> Policy | None:
    decoded = msgspec.json.decode(msgspec.json.encode(fields), type=JobPatch)
    definition = parse_patch(decoded, LIMITED, now=NOW, max_message_bytes=1000).definition
    return None if definition is None else definition.policy


def test_a_patch_changes_limits_and_hours_and_null_takes_them_away() -> None:
    before = LIMITED.definition.policy
    assert patched(limit={"rate": 1}) == msgspec.structs.replace(before, limit=Limit(rate=1))
    assert patched(limit=None) == msgspec.structs.replace(before, limit=None)
    assert patched(hours=None) == msgspec.structs.replace(before, hours=None)
    assert patched(hours={"window": "SAT 10:00-11:00"}) == msgspec.structs.replace(
        before, hours=Hours("SAT 10:00-11:00")
    )
    assert patched(breaker=True) == msgspec.structs.replace(before, breaker=True)
    assert patched(limit={"max_concurrency": 3}, message="other") is None
    with pytest.raises(Invalid):
        patched(limit={})
    with pytest.raises(msgspec.ValidationError):
        patched(breaker=None)


def test_required_labels_arrive_and_none_of_them_leaves_no_trace() -> None:
    assert policy(requires={"zone": "eu"}) == Policy(requires={"zone": "eu"})
    assert policy(requires={}) == policy(requires=None) == Policy()
    assert refused(requires={"zone": "\0"}).details["field"] == "requires"
    plain = LIMITED.definition.policy
    labelled = patched(requires={"gpu": "yes"})
    assert labelled == msgspec.structs.replace(plain, requires={"gpu": "yes"})
    assert patched(requires=None) is patched(requires={}) is None, "it requires nothing as it is"
