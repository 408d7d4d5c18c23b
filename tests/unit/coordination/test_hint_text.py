"""A burst of hints is one text, and never too long."""

from __future__ import annotations

import pytest

from duetime.coordination.hint_text import join_hints
from duetime.coordination.port import EVERYTHING


def test_bursts_are_joined_in_the_order_of_saying() -> None:
    assert join_hints({"b": "", "a": ""}, 10) == "b,a"
    assert join_hints({"": ""}, 10) == ""
    assert join_hints({"b": "", EVERYTHING: "", "a": ""}, 10) == EVERYTHING


def test_a_burst_is_measured_in_bytes_and_said_in_short_when_it_is_long() -> None:
    texts = {"éééé": "x", "y": "x"}
    assert join_hints(texts, 11) == "éééé,y"
    assert join_hints(texts, 10) == "x"


@pytest.mark.parametrize("most", [1, 5])
def test_what_is_too_long_even_so_is_everything(most: int) -> None:
    assert join_hints({"[1,2]": "12345", "[3,4]": "678"}, most) == EVERYTHING
    assert join_hints({"123456": ""}, most) == EVERYTHING, "nothing was given that would say it in short"
    assert join_hints({"123456": "1", "7": ""}, most) == EVERYTHING
