"""`plan` against a slow model: every instant launched once or skipped with a reason, in order, whatever is late."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from duetime.engine.recurring import plan as occurrence
from duetime.engine.recurring.plan import CHUNK, ScheduleProgress, plan
from duetime.model.schedule import Misfire
from duetime.timing.calendars import Calendar
from duetime.timing.spec import Timing, compile_timing
from duetime.timing.timetable import Occurrence, Timetable

START = datetime(2026, 3, 27, tzinfo=UTC)
CALENDAR = Calendar("c", (date(2026, 3, 28), date(2026, 3, 30)))

TIMINGS = st.sampled_from(
    [
        Timing(cron="*/15 * * * *"),
        Timing(cron="30 2 * * *", zone="Europe/Riga"),
        Timing(cron="*/20 * * * *", zone="Europe/Riga", calendar="c"),
        Timing(cron="*/30 * * * *", window="MON-FRI 09:00-17:00", window_policy="skip"),
        Timing(cron="0 */3 * * *", window="MON-FRI 09:00-17:00", window_policy="move"),
        Timing(every="7m", jitter="20m"),
        Timing(cron="0 * * * *", calendar="c", window="00:00-12:00", window_policy="skip", jitter="10m"),
        Timing(at=tuple(START + timedelta(hours=n * n) for n in range(1, 12))),
        Timing(cron="*/10 * * * *", end=START + timedelta(days=2)),
    ]
)
MISFIRES = st.builds(
    Misfire,
    policy=st.sampled_from(["fire_once", "fire_all", "skip"]),
    grace=st.sampled_from([0.0, 60.0, 7200.0]),
    max_count=st.integers(1, 30),
    max_age=st.sampled_from([60.0, 3600.0, 86_400.0]),
)
GAPS = st.lists(st.timedeltas(timedelta(0), timedelta(hours=30)), min_size=1, max_size=12)
CHUNKS = st.sampled_from([1, 2, 7, 40, CHUNK])
OFFICE = Timing(cron="* * * * *", window="MON 09:00-10:00", window_policy="skip")
"""Ten thousand instants a week, of which sixty run."""
WEEKS = [timedelta(days=12)]


def wanted(timetable: Timetable, pending: Occurrence, now: datetime, misfire: Misfire) -> list[datetime]:
    """What is to be launched of all that has come due, seen at one glance."""
    running: list[Occurrence] = []
    for one in timetable.between(pending.nominal - timedelta(microseconds=1), now):
        if one.run_at is not None and one.run_at > now:
            break
        if one.run_at is not None:
            running.append(one)
    if misfire.policy == "fire_all":
        kept = [one for one in running[-misfire.max_count :] if now - one.run_at <= timedelta(seconds=misfire.max_age)]
    else:
        kept = running[-1:]
        if misfire.policy == "skip" and now - kept[0].run_at > timedelta(seconds=misfire.grace):
            kept = []
    return [one.nominal for one in kept]


@settings(max_examples=300, deadline=None)
@given(
    TIMINGS,
    MISFIRES,
    GAPS,
    st.sampled_from(["skip", "allow"]),
    st.lists(st.booleans(), min_size=1, max_size=5),
    CHUNKS,
)
@example(OFFICE, Misfire(policy="fire_all", max_count=90, max_age=31_536_000.0), WEEKS, "allow", [False], CHUNK)
@example(OFFICE, Misfire(policy="fire_all", max_count=1000, max_age=7 * 86_400.0), WEEKS, "allow", [False], CHUNK)
@example(OFFICE, Misfire(policy="fire_all", max_count=1, max_age=31_536_000.0), WEEKS, "allow", [False], CHUNK)
@example(OFFICE, Misfire(), WEEKS, "allow", [False], CHUNK)
@example(OFFICE, Misfire(policy="skip", grace=31_536_000.0), WEEKS, "allow", [False], CHUNK)
@example(OFFICE, Misfire(policy="skip", grace=60.0), WEEKS, "allow", [False], CHUNK)
def test_every_instant_is_accounted_for_once(
    timing: Timing, misfire: Misfire, gaps: list[timedelta], overlap: str, busy: list[bool], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(occurrence, "CHUNK", chunk)
        walk(timing, misfire, gaps, overlap, busy)


def walk(timing: Timing, misfire: Misfire, gaps: list[timedelta], overlap: str, busy: list[bool]) -> None:
    timetable = compile_timing(timing, "1:x", CALENDAR if timing.calendar else None)
    leaves_out = timing.calendar is not None or timing.window is not None
    pending = timetable.next_after(START)
    assert pending is not None
    assert pending.run_at is not None
    accounted, judged, occurrences, now = None, None, 0, START
    launched: list[tuple[datetime, datetime, datetime]] = []
    skipped: Counter[str] = Counter()
    last: datetime | None = None
    turn = 0
    for gap in gaps:
        now += gap
        before = len(launched)
        due = pending is not None and pending.run_at <= now
        to_launch = wanted(timetable, pending, now, misfire) if due else []
        for _ in range(5000):
            if pending is None or pending.run_at > now:
                break
            turn += 1
            made = plan(
                timetable,
                ScheduleProgress(
                    nominal=pending.nominal,
                    due=pending.run_at,
                    effective_from=START,
                    accounted_until=accounted,
                    judged_until=judged,
                    occurrences=occurrences,
                    overlapping=int(busy[turn % len(busy)]),
                ),
                now,
                misfire=misfire,
                overlap=overlap,
                max_occurrences=None,
                leaves_out=leaves_out,
            )
            for skip in made.skips:
                assert skip.count is not None
                assert skip.first <= skip.last <= now
                skipped[skip.reason] += skip.count
            if made.launch is not None:
                assert made.launch.run_at <= now
                launched.append((made.launch.nominal, made.launch.run_at, now))
                occurrences += 1
            assert last is None or made.accounted_until > last
            assert made.next is None or made.next.nominal > made.accounted_until
            last = accounted = made.accounted_until
            pending, judged = made.next, made.judged_until
        else:
            raise AssertionError("no end to what is due")
        if overlap == "allow":
            assert [nominal for nominal, _, _ in launched[before:]] == to_launch
    _compare(timetable, accounted, launched, skipped, misfire, overlap)


def _compare(timetable, accounted, launched, skipped, misfire, overlap) -> None:
    model = [] if accounted is None else list(timetable.between(START, accounted))
    running = [one.nominal for one in model if one.run_at is not None]
    nominals = [nominal for nominal, _, _ in launched]
    assert nominals == sorted(set(nominals))
    assert set(nominals) <= set(running)
    assert len(launched) + skipped.total() == len(model)
    left_out = Counter(
        "calendar" if "excluded_by_calendar" in one.flags else "window" for one in model if one.run_at is None
    )
    by_kind: Counter[str] = Counter()
    for reason, count in skipped.items():
        by_kind[reason.partition(":")[0]] += count
    assert by_kind["calendar"] == left_out["calendar"]
    assert by_kind["window"] == left_out["window"]
    assert by_kind["misfire"] + by_kind["overlap"] + len(launched) == len(running)
    assert overlap == "skip" or not by_kind["overlap"]
    if misfire.policy == "skip":
        assert all(now - run_at <= timedelta(seconds=misfire.grace) for _, run_at, now in launched)
    if misfire.policy == "fire_all" and overlap == "allow":
        for instant in {now for _, _, now in launched}:
            assert sum(now == instant for _, _, now in launched) <= misfire.max_count
            assert all(
                instant - run_at <= timedelta(seconds=misfire.max_age) for _, run_at, now in launched if now == instant
            )


def test_a_minute_of_lateness_is_no_reason_to_skip_by_default() -> None:
    timetable = compile_timing(Timing(cron="0 * * * *"), "1:x")
    hour = START + timedelta(hours=1)
    for late in (timedelta(0), timedelta(minutes=59)):
        made = plan(
            timetable,
            ScheduleProgress(nominal=hour, due=hour, effective_from=START),
            hour + late,
            misfire=Misfire(),
            overlap="skip",
            max_occurrences=None,
            leaves_out=False,
        )
        assert (made.launch.nominal, made.skips, made.next.nominal) == (hour, (), hour + timedelta(hours=1))
