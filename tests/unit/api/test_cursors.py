"""A cursor decodes to the id it encodes, and any other text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.api.server.cursors import decode_cursor, encode_cursor
from duetime.model.errors import Invalid
from duetime.model.ids import MAX_ID


@given(st.integers(0, MAX_ID))
def test_an_id_goes_round(last_id: int) -> None:
    cursor = encode_cursor("jobs", last_id)
    assert decode_cursor("jobs", cursor) == last_id
    assert cursor.replace("-", "").replace("_", "").isalnum()
    with pytest.raises(Invalid):
        decode_cursor("users", cursor)


@given(st.text(max_size=20))
def test_any_other_text_is_refused(text: str) -> None:
    try:
        last_id = decode_cursor("jobs", text)
    except Invalid:
        return
    assert encode_cursor("jobs", last_id) == text


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "1024",
        encode_cursor("jobs", 5) + "=",
        encode_cursor("jobs", 5)[:-1],
        encode_cursor("jobs", MAX_ID + 1),
        "é" * 12,
    ],
)
def test_near_misses_are_refused(cursor: str) -> None:
    with pytest.raises(Invalid, match="next_cursor"):
        decode_cursor("jobs", cursor)
