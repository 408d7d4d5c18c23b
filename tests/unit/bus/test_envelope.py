"""What executors tell schedulers survives being joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duetime.bus.envelope import read_ended, spell_ended
from duetime.bus.port import Ended
from duetime.coordination.port import EVERYTHING

KINDS = st.sampled_from(["connection", "timeout", "http_503", "tls"])
ENDED = st.one_of(
    st.builds(Ended, st.integers(1, 2**53), st.booleans(), st.none(), st.just("")),
    st.builds(Ended, st.integers(1, 2**53), st.just(False), KINDS, st.sampled_from(["", "http://a:1", "https://b"])),
)


@given(st.lists(ENDED, min_size=1, max_size=20))
def test_what_is_joined_is_read_as_it_was(ended: list[Ended]) -> None:
    assert read_ended(",".join(map(spell_ended, ended))) == ended


def test_too_much_is_nothing_in_particular() -> None:
    assert read_ended(EVERYTHING) is None


def test_a_host_that_cannot_be_joined_is_left_out() -> None:
    read = read_ended(spell_ended(Ended(5, failure="timeout", host="http://a,b")))
    assert read == [Ended(5, failure="timeout")]
