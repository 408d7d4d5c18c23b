"""Parsing schedules that clients sent, and showing them again as they were."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from duetime.api.schedules.bodies import ScheduleBody, SchedulePatch
from duetime.api.schedules.parse import as_body, differences, parse_schedule, patched
from duetime.api.schedules.views import schedule_view
from duetime.model.errors import Invalid, TooLarge
from duetime.model.ids import UserId
from duetime.model.message import stored_message
from duetime.model.policy import ClosedOn, Hours
from duetime.model.schedule import Misfire, Schedule, ScheduleContent
from duetime.timing.spec import Timing, compile_timing

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_timeout_above_the_longest_is_refused() -> None:
    body = ScheduleBody(name="n", every="1h", message="m", timeout="61s")
    with pytest.raises(Invalid, match="at most 60 s"):
        parse_schedule(body, user_id=1, now=NOW, max_message_bytes=1000, max_timeout=60.0)


def parse(**fields: Any) -> ScheduleContent:
    body = msgspec.json.decode(msgspec.json.encode({"name": "s", **fields}), type=ScheduleBody)
    return parse_schedule(body, user_id=1, now=NOW, max_message_bytes=1000)


def patch(**fields: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(fields), type=SchedulePatch)


FULL = {
    "cron": ["0 1 * * *", "0 2 * * *"],
    "every": "15m",
    "at": ["2030-01-01T00:00:00+02:00"],
    "zone": "Europe/Riga",
    "dst_policy": "shift",
    "window": "MON-FRI 09:00-17:00",
    "window_policy": "skip",
    "jitter": 30,
    "start": "2026-02-01T00:00:00Z",
    "max_occurrences": 7,
    "misfire": {"policy": "fire_all", "max_count": 5},
    "overlap": "queue",
    "message": "{{nominal}}",
    "target": {"kind": "http", "url": "https://example.com/a", "headers": {"Authorization": "secret"}},
    "priority": 9,
    "timeout": "10s",
    "expires_after": "1h",
    "retry": False,
    "labels": {"a": "b"},
    "requires": {"zone": "eu"},
}


def test_everything_that_is_said_is_kept_and_comes_back_the_same() -> None:
    content = parse(**FULL)
    assert content.timing.at == (datetime(2029, 12, 31, 22, tzinfo=UTC),)
    assert content.misfire == Misfire(policy="fire_all", max_count=5)
    assert content.expires_after == 3600.0
    again = parse_schedule(as_body(content), user_id=1, now=NOW, max_message_bytes=1000)
    assert again == content
    assert differences(content, again) == []


def test_a_window_binds_retries_too_and_an_own_queue_goes_on_after_a_failure() -> None:
    content = parse(**FULL)
    assert content.definition.policy.hours == Hours("MON-FRI 09:00-17:00", "Europe/Riga")
    assert content.definition.policy.on_failure == "skip"
    assert parse(cron="* * * * *", overlap="queue", ordering_key="k").definition.policy.on_failure == "block"


def test_hours_without_a_window_are_refused() -> None:
    """They would bind retries alone, and first attempts would start outside them."""
    with pytest.raises(Invalid, match="give a 'window'") as caught:
        parse(cron="0 * * * *", hours=Hours("MON-FRI 09:00-17:00", "UTC"))
    assert caught.value.details["field"] == "hours"
    own = parse(cron="0 * * * *", window="08:00-18:00", hours=Hours("09:00-17:00", "UTC"))
    assert (own.timing.window, own.definition.policy.hours) == ("08:00-18:00", Hours("09:00-17:00", "UTC"))


def test_a_calendar_binds_retries_too_and_goes_with_the_calendar() -> None:
    content = parse(cron="0 9 * * *", calendar="holidays", zone="Europe/Riga")
    assert content.definition.policy.closed == ClosedOn("holidays", "Europe/Riga")
    assert parse(cron="0 9 * * *").definition.policy.closed is msgspec.UNSET
    moved = parse_schedule(patched(content, patch(zone="UTC")), user_id=1, now=NOW, max_message_bytes=1000)
    assert moved.definition.policy.closed == ClosedOn("holidays", "UTC")
    without = parse_schedule(patched(content, patch(calendar=None)), user_id=1, now=NOW, max_message_bytes=1000)
    assert without.definition.policy.closed is msgspec.UNSET


def test_the_dialect_is_kept_and_goes_with_the_cron() -> None:
    content = parse(cron="0 0 12 ? * 2 2030", dialect="quartz")
    assert content.timing.dialect == "quartz"
    assert as_body(content).dialect == "quartz"
    assert as_body(parse(every="1h")).dialect is None
    moved = patched(content, patch(cron=None, every="1h"))
    assert (moved.cron, moved.dialect) == (None, None)
    with pytest.raises(Invalid, match="'dialect' says how 'cron' is written"):
        parse(every="1h", dialect="quartz")


def test_a_patch_changes_what_it_names_and_takes_away_with_null() -> None:
    content = parse(**FULL)

    def after(**fields: Any) -> Any:
        return parse_schedule(patched(content, patch(**fields)), user_id=1, now=NOW, max_message_bytes=1000)

    changed = after(cron="0 3 * * *", every=None, at=None, misfire="skip", window=None)
    assert (changed.timing.cron, changed.timing.every, changed.timing.at) == ("0 3 * * *", None, None)
    assert changed.misfire == Misfire(policy="skip")
    assert changed.definition.policy.hours is None
    assert changed.definition.target == content.definition.target
    differing = {field: (before, after) for field, before, after in differences(content, changed)}
    assert set(differing) == {"cron", "every", "at", "misfire", "window", "window_policy"}
    assert differing["cron"] == (as_body(content).cron, as_body(changed).cron)
    with pytest.raises(Invalid, match="nothing to change"):
        after()
    assert after(message=None).message == stored_message(None)
    with pytest.raises(msgspec.ValidationError):
        after(name=None)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "a\0b"}, "name"),
        ({"expires_after": 0}, "expires_after"),
        ({"start": "2500-01-01T00:00:00Z"}, "start"),
        ({"jitter": "soon"}, "jitter"),
        ({"every": "soon"}, "every"),
        ({"every": 0.5}, "every"),
        ({"cron": "61 * * * *"}, "cron"),
        ({"rrule": "FREQ=NEVER"}, "rrule"),
        ({"window": "always"}, "window"),
        ({"zone": "Mars/Olympus"}, "zone"),
        ({"cron": None, "every": "1h", "zone": "Mars/Olympus"}, "zone"),
        ({"calendar": "none"}, "calendar"),
        ({"anchor": "2026-01-01T00:00:00Z"}, "anchor"),
        ({"window_policy": "skip"}, "window_policy"),
        ({"window_policy": "move"}, "window_policy"),
        ({"cron": None, "every": "1h", "dst_policy": "shift"}, "dst_policy"),
        ({"cron": None, "at": ["2030-01-01T00:00:00Z"], "dst_policy": "shift"}, "dst_policy"),
        ({"cron": ["@every 90s", " @EVERY 1h"], "dst_policy": "vixie"}, "dst_policy"),
        ({"on_failure": "skip"}, "on_failure"),
        ({"on_failure": "skip", "overlap": "allow"}, "on_failure"),
        ({"misfire": {"grace": 5}}, "misfire.grace"),
        ({"misfire": {"policy": "fire_all", "grace": 5}}, "misfire.grace"),
        ({"misfire": {"policy": "skip", "max_count": 5}}, "misfire.max_count"),
        ({"misfire": {"max_age": 5}}, "misfire.max_age"),
        ({"message": "x\0"}, "message"),
        ({"target": {"kind": "http", "url": "gopher://x"}}, None),
        ({"target": {"kind": "http", "url": "https://a.example", "headers": {"Cookie": "(hidden)"}}}, None),
    ],
)
def test_what_is_wrong_is_said(fields: dict[str, object], field: str | None) -> None:
    with pytest.raises(Invalid) as refused:
        compile_timing(parse(**{"cron": "* * * * *"} | fields).timing, "")
    assert field is None or refused.value.details["field"] == field


@pytest.mark.parametrize(
    "fields",
    [
        {"cron": ["@every 90s", "0 1 * * *"], "dst_policy": "shift"},
        {"every": "1h", "rrule": "FREQ=DAILY", "dst_policy": "literal"},
        {"every": "1h", "window": "09:00-17:00", "window_policy": "move"},
        {"every": "1h", "overlap": "queue", "on_failure": "block"},
        {"every": "1h", "ordering_key": "k", "on_failure": "skip"},
        {"every": "1h", "misfire": {"policy": "skip", "grace": 5}},
        {"every": "1h", "delivery": "at_most_once"},
        {"every": "1h"},
    ],
)
def test_what_is_shown_is_taken_again(fields: dict[str, object]) -> None:
    content = parse(**fields)
    shown = schedule_view(
        Schedule(7, UserId(1), content, 1, "active", 1, 0, None, None, None, None, None, NOW, NOW, NOW)
    )
    sent = {name: value for name, value in msgspec.to_builtins(shown).items() if name in ScheduleBody.__struct_fields__}
    assert parse(**sent) == content
    assert parse_schedule(patched(content, patch(**sent)), user_id=1, now=NOW, max_message_bytes=1000) == content


def test_what_counts_only_beside_another_thing_goes_with_it() -> None:
    def after(before: dict[str, object], **fields: Any) -> ScheduleContent:
        return parse_schedule(patched(parse(**before), patch(**fields)), user_id=1, now=NOW, max_message_bytes=1000)

    nightly = {"cron": "0 1 * * *", "dst_policy": "shift", "zone": "Europe/Riga"}
    assert after(nightly, cron=None, every="1h").timing == Timing(every="1h", zone="Europe/Riga")
    assert after({"every": "1h", "anchor": "2026-01-01T00:00:00Z"}, every=None, cron="0 1 * * *").timing.anchor is None
    windowed = {"every": "1h", "window": "09:00-17:00", "window_policy": "skip"}
    assert after(windowed, window=None).timing == Timing(every="1h")
    assert after(windowed, window="10:00-12:00").timing.window_policy == "skip"
    queue = {"every": "1h", "overlap": "queue"}
    assert after(queue, overlap="skip").definition.policy.on_failure == "block"
    assert after({"every": "1h"}, overlap="queue").definition.policy.on_failure == "skip", "as when it is created so"
    for wrong in ({"dst_policy": "shift"}, {"window_policy": "skip"}, {"on_failure": "skip"}):
        with pytest.raises(Invalid) as refused:
            after({"every": "1h"}, **wrong)
        assert refused.value.details["field"] in wrong


def test_long_messages_are_refused() -> None:
    with pytest.raises(TooLarge):
        parse(cron="* * * * *", message="x" * 1001)


@pytest.mark.parametrize("fields", [{"cron": "x" * 300}, {"crons": "* * * * *"}, {"misfire": "never"}, {"at": []}])
def test_what_does_not_fit_is_refused_before(fields: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        parse(**fields)
