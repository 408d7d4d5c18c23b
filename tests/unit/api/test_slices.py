"""A list that is read in slices is the list that was sent, and nothing beyond a limit is read."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.api.server import slices
from duetime.api.server.lines import LineNumbers
from duetime.api.server.slices import SliceDecoder, SliceReader
from duetime.model.errors import Invalid, Malformed, TooLarge

LINES = [(b"content-type", b"application/x-ndjson")]


class Item(msgspec.Struct, forbid_unknown_fields=True):
    """One object with a text, and with any value."""

    text: str
    value: Any = None


DECODER = SliceDecoder(Item, "item")
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
TRAPS = st.sampled_from(['},{"', '}, {"a":1', "[{", '\\"},{\\"', "\\", "é", "]", "},\n{"]) | STORABLE
VALUES = st.recursive(
    st.none() | st.integers(0, 9) | TRAPS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TRAPS, inner, max_size=3),
    max_leaves=12,
)
PARTS = st.none() | st.integers(1, 200)
ITEMS = st.lists(st.builds(Item, text=TRAPS, value=VALUES), max_size=30)


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of some bytes, so that every list has many."""
    monkeypatch.setattr(slices, "SLICE", 40)


def read(
    body: bytes, *, lines: bool = False, most: int = 1000, largest: int = 5000, part: int | None = None
) -> list[Item]:
    """Reads a body, which comes whole or in parts of a size."""
    return read_by(SliceReader(DECODER, LINES if lines else [], most, largest), body, part)


def read_by(reader: SliceReader, body: bytes, part: int | None = None) -> list[Item]:
    cuts = range(0, len(body), part) if part and body else [0]
    parts = [body[at : at + part] if part else body for at in cuts]
    return [
        item
        for number, one in enumerate(parts, 1)
        for some in reader.feed(one, last=number == len(parts))
        for item in some
    ]


@given(items=ITEMS, spaces=st.sampled_from([0, 1, 2]), pad=st.sampled_from([b"", b" \n"]), part=PARTS)
def test_a_list_is_what_was_sent(items: list[Item], spaces: int, pad: bytes, part: int | None) -> None:
    """Wherever texts and nested lists look like the boundary between two objects."""
    body = msgspec.json.format(msgspec.json.encode(items), indent=spaces or -1)
    assert read(pad + body + pad, part=part) == items


@given(items=ITEMS, end=st.sampled_from([b"\n", b"\r\n", b"\n\n \n"]), part=PARTS)
def test_lines_are_what_was_sent(items: list[Item], end: bytes, part: int | None) -> None:
    assert read(end.join(map(msgspec.json.encode, items)), lines=True, part=part) == items


@given(items=st.lists(st.builds(Item, text=TRAPS, value=VALUES), min_size=1, max_size=30), cut=st.data())
def test_a_body_that_was_cut_is_malformed(items: list[Item], cut: st.DataObject) -> None:
    body, part = msgspec.json.encode(items), cut.draw(PARTS)
    with pytest.raises(Malformed):
        read(body[: cut.draw(st.integers(0, len(body) - 1))], part=part)
    with pytest.raises(Malformed):
        read(body + b"," + body, part=part)


@given(count=st.integers(1, 60), wrong=st.integers(0, 59), lines=st.booleans(), part=PARTS)
def test_an_error_names_the_index_in_the_whole_list(count: int, wrong: int, lines: bool, part: int | None) -> None:
    wrong %= count
    items = [{"text": "a" if n != wrong else 5, "value": [{"b": 1}, {"b": 2}]} for n in range(count)]
    body = b"\n\n".join(map(msgspec.json.encode, items)) if lines else msgspec.json.encode(items)
    reader = SliceReader(DECODER, LINES if lines else [], 1000, 5000)
    with pytest.raises(Invalid) as caught:
        read_by(reader, body, part)
    assert caught.value.details["index"] == wrong
    assert caught.value.details["field"] == f"[{wrong}].text"
    if reader.lines is not None:
        assert reader.lines.line_of(wrong) == 2 * wrong + 1


def test_a_wrong_line_is_named_wherever_it_is() -> None:
    body = b"\n".join([b'{"text":"a"}'] * 50 + [b'{"text":"a"'] + [b'{"text":"b"}'] * 50)
    with pytest.raises(Malformed) as caught:
        read(body, lines=True)
    assert (caught.value.details["index"], caught.value.details["line"]) == (50, 51)


@pytest.mark.parametrize("lines", [False, True])
def test_nothing_beyond_a_limit_is_decoded(lines: bool) -> None:
    """What follows the first item too many is not even JSON."""
    items = [b'{"text":"a"}'] * 40
    body = b"\n".join([*items, b"nope"]) if lines else b"[" + b",".join([*items, b"nope"])
    with pytest.raises(TooLarge, match="at most 20 items"):
        read(body, lines=lines, most=20)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("value", [b'"' + b"x" * 9000 + b'"', b"[" + b'{"a":1},' * 2000 + b"1]"])
def test_one_item_has_a_limit_of_its_own(lines: bool, value: bytes) -> None:
    items = [b'{"text":"a"}', b'{"text":"a","value":%b}' % value] * 5
    body = b"\n".join(items) if lines else b"[" + b",".join(items) + b"]"
    with pytest.raises(TooLarge, match="One item may have at most 1000 bytes"):
        read(body, lines=lines, largest=1000)


def test_blank_lines_cost_no_memory_each() -> None:
    lines = LineNumbers()
    lines.add(b" \n\t\n")
    assert lines.line_of(0) is None
    lines.add(b"\n" * 100_000 + b"x")
    assert lines.line_of(0) == 100_004
