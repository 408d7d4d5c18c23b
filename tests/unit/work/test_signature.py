"""Arguments as messages: what a call writes, a function reads, with its own types."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.errors import Invalid
from duetime.work import Context, Duetime
from duetime.work.encoding.signature import Signature
from duetime.work.encoding.values import Codec
from duetime.work.outcomes import UnusableMessage, UnusableResult

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@dataclass
class Person:
    name: str
    born: datetime


def everything(who: Person, amount: Decimal, key: UUID, *, tags: list[str] | None = None, at: datetime = NOW) -> Person:
    return who


def signature(function: Any, **options: Any) -> Signature:
    return Signature(function, Codec(**options), "task")


def round_trip(function: Any, *args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    one = signature(function)
    return one.call(one.message(one.bound(args, kwargs)))


def test_typed_values_arrive_as_they_were_given() -> None:
    who, key = Person("Ada", NOW), UUID(int=7)
    args, kwargs = round_trip(everything, who, Decimal("1.10"), key=key, tags=["a"])
    assert args == ()
    assert kwargs == {"who": who, "amount": Decimal("1.10"), "key": key, "tags": ["a"]}


def test_the_message_has_the_names_of_the_parameters() -> None:
    one = signature(everything)
    message = msgspec.json.decode(one.message(one.bound((Person("Ada", NOW), Decimal(1), UUID(int=7)), {})))
    assert list(message) == ["who", "amount", "key"]
    assert message["who"] == {"name": "Ada", "born": "2030-01-01T00:00:00Z"}


@given(
    st.lists(st.integers(-(2**53), 2**53), max_size=5),
    st.dictionaries(st.from_regex("[a-c]+", fullmatch=True), st.text()),
)
def test_every_kind_of_parameter_makes_the_same_call(rest: list[int], more: dict[str, str]) -> None:
    seen: list[Any] = []

    def function(first: int, /, second: int = 2, *others: int, last: str = "x", **named: str) -> None:
        seen.append((first, second, others, last, named))

    args, kwargs = round_trip(function, 1, *rest, **more)
    function(*args, **kwargs)
    function(1, *rest, **more)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("first", [Context, "Context"])
def test_the_context_is_no_argument(first: Any) -> None:
    def function(ctx: Context, to: str) -> None: ...

    function.__annotations__["ctx"] = first
    one = signature(function)
    assert one.wants_context
    assert one.names == ("to",)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b'{"who": 1}', "who"),
        (b"{}", "who"),
        (b'{"who": {"name": "a", "born": "2030-01-01T00:00:00Z"}, "amount": "1", "key": "x"}', "key"),
        (b'{"nobody": 1}', "nobody"),
        (b"[1]", "not an object"),
        (b'"text"', "not an object"),
        (b"[" * 10_000 + b"]" * 10_000, "task"),
    ],
)
def test_a_message_that_does_not_fit_says_why(message: bytes, why: str) -> None:
    with pytest.raises(UnusableMessage, match=why):
        signature(everything).call(message)


@pytest.mark.parametrize("message", [b"null", b'""', b"{}"])
def test_a_function_without_arguments_needs_no_message(message: bytes) -> None:
    def function() -> None: ...

    assert signature(function).call(message) == ((), {})


@pytest.mark.parametrize(("message", "value"), [(b'"hello"', "hello"), (b'{"text": "hello"}', "hello"), (b'""', "")])
def test_a_message_that_is_no_object_is_the_only_argument(message: bytes, value: str) -> None:
    def function(text: str) -> None: ...

    assert signature(function).call(message) == ((), {"text": value})


def test_what_is_too_large_or_has_no_json_is_refused_with_the_reason() -> None:
    def function(data: Any) -> Any: ...

    one = signature(function, most_bytes=20)
    with pytest.raises(Invalid, match=r"has 32 bytes as JSON, and at most 20 are allowed"):
        one.message({"data": "x" * 21})
    with pytest.raises(Invalid, match="cannot be written as JSON"):
        one.message({"data": object()})
    with pytest.raises(UnusableResult, match="at most 20"):
        one.result("x" * 21)


def test_a_wrong_call_fails_where_it_is_made() -> None:
    with pytest.raises(TypeError, match="required argument"):
        signature(everything).bound((), {"nobody": 1})


def test_types_that_cannot_be_resolved_are_named() -> None:
    def function(x: int) -> None: ...

    function.__annotations__["x"] = "Nowhere"
    with pytest.raises(Invalid, match="Nowhere"):
        signature(function)


def test_results_have_the_type_that_the_function_returns() -> None:
    one = signature(everything)
    assert one.read_result(one.result(Person("Ada", NOW))) == Person("Ada", NOW)


def test_a_name_belongs_to_one_task() -> None:
    app = Duetime()
    app.task(name="a")(lambda: None)
    with pytest.raises(Invalid, match="belongs to the task"):
        app.task(name="a")(lambda: None)
