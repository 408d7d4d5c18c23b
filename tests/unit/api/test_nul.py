"""No call takes a NUL character, whichever of its texts has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from duetime.api.server.decode import BodyDecoder
from duetime.api.server.route import Route
from duetime.api.server.slices import SliceDecoder
from duetime.api.table import TABLE
from duetime.model.errors import DuetimeError, Invalid

WITH_BODY = [route for route in TABLE if route.body is not None and route.example is not None]


def spoiled(value: Any) -> Iterator[Any]:
    """The value with a NUL character in each of its texts, one at a time."""
    if isinstance(value, str):
        yield value + "\0"
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from ({**value, name: bad} for bad in spoiled(one))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from ([*value[:at], bad, *value[at + 1 :]] for bad in spoiled(one))


def decode(route: Route[Any, Any], body: bytes) -> object:
    if route.line is None:
        return BodyDecoder(route.body).decode(body)
    return [one for some in SliceDecoder(route.line, route.noun).items(body, [], 1000, 100_000) for one in some]


@pytest.mark.parametrize("route", WITH_BODY, ids=lambda route: f"{route.method} {route.path}")
def test_a_nul_in_any_text_of_any_body_is_refused(route: Route[Any, Any]) -> None:
    example = msgspec.json.decode(msgspec.json.encode(route.example))
    assert decode(route, msgspec.json.encode(example))
    tried = 0
    for bad in spoiled(example):
        with pytest.raises(DuetimeError) as refused:
            decode(route, msgspec.json.encode(bad))
        assert isinstance(refused.value, Invalid)
        tried += 1
    assert tried or "username" not in str(example)


def test_most_calls_with_a_body_are_walked() -> None:
    assert len(WITH_BODY) >= 12
    assert {route.path for route in TABLE if route.line is not None} <= {route.path for route in WITH_BODY}
