"""A trace parent is read as W3C says, and stands before a stored message without changing it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.model.errors import Invalid
from duetime.model.message import (
    MARK,
    TRACED,
    message_sent,
    message_shown,
    message_value,
    stored_message,
    trace_of,
    with_trace,
    without_trace,
)
from duetime.model.trace import ids_of_parent, parent_in_header, sampled_parent, spelled_parent

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
texts = st.text(max_size=60) | st.builds(str.__add__, st.sampled_from((MARK, TRACED)), st.text(max_size=20))
values = texts | st.integers() | st.lists(texts, max_size=3) | st.none()


@given(values)
def test_a_trace_changes_nothing_that_a_message_is(value: object) -> None:
    stored = stored_message(value)
    traced = with_trace(stored, PARENT)
    assert trace_of(stored) is None
    assert trace_of(traced) == PARENT
    assert without_trace(traced) == stored == without_trace(stored)
    assert message_value(traced) == message_value(stored) == value
    assert message_sent(traced) == message_sent(stored)
    assert message_shown(traced) == message_shown(stored)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (PARENT, PARENT),
        (f"00-{TRACE}-{SPAN}-03", PARENT),
        (f"cc-{TRACE}-{SPAN}-01-what-a-later-version-adds", PARENT),
        (f"00-{TRACE}-{SPAN}-00", None),
        (f"00-{TRACE}-{SPAN}-02", None),
    ],
)
def test_only_a_sampled_parent_is_kept(text: str, found: str | None) -> None:
    assert sampled_parent(text) == found
    assert parent_in_header(f" {text} ") == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x" * 300,
        PARENT.upper(),
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-more",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE}-{SPAN}-1",
    ],
)
def test_what_is_no_parent_is_refused_in_a_field_and_ignored_in_a_header(text: str) -> None:
    with pytest.raises(Invalid, match="traceparent"):
        sampled_parent(text)
    assert parent_in_header(text) is None
    assert parent_in_header(None) is None


@given(st.integers(1, 2**128 - 1), st.integers(1, 2**64 - 1))
def test_ids_are_spelled_and_read_alike(trace_id: int, span_id: int) -> None:
    spelled = spelled_parent(trace_id, span_id)
    assert sampled_parent(spelled) == spelled
    assert ids_of_parent(spelled) == (trace_id, span_id)
