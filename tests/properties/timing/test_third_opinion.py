"""Two other libraries on plain expressions, where their rules equal ours.

Left out, each for a reason that the oracle confirms:
- wrapping ranges, marks, names and `H`: other dialects, or none;
- ranges of one value (`3-3`, `19-19/9`): both libraries read something else into them;
- cronsim in Australia/Lord_Howe: it steps by whole hours, and loses runs at a change of half an hour;
- cronsim with a wildcard where midnight is in a gap: it goes by a midnight that does not exist;
- cronsim from inside the hour that comes twice: it may answer with an instant in the past;
- croniter in zones with changes: it fires wildcard jobs at a gap's end, too, and in Antarctica/Troll a
  daily job twice in autumn;
- croniter with a step in one day field and a restriction in the other: it takes either, Vixie needs both.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from properties.timing.expressions import changes_of, parsed

ZONES = ("UTC", "America/New_York", "Europe/Riga", "Europe/Dublin", "Antarctica/Troll", "Asia/Kathmandu", "Asia/Tokyo")
SETTINGS = settings(deadline=None, database=None, derandomize=True, max_examples=150)


def _plain(low: int, high: int) -> st.SearchStrategy[str]:
    spans = st.tuples(st.integers(low, high), st.integers(low, high)).filter(lambda pair: pair[0] < pair[1])
    span = spans.map(lambda pair: f"{pair[0]}-{pair[1]}")
    value = st.integers(low, high).map(str)
    step = st.integers(1, high - low)
    return st.one_of(
        st.just("*"),
        value,
        span,
        st.builds("{}/{}".format, st.just("*"), step),
        st.lists(st.one_of(value, span), min_size=1, max_size=3).map(",".join),
    )


plain = st.builds(
    "{} {} {} {} {}".format, _plain(0, 59), _plain(0, 23), _plain(1, 31), _plain(1, 12), _plain(0, 6)
)  # fmt: skip


@SETTINGS
@given(st.data(), plain, st.sampled_from(ZONES))
def test_cronsim_agrees(data: st.DataObject, expression: str, zone: str) -> None:
    cron = parsed(expression, zone, "vixie")
    changes = changes_of(zone)
    near = st.sampled_from(changes).map(lambda change: change.seconds - 26 * 3600) if changes else st.nothing()
    seconds = data.draw(st.one_of(st.integers(946_684_800, 2_000_000_000), near))
    start = datetime.fromtimestamp(seconds, UTC)
    assume(not any(change.seconds <= seconds < change.seconds + 3 * 3600 for change in changes))
    theirs: list[datetime] = []
    other = CronSim(expression, start.astimezone(ZoneInfo(zone)))
    for _ in range(25):
        following = next(other, None)
        if following is None:
            break
        # Times in a gap run once here; the library returns the same instant several times.
        if not theirs or following.astimezone(UTC) != theirs[-1]:
            theirs.append(following.astimezone(UTC))
    assert _following(cron.next_after, start, len(theirs)) == theirs


@SETTINGS
@given(st.data(), plain)
def test_croniter_agrees_in_utc(data: st.DataObject, expression: str) -> None:
    words = expression.split()
    assume(not any(word.startswith("*/") for word in (words[2], words[4])))
    cron = parsed(expression, "UTC", "vixie")
    start = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=data.draw(st.integers(0, 10**9)))
    other = croniter(expression, start)
    theirs = [other.get_next(datetime) for _ in range(10)]
    assert _following(cron.next_after, start, 10) == theirs


def _following(next_after: object, start: datetime, count: int) -> list[datetime]:
    found: list[datetime] = []
    for _ in range(count):
        start = next_after(start)  # type: ignore[operator]
        found.append(start)
    return found
