"""Mistakes that released libraries have made, each as a test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from duetime.timing import DST_POLICIES, Cron, DstPolicy

NEW_YORK = "America/New_York"
SECOND_PASS = datetime(2026, 11, 1, 6, tzinfo=UTC)


@pytest.mark.parametrize("policy", DST_POLICIES)
@pytest.mark.parametrize("expression", ["30 1 * * *", "*/5 * * * *", "0 0 * * *", "59 1 * * *", "*/5 1 * * *"])
def test_from_inside_the_repeated_hour_the_answer_is_never_in_the_past(expression: str, policy: DstPolicy) -> None:
    cron = Cron.parse(expression, zone=NEW_YORK, dst=policy)
    for second in range(-3600, 7200, 97):
        now = SECOND_PASS + timedelta(seconds=second)
        for asked in (now, now.astimezone(ZoneInfo(NEW_YORK)), now.astimezone(ZoneInfo("Asia/Kathmandu"))):
            following = cron.next_after(asked)
            assert following is not None
            assert following > now
            previous = cron.prev_before(asked)
            assert previous is not None
            assert previous < now


@pytest.mark.parametrize("policy", DST_POLICIES)
def test_nothing_loops_there(policy: DstPolicy) -> None:
    cron = Cron.parse("*/10 1 * * *", zone=NEW_YORK, dst=policy)
    now, seen = SECOND_PASS - timedelta(hours=2), []
    for _ in range(30):
        following = cron.next_after(now)
        assert following is not None
        seen.append(following)
        now = following
    assert seen == sorted(set(seen))
    assert seen[-1] > SECOND_PASS + timedelta(days=1)


def test_a_daily_job_does_not_run_twice_in_autumn() -> None:
    for policy in ("vixie", "skip_once", "shift"):
        cron = Cron.parse("30 1 * * *", zone=NEW_YORK, dst=policy)
        start = datetime(2026, 10, 25, tzinfo=UTC)
        days = []
        for _ in range(14):
            following = cron.next_after(start)
            assert following is not None
            days.append(following.astimezone(ZoneInfo(NEW_YORK)).date())
            start = following
        assert len(set(days)) == 14


def test_no_run_is_dropped_on_lord_howe() -> None:
    cron = Cron.parse("45 * * * *", zone="Australia/Lord_Howe")
    now = datetime(2026, 10, 3, 12, tzinfo=UTC)
    found = []
    for _ in range(6):
        following = cron.next_after(now)
        assert following is not None
        found.append(following.astimezone(ZoneInfo("Australia/Lord_Howe")).strftime("%H:%M"))
        now = following
    assert found == ["22:45", "23:45", "00:45", "01:45", "02:45", "03:45"]


@pytest.mark.parametrize("zone", [NEW_YORK, "Europe/Riga", "America/Sao_Paulo", "Asia/Beirut", "Antarctica/Troll"])
@pytest.mark.parametrize("expression", ["0 12 * * *", "30 0 * * *", "30 2 * * *", "55 23 * * *"])
def test_no_day_is_skipped_by_adding_a_day_across_a_change(zone: str, expression: str) -> None:
    cron = Cron.parse(expression, zone=zone)
    now = datetime(2016, 1, 1, tzinfo=UTC)
    found = []
    for _ in range(3 * 365):
        following = cron.next_after(now)
        assert following is not None
        found.append(following)
        now = following
    gaps = {after - before for before, after in pairwise(found)}
    assert all(timedelta(hours=21) <= gap <= timedelta(hours=27) for gap in gaps), gaps


def test_a_question_just_before_and_at_a_due_instant() -> None:
    cron = Cron.parse("30 1 * * *", zone=NEW_YORK)
    due = datetime(2026, 6, 1, 5, 30, tzinfo=UTC)
    tick = timedelta(microseconds=1)
    assert cron.next_after(due - tick) == due
    assert cron.next_after(due) == due + timedelta(days=1)
    assert cron.prev_before(due + tick) == due
    assert cron.prev_before(due) == due - timedelta(days=1)
