"""Strategies: expressions of the whole dialect, zones, policies, and instants near clock changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

from hypothesis import assume
from hypothesis import strategies as st

from duetime.timing import DST_POLICIES, Cron, CronError, zone_table
from properties.timing.oracle import MONTHS, WEEK
from properties.timing.stretches import SINCE, UNTIL, ZONES, Change

NAMED = (
    "UTC",
    "America/New_York",
    "Europe/Riga",
    "Europe/Dublin",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "Asia/Amman",
    "America/Santiago",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Antarctica/Troll",
    "Antarctica/Casey",
    "Asia/Kathmandu",
    "America/St_Johns",
    "America/Nuuk",
    "Pacific/Chatham",
)

zones = st.one_of(st.sampled_from(NAMED), st.sampled_from(ZONES))
policies = st.sampled_from(DST_POLICIES)


def _items(low: int, high: int, names: list[str] | None = None) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high).map(str)
    value = st.one_of(numbers, st.sampled_from(names)) if names else numbers
    span = st.builds("{}-{}".format, value, value)
    step = st.integers(1, min(high - low + 1, 7 if names is WEEK else 60))
    return st.one_of(value, span, st.builds("{}/{}".format, st.one_of(st.just("*"), value, span), step))


def _field(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.lists(items, min_size=1, max_size=3).map(",".join)
    return st.one_of(st.just("*"), items, lists)


_day_marks = st.one_of(
    st.sampled_from(["L", "LW"]), st.integers(0, 12).map("L-{}".format), st.integers(1, 31).map("{}W".format)
)
_week_marks = st.one_of(
    st.builds("{}#{}".format, st.sampled_from([*WEEK, "0", "7"]), st.integers(1, 5)),
    st.sampled_from([*WEEK, *"01234567"]).map("{}L".format),
)
minutes, hours = _field(_items(0, 59)), _field(_items(0, 23))
days = st.one_of(st.just("*"), _field(st.one_of(_items(1, 31), _day_marks)))
months = st.one_of(st.just("*"), _field(_items(1, 12, MONTHS)))
weekdays = st.one_of(st.just("*"), _field(st.one_of(_items(0, 7, WEEK), _week_marks)))

five_fields = st.builds("{} {} {} {} {}".format, minutes, hours, days, months, weekdays)
daily = st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(0, 23))
near_midnight = st.builds("{} {} * * *".format, minutes, st.sampled_from(["0", "0-3", "22-2", "1,2,3", "23"]))
minutely = st.one_of(five_fields, daily, near_midnight)
secondly = st.builds("{} {}".format, minutes, minutely)


@cache
def changes_of(zone: str) -> list[Change]:
    """The instants at which a zone's clocks change. Another test compares the tables with the database."""
    return [Change(one.begin, one.before, one.offset) for one in zone_table(zone).changes(SINCE, UNTIL)]


@st.composite
def instants(draw: st.DrawFn, zone: str) -> datetime:
    """An instant, mostly near a change of the zone's clocks, often not on a whole second."""
    known = changes_of(zone)
    if known and draw(st.integers(0, 3)):
        seconds = draw(st.sampled_from(known)).seconds + draw(st.integers(-5 * 3600, 5 * 3600))
    else:
        seconds = draw(st.integers(946_684_800, 2_145_916_800))
    exact = datetime.fromtimestamp(seconds, UTC).replace(second=0)
    return exact + draw(
        st.sampled_from([timedelta(0), timedelta(seconds=29, microseconds=1), timedelta(microseconds=999_999)])
    )


def parsed(expression: str, zone: str, policy: str) -> Cron:
    """A cron expression that is due at some time."""
    try:
        return Cron.parse(expression, zone=zone, dst=policy)  # type: ignore[arg-type]
    except CronError as error:
        assume("never due" not in error.message)
        raise
