"""A body with a long list in it, read in slices, is what it is when it is read at once: the value, or the error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from duetime.api.server.decode import BodyDecoder
from duetime.api.server.nested import SLICE, NestedDecoder
from duetime.model.errors import DuetimeError


class Item(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    size: int = 0
    tags: dict[str, list[str]] | None = None


class Body(Struct, frozen=True, forbid_unknown_fields=True):
    items: list[Item]
    dry_run: bool = False


WHOLE, SLICED = BodyDecoder(Body), NestedDecoder(Body, "items")


def come_of(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except DuetimeError as error:
        return type(error), error.message, error.details


def at_once(body: bytes) -> Any:
    return come_of(lambda: WHOLE.decode(body))


def in_slices(body: bytes) -> Any:
    return come_of(lambda: [*SLICED.steps(body)][-1])


def with_items(*items: bytes, more: bytes = b"") -> bytes:
    return b'{"items":[' + b",".join(items) + b"]" + more + b"}"


GOOD = b'{"name":"a"}'
FULL = (GOOD,) * (2 * SLICE + 3)


@pytest.mark.parametrize(
    "body",
    [
        with_items(),
        with_items(GOOD),
        with_items(*FULL),
        with_items(*FULL, more=b',"dry_run":true'),
        b"",
        b"nope",
        b"[]",
        b"{}",
        b'{"items":{}}',
        b'{"items":null}',
        with_items(*FULL, more=b',"dry_run":1'),
        with_items(*FULL, more=b',"other":1'),
        with_items(*FULL, b"1"),
        with_items(*FULL, b"{}"),
        with_items(*FULL, b'{"name":1}', *FULL),
        with_items(*FULL, b'{"name":"a","other":1}'),
        with_items(*FULL, b'{"name":"a","size":1.5}'),
        with_items(*FULL, b'{"name":"a","tags":{"b":["c",1]}}'),
        with_items(*FULL, rb'{"name":"\u0000"}'),
        with_items(*FULL, b'{"name":"\xff"}'),
        with_items(*FULL, b'{"name":"a'),
        with_items(*FULL)[:-2],
        with_items(*FULL) + b"x",
    ],
)
def test_the_value_and_the_error_are_the_same(body: bytes) -> None:
    assert in_slices(body) == at_once(body)


@pytest.mark.parametrize(
    "item", [rb'{"name":"\q"}', rb'{"name":"\ud800"}', b'{"name":"\n"}', b'{"name":"a","size":01}']
)
def test_an_item_that_is_not_json_is_refused(item: bytes) -> None:
    kind, message, _ = in_slices(with_items(*FULL, item))
    assert (kind, message[:26]) == (at_once(with_items(item))[0], "The body is not valid JSON")


def test_an_item_that_is_nested_without_end_is_refused() -> None:
    deep = b'{"name":"a","tags":{"b":' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    assert in_slices(with_items(GOOD, deep))[1] == "The body is nested too deeply."


def test_nothing_takes_longer_than_a_slice() -> None:
    steps = [*SLICED.steps(with_items(*FULL))]
    assert steps[:-1] == [None] * 3
    assert len(steps[-1].items) == len(FULL)


TEXT = st.text('ab"\\}{,[é', max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "size", "x"]), inner),
    max_leaves=6,
)
ITEM = JSON | st.builds(lambda name, size: {"name": name, "size": size}, TEXT, JSON)


@given(st.lists(st.sampled_from([{"name": "a"}]) | ITEM, max_size=2 * SLICE + 10), st.booleans())
def test_both_agree_about_any_list(items: list[Any], dry_run: bool) -> None:
    body = msgspec.json.encode({"items": items, "dry_run": dry_run})
    assert in_slices(body) == at_once(body)
