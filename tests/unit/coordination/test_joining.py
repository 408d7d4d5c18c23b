"""A burst of hints is one text, and never too long."""

from __future__ import annotations

import pytest

from duetime.coordination.joining import joined
from duetime.coordination.port import EVERYTHING


def test_bursts_are_joined_in_the_order_of_saying() -> None:
    assert joined({"b": "", "a": ""}, 10) == "b,a"
    assert joined({"": ""}, 10) == ""
    assert joined({"b": "", EVERYTHING: "", "a": ""}, 10) == EVERYTHING


def test_a_burst_is_measured_in_bytes_and_said_in_short_when_it_is_long() -> None:
    texts = {"éééé": "x", "y": "x"}
    assert joined(texts, 11) == "éééé,y"
    assert joined(texts, 10) == "x"


@pytest.mark.parametrize("most", [1, 5])
def test_what_is_too_long_even_so_is_everything(most: int) -> None:
    assert joined({"[1,2]": "12345", "[3,4]": "678"}, most) == EVERYTHING
    assert joined({"123456": ""}, most) == EVERYTHING, "nothing was given that would say it in short"
    assert joined({"123456": "1", "7": ""}, most) == EVERYTHING
