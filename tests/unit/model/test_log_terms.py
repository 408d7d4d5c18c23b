"""What people type to search logs."""

from __future__ import annotations

import pytest

from duetime.model.errors import Invalid
from duetime.model.logs import MAX_TERMS, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ()),
        ("connection refused", ("connection", "refused")),
        ('"connection refused" order-7', ("connection refused", "order-7")),
        ('a "b c', ("a", "b c")),
        ('a"b c"d', ("a", "b c", "d")),
        ("größe", ("größe",)),
    ],
)
def test_words_and_phrases(text: str, terms: tuple[str, ...]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["...", 'word "--"', '""', "   ", "_", " ".join("ab" for _ in range(MAX_TERMS + 1))])
def test_what_no_line_can_match_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        terms_of(text)
