"""Converts raw settings to their types, and describes in words what a setting takes."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct, inspect

from duetime.config.files import read_file_sources
from duetime.config.kafka import read_clusters
from duetime.model.errors import DuetimeError
from duetime.timing.durations import parse_duration


class Leaf(Struct, frozen=True):
    """One setting: its annotated type, and what msgspec knows about that type."""

    annotation: Any
    kind: inspect.Type


def leaves(node: type[Struct], prefix: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yields every setting of the tree by its dotted key."""
    for field in msgspec.structs.fields(node):
        key = f"{prefix}{field.name}"
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            yield from leaves(field.type, f"{key}.")
        else:
            yield key, Leaf(field.type, inspect.type_info(field.type))


def converted(raw: object, leaf: Leaf) -> object:
    """Returns the value of a setting, from text or from a TOML value.

    Raises `ValueError` with a message where that says more than `expectation`, else `msgspec.ValidationError`.
    """
    value = _prepared(raw, leaf.kind)
    return msgspec.convert(value, leaf.annotation, strict=False, dec_hook=lambda _, text: Path(text).expanduser())


def _prepared(raw: object, kind: inspect.Type) -> object:
    mark = (kind.extra or {}).get("kind") if isinstance(kind, inspect.Metadata) else None
    if mark == "duration" and isinstance(raw, str):
        return _seconds(raw)
    if mark == "cidr" and isinstance(raw, str):
        return _network(raw)
    if mark in _READERS:
        return _READERS[mark](raw)
    if isinstance(kind, inspect.UnionType) and raw not in choices(kind):
        for part in kind.types:
            if isinstance(part, inspect.VarTupleType):
                return _prepared(raw, part)
    if isinstance(kind, inspect.VarTupleType):
        items = [word.strip() for word in raw.split(",") if word.strip()] if isinstance(raw, str) else raw
        if isinstance(items, list):
            return list(dict.fromkeys(_prepared(i, kind.item_type) for i in cast("list[object]", items)))
    if isinstance(kind, inspect.DictType):
        pairs = _pairs(raw) if isinstance(raw, str) else raw
        if isinstance(pairs, dict):
            return {name: _setting(value) for name, value in cast("dict[str, object]", pairs).items()}
    return raw


def _json(raw: object) -> object:
    """Returns lists and tables as they are. Text is parsed as JSON."""
    if not isinstance(raw, str):
        return raw
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        raise ValueError("A list in text is written in JSON.") from None


_READERS = {"json": _json, "kafka_clusters": read_clusters, "file_sources": read_file_sources}
"""By the mark of a setting: what reads it, from text or from TOML."""


def _seconds(text: str) -> float:
    try:
        return parse_duration(text).total_seconds()
    except DuetimeError as error:
        raise ValueError(error.message) from None


def _network(text: str) -> str:
    try:
        meant = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"'{text}' is not a network.") from None
    if "/" in text and str(meant.network_address) != text.partition("/")[0]:
        raise ValueError(f"'{text}' has bits set beyond its prefix: write {meant}.")
    return str(meant)


def _pairs(text: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    for name, equals, _ in parts:
        if not (equals and name.strip()):
            raise ValueError(f"'{name}' has no value.")
    return {name.strip(): value.strip() for name, _, value in parts}


def _setting(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if isinstance(value, int | float) else value


def expectation(kind: inspect.Type) -> str:
    """Returns what a setting takes, in words that follow "must be"."""
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra or {}).get("expected") or f"a duration such as 30s or 1.5, {_range(kind.type)} seconds")
    if isinstance(kind, inspect.UnionType):
        return " or ".join(expectation(part) for part in kind.types if not isinstance(part, inspect.NoneType))
    if isinstance(kind, inspect.VarTupleType):
        return f"a list{' of at least one' if kind.min_length else ''}, each {expectation(kind.item_type)}"
    if isinstance(kind, inspect.LiteralType):
        return " or ".join(f"'{value}'" for value in kind.values)
    if isinstance(kind, inspect.IntType):
        return f"a whole number {_range(kind)}"
    if isinstance(kind, inspect.FloatType):
        return f"a number {_range(kind)}"
    if isinstance(kind, inspect.DictType):
        return "a table of names and values (as text: name=value,name=value)"
    return "true or false" if isinstance(kind, inspect.BoolType) else "text"


def _range(kind: inspect.Type) -> str:
    if not isinstance(kind, inspect.IntType | inspect.FloatType):
        return ""
    low = f"from {kind.ge:g}" if kind.ge is not None else f"above {kind.gt or 0:g}"
    return f"{low} to {kind.le}" if kind.le is not None else low


def choices(kind: inspect.Type) -> list[str]:
    """Returns the words that a setting takes, if it takes a fixed set of them."""
    if isinstance(kind, inspect.VarTupleType):
        return choices(kind.item_type)
    if isinstance(kind, inspect.UnionType):
        return [word for part in kind.types for word in choices(part)]
    return [str(value) for value in kind.values] if isinstance(kind, inspect.LiteralType) else []
