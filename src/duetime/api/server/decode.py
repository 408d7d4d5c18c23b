"""Decodes bodies and query strings into checked values."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import inspect

from duetime.api.server.explain import Explainer, located
from duetime.api.server.fields import refuse_nul
from duetime.api.server.unstorable import NulFound, storable
from duetime.model.errors import Invalid, Malformed

_INDEX = re.compile(r"\[\d+\]$")
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,18}")
_LOST_PLUS = re.compile(r" (?=[0-9]{2}:[0-9]{2}$)")
_MAX_PARAMETERS = 64
_FLAGS = {"true": True, "false": False}


class BodyDecoder:
    """Decodes JSON into one type."""

    def __init__(self, type_: Any, *, shown_as: Any = None) -> None:
        """`shown_as` is the type that errors are about, if it is another one."""
        self._decode = storable(msgspec.json.Decoder(type_).decode)
        self._explainer = Explainer(shown_as or type_)

    def decode(self, body: bytes) -> Any:
        """Returns the value. Raises `Malformed` when it is not JSON, `Invalid` when it is not of the type."""
        if not body:
            raise Malformed("The body is empty: send JSON.")
        try:
            return self._decode(body)
        except NulFound as found:
            path = found.path.removeprefix(".")
            raise located(found.sentence(path), path) from None
        except msgspec.ValidationError as error:
            raise self._explainer.explain(error) from None
        except msgspec.DecodeError as error:
            raise Malformed(f"The body is not valid JSON: {error}.") from None
        except UnicodeDecodeError:
            raise Malformed("The body is not valid UTF-8.") from None
        except RecursionError:
            raise Malformed("The body is nested too deeply.") from None


class QueryDecoder:
    """Decodes a query string into a flat struct."""

    def __init__(self, type_: Any) -> None:
        self._type = type_
        self._explainer = Explainer(type_)
        self._numbers = _names(type_, inspect.IntType)
        self._instants = _names(type_, inspect.DateTimeType)
        self._flags = _names(type_, inspect.BoolType)
        self._lists = _names(type_, inspect.ListType)

    def decode(self, query: bytes) -> Any:
        """Returns the value. Raises `Invalid` when a parameter is unknown, repeated, or not of its type."""
        given: dict[str, Any] = {}
        for name, value in _pairs(query):
            if name in self._lists:
                given.setdefault(name, []).append(value)
            elif name in given:
                raise located(f"'{name[:80]}' is given twice.", name[:80])
            elif name in self._numbers and _WHOLE_NUMBER.fullmatch(value):
                given[name] = int(value)
            elif name in self._flags and value in _FLAGS:
                given[name] = _FLAGS[value]
            elif name in self._instants:
                # A plus sign that was not percent-encoded arrives as a space.
                given[name] = _LOST_PLUS.sub("+", value)
            else:
                given[name] = value
        try:
            return msgspec.convert(given, self._type)
        except msgspec.ValidationError as error:
            raise _without_index(self._explainer.explain(error)) from None


def _without_index(error: Invalid) -> Invalid:
    """The same error, about a parameter that may be repeated, and not about an item of a list."""
    field = str(error.details.get("field", ""))
    plain = _INDEX.sub("", field)
    if plain != field:
        error.message, error.details["field"] = error.message.replace(f"'{field}'", f"'{plain}'"), plain
    return error


def _pairs(query: bytes) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except ValueError:
        raise Malformed("The query string is not valid: percent-encode it as UTF-8.") from None
    for name, value in pairs:
        refuse_nul(name[:80], value)
    return pairs


def _names(type_: Any, kind: type[inspect.Type]) -> frozenset[str]:
    """The fields of a struct that hold one kind of value, optional or not."""
    info = inspect.type_info(type_)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return frozenset(field.encode_name for field in fields if kind in map(type, _alternatives(field.type)))


def _alternatives(info: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(info, inspect.Metadata):
        return _alternatives(info.type)
    if isinstance(info, inspect.UnionType):
        return tuple(one for part in info.types for one in _alternatives(part))
    return (info,)
