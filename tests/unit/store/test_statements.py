"""SQL by name: one file a port, named blocks."""

from __future__ import annotations

import pytest

from duetime.postgres.statements import parse
from duetime.store.postgres.queries import sql


def test_a_block_is_found_by_file_and_name() -> None:
    assert sql("launch.definitions").splitlines() == [
        "-- Returns definitions by id.",
        "SELECT id, body FROM definitions WHERE id = ANY($1::int[])",
    ]


def test_it_is_the_same_text_every_time() -> None:
    """The driver keeps prepared statements by their text: a new string would be hashed at every call."""
    assert sql("settle.finish") is sql("settle.finish")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("settle.finsh", r"sql/settle\.sql has no block 'finsh'\. Near: finish\."),
        ("setle.finish", r"There is no sql/setle\.sql for 'setle\.finish'\. Near: settle"),
        ("settle", r"sql/settle\.sql has no block ''\."),
        ("settle.qqq", r"sql/settle\.sql has no block 'qqq'\.$"),
    ],
)
def test_an_unknown_name_is_an_error_that_says_what_is_near(name: str, said: str) -> None:
    with pytest.raises(LookupError, match=said):
        sql(name)


def test_a_name_that_occurs_twice_is_an_error() -> None:
    text = "-- A file.\n\n-- name: one\n-- Purpose.\nSELECT 1\n\n-- name: one\n-- Purpose.\nSELECT 2\n"
    with pytest.raises(ValueError, match=r"sql/x\.sql has two blocks named 'one'"):
        parse("sql/x.sql", text)


def test_a_name_is_one_word() -> None:
    with pytest.raises(ValueError, match=r"sql/x\.sql has a block named 'one two'"):
        parse("sql/x.sql", "-- A file.\n-- name: one two\n-- Purpose.\nSELECT 1\n")
