"""Jobs to store are divided into statements, by number and by the length of their messages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.model.ids import DefinitionId, Flow, UserId
from duetime.store.port import JobRow
from duetime.store.postgres.submit import CHUNK, CHUNK_LENGTH, chunked

AT = datetime(2030, 1, 1, tzinfo=UTC)


def row(number: int, length: int) -> JobRow:
    at = (AT, AT)
    return JobRow(None, number, UserId(1), DefinitionId(1), Flow(1), 5, True, *at, None, None, None, None, "x" * length)


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [
        ([1], [1]),
        ([1] * CHUNK, [CHUNK]),
        ([1] * (CHUNK + 1), [CHUNK, 1]),
        ([0] * (2 * CHUNK + 5), [CHUNK, CHUNK, 5]),
        ([CHUNK_LENGTH], [1]),
        ([CHUNK_LENGTH, 1], [1, 1]),
        ([CHUNK_LENGTH + 1, 1], [1, 1]),
        ([1, CHUNK_LENGTH + 1, 1], [1, 1, 1]),
        ([CHUNK_LENGTH // 4] * 9, [4, 4, 1]),
    ],
)
def test_a_statement_has_a_bounded_number_of_rows_and_of_characters(lengths: list[int], sizes: list[int]) -> None:
    assert [len(chunk) for chunk in chunked([row(*one) for one in enumerate(lengths)])] == sizes


LENGTHS = st.integers(0, 9) | st.sampled_from([CHUNK_LENGTH // 3, CHUNK_LENGTH - 1, CHUNK_LENGTH, CHUNK_LENGTH + 1])


@given(st.lists(LENGTHS, min_size=1, max_size=30), st.integers(0, CHUNK))
def test_every_row_is_in_one_statement_in_order(lengths: list[int], small: int) -> None:
    rows = [row(*one) for one in enumerate([*lengths, *[0] * small])]
    chunks = list(chunked(rows))
    assert [one for chunk in chunks for one in chunk] == rows
    for chunk in chunks:
        assert 0 < len(chunk) <= CHUNK
        assert len(chunk) == 1 or sum(len(one.message) for one in chunk) <= CHUNK_LENGTH
