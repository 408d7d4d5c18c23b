"""The signature of a task's function: which arguments a message must have, and how they become a call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, get_type_hints

import msgspec
from msgspec import Raw, Struct

from ...errors import Invalid
from ..context import Context
from ..outcomes import UnusableMessage, UnusableResult
from .values import Codec, NotEncodable

EMPTY = (b"null", b'""')
"""Messages that are no arguments, where the function needs none. Elsewhere they are the only argument."""


class Signature:
    """Turns a call into a message, and a message into the arguments of a call."""

    def __init__(self, function: Callable[..., Any], codec: Codec, name: str) -> None:
        self._codec, self._name = codec, name
        hints = _hints(function, name)
        parameters = list(inspect.signature(function).parameters.values())
        self.wants_context = bool(parameters) and _is_context(parameters[0], hints)
        self._parameters = parameters[1:] if self.wants_context else parameters
        self._whole = inspect.Signature(self._parameters)
        self.names = tuple(one.name for one in self._parameters)
        self._by_position = [one.name for one in self._parameters if one.kind is Parameter.POSITIONAL_ONLY]
        self._rest = next((one.name for one in self._parameters if one.kind is Parameter.VAR_POSITIONAL), None)
        if self._rest is not None:
            before = [one.name for one in self._parameters if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
            self._by_position += before
        self._more = next((one.name for one in self._parameters if one.kind is Parameter.VAR_KEYWORD), None)
        self._simple = not self._by_position and self._rest is None and self._more is None
        try:
            self._arguments = msgspec.defstruct(
                "Arguments", [_field(one, hints) for one in self._parameters], forbid_unknown_fields=True, kw_only=True
            )
            self._decoder = codec.decoder(self._arguments)
            self._only = codec.decoder(hints.get(self.names[0], Any)) if len(self.names) == 1 else None
            self.result_type: Any = hints.get("return", Any)
            self._result_decoder = codec.decoder(self.result_type)
        except TypeError as error:
            raise Invalid(f"The function of the task '{name}' has a type that JSON cannot carry: {error}.") from None

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the arguments of a call by name. Raises `TypeError` as the call itself would."""
        return dict(self._whole.bind(*args, **kwargs).arguments)

    def message(self, arguments: Mapping[str, Any]) -> Raw:
        """Returns the message with these arguments."""
        try:
            return Raw(self._codec.encode(arguments, f"The arguments of the task '{self._name}'"))
        except NotEncodable as error:
            raise Invalid(str(error)) from None

    def call(self, message: bytes | memoryview | Raw) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the arguments in a message, checked. Raises `UnusableMessage` where the function cannot take it."""
        data = bytes(message)
        try:
            arguments = self._read(data)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise UnusableMessage(f"The task '{self._name}' cannot take the message: {error}.") from None
        given: dict[str, Any] = {
            name: value for name in self.names if (value := getattr(arguments, name)) is not msgspec.UNSET
        }
        if self._simple:
            return (), given
        before = tuple(given.pop(name) for name in self._by_position if name in given)
        rest = tuple(given.pop(self._rest, ())) if self._rest is not None else ()
        more: dict[str, Any] = given.pop(self._more, {}) if self._more is not None else {}
        return before + rest, given | more

    def result(self, value: Any) -> Raw:
        """Returns a result as it is stored."""
        try:
            return Raw(self._codec.encode(value, f"The result of the task '{self._name}'"))
        except NotEncodable as error:
            raise UnusableResult(str(error)) from None

    def read_result(self, data: bytes | Raw) -> Any:
        """Returns a stored result with the type that the function says it returns."""
        try:
            return self._result_decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise Invalid(f"The result of the task '{self._name}' is not what it says it returns: {error}.") from None

    def _read(self, data: bytes) -> Struct:
        if data.lstrip()[:1] == b"{":
            return self._decoder.decode(data)
        if data in EMPTY:
            try:
                return self._decoder.decode(b"{}")
            except msgspec.ValidationError:
                if self._only is None:
                    raise
        if self._only is None:
            raise ValueError(f"it is not an object with {_listed(self.names)}")
        return self._arguments(**{self.names[0]: self._only.decode(data)})


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        text = f"The types of the task '{name}' cannot be resolved: {error}. Define them in its module."
        raise Invalid(text) from None


def _is_context(first: Parameter, hints: Mapping[str, Any]) -> bool:
    if first.kind not in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
        return False
    kind = hints.get(first.name)
    return (isinstance(kind, type) and issubclass(kind, Context)) or (kind is None and first.name == "ctx")


def _field(one: Parameter, hints: Mapping[str, Any]) -> tuple[str, Any, Any] | tuple[str, Any]:
    kind = hints.get(one.name, Any)
    if one.kind is Parameter.VAR_POSITIONAL:
        return one.name, list[kind], msgspec.field(default_factory=list)
    if one.kind is Parameter.VAR_KEYWORD:
        return one.name, dict[str, kind], msgspec.field(default_factory=dict)
    if one.default is Parameter.empty:
        return one.name, kind
    return one.name, kind, msgspec.UNSET


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "no fields"
