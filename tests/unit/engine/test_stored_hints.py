"""What owners are told of stored jobs is what was stored, however it is joined and whatever lanes are called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from duetime.clock.manual import START
from duetime.coordination.hint_text import join_hints
from duetime.coordination.port import EVERYTHING
from duetime.coordination.postgres import MAX_PAYLOAD
from duetime.engine.intake.stored_hints import StoredHint, read_stored, spell_stored, spell_where
from duetime.engine.intake.wake import IN_FULL
from duetime.model.ids import MAX_ID, SHARDS, flow_of, shard_of
from duetime.store.port import JobRef

ALL, NONE = [True] * SHARDS, [False] * SHARDS
INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
USERS, DEFINITIONS = st.integers(1, 2**31 - 1), st.integers(0, 2**31 - 1)
LANES = st.none() | st.text() | st.sampled_from(["a,b", "*", "],[", '"', "\\", "\n", "\x7f", "ä,ö", "日本", "😀", ""])
REFS = st.builds(
    JobRef,
    st.integers(1, MAX_ID),
    USERS,
    st.builds(flow_of, USERS, DEFINITIONS),
    st.integers(0, 9),
    INSTANTS,
    st.integers(0, 2**15 - 1),
    LANES,
    INSTANTS,
    st.none() | st.integers(1, MAX_ID),
)
PLAIN = st.builds(
    lambda job_id, user, due: JobRef(job_id, user, flow_of(user), 5, due, 0, None, due),
    st.integers(1, MAX_ID),
    USERS,
    INSTANTS,
)
BURSTS = st.lists(REFS | PLAIN, min_size=1, max_size=30, unique=True)


def burst(refs: list[JobRef]) -> dict[str, str]:
    return {spell_stored(one): spell_where(one, START) for one in refs}


@given(BURSTS)
def test_what_is_joined_is_read_as_it_was(refs: list[JobRef]) -> None:
    assert read_stored(join_hints(burst(refs), 10**9), ALL) == StoredHint(refs, [], None)


@given(BURSTS, st.sets(st.integers(0, SHARDS - 1)))
def test_only_what_is_held_is_heard(refs: list[JobRef], mine: set[int]) -> None:
    text, held = join_hints(burst(refs), 10**9), [shard in mine for shard in range(SHARDS)]
    assert read_stored(text, held) == StoredHint([one for one in refs if shard_of(one.id) in mine], [], None)
    assert not any(read_stored(text, NONE) or ())


@given(BURSTS, st.integers(0, 1000))
def test_what_is_too_long_to_be_said_is_said_in_short(refs: list[JobRef], most: int) -> None:
    text = join_hints(burst(refs), most)
    assert text == EVERYTHING or len(text.encode()) < most
    told = read_stored(text, ALL)
    if told is not None and not told.refs:
        coming = [one.due_at for one in refs if one.due_at > START]
        assert set(told.flows) == {one.flow for one in refs if one.due_at <= START}
        assert (told.since is None) == (not coming)
        assert told.since is None or timedelta() <= min(coming) - told.since < timedelta(seconds=1)


def test_a_hundred_plain_jobs_find_room_in_one_hint() -> None:
    refs = [JobRef(2**40 + n, 1000, flow_of(1000), 5, START, 0, None, START) for n in range(IN_FULL)]
    assert join_hints(burst(refs), MAX_PAYLOAD) == ",".join(map(spell_stored, refs))


def test_too_much_is_nothing_in_particular() -> None:
    assert read_stored(EVERYTHING, ALL) is None
