"""Turns msgspec's terse errors into a sentence that names the field and says what would be right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import msgspec

from duetime.model.errors import Invalid

Schema = dict[str, Any]

_ERROR = re.compile(r"(?P<what>.*?)(?: - at (?P<key>`key` in )?`\$(?P<path>[^`]*)`)?", re.DOTALL)
_NAMED = re.compile(r"Object (?P<how>missing required|contains unknown) field `(?P<name>.*)`", re.DOTALL)
_OF_A_DATE = re.compile(r"\bdate\b")
_BAD_CHOICE = re.compile(r"Invalid (enum )?value ")
_STEP = re.compile(r"\[(\d+|\.\.\.)\]|([^.\[]+)")
_INDEX = re.compile(r"\[(\d+)\]")
_INSTANT = "an RFC 3339 instant with an offset, like 2026-01-31T09:00:00Z or 2026-01-31T10:00:00+01:00"
_DATE = "a date like 2026-01-31"
_SHOWN = 80


class Explainer:
    """Explains what is wrong with a value of one type, from the type's JSON Schema."""

    def __init__(self, type_: Any) -> None:
        self._type = type_
        self._schema: Schema | None = None

    def explain(self, error: msgspec.ValidationError, first: int = 0) -> Invalid:
        """The error to answer with: a sentence, the field's path, and the index in a bulk request.

        `first` is the index of the list's first item, where the list is part of a longer one.
        """
        match = _ERROR.fullmatch(str(error))
        what, path, in_key = (match["what"], match["path"] or "", match["key"]) if match else (str(error), "", None)
        path = _INDEX.sub(lambda index: f"[{int(index[1]) + first}]", path, 1) if path.startswith("[") else path
        named = _NAMED.fullmatch(what)
        if named:
            message, field = self._wrong_name(named["how"] == "missing required", path, named["name"])
        else:
            field = path.removeprefix(".")
            subject = f"A key of '{field}'" if in_key else f"'{field}'" if field else "The body"
            message = f"{subject} {self._what_would_be_right(what, path)}."
        return located(message, field)

    def _wrong_name(self, missing: bool, path: str, name: str) -> tuple[str, str]:
        name = name if len(name) <= _SHOWN else name[:_SHOWN] + "…"
        field = f"{path}.{name}".removeprefix(".")
        if missing:
            return f"'{field}' is missing.", field
        known = sorted({known for schema in self._at(path) for known in schema.get("properties", {})})
        if name in known:
            # The field belongs to another kind of this object; a tag tells the kinds apart.
            return f"'{field}' is not a field of this kind of '{path.removeprefix('.')}'.", field
        close = get_close_matches(name, known, 1)
        if close:
            return f"There is no field '{field}' here; did you mean '{close[0]}'?", field
        return f"There is no field '{field}' here; known fields: {', '.join(known) or 'none'}.", field

    def _what_would_be_right(self, what: str, path: str) -> str:
        if _OF_A_DATE.search(what):
            return f"must be {_DATE}"
        if "RFC3339" in what or "`datetime" in what:
            return f"must be {_INSTANT}"
        if _BAD_CHOICE.match(what):
            choices = sorted({choice for schema in self._at(path) for choice in schema.get("enum", [])})
            return f"must be one of: {', '.join(choices)}"
        if what.startswith("Expected "):
            expected, _, got = what.removeprefix("Expected ").partition(", got ")
            return f"must be {_plain(expected)}" + (f", not {_plain(got)}" if got else "")
        return f"is not acceptable: {what[:_SHOWN].lower()}"

    def _at(self, path: str) -> list[Schema]:
        """Every schema that a path can lead to: several where there are alternatives."""
        if self._schema is None:
            self._schema = msgspec.json.schema(self._type)
        schemas = list(self._resolved(self._schema))
        for index, name in _STEP.findall(path):
            below = [step for schema in schemas if (step := _step(schema, index, name)) is not None]
            schemas = [schema for step in below for schema in self._resolved(step)]
        return schemas

    def _resolved(self, schema: Schema) -> Iterator[Schema]:
        if "$ref" in schema and self._schema is not None:
            yield from self._resolved(self._schema["$defs"][schema["$ref"].removeprefix("#/$defs/")])
        for alternative in schema.get("anyOf", ()):
            yield from self._resolved(alternative)
        yield schema


def located(message: str, field: str) -> Invalid:
    """An `Invalid` with the field's path, and the index if the path begins with one."""
    details: dict[str, object] = {"field": field} if field else {}
    index = _INDEX.match(field)
    if index:
        details["index"] = int(index[1])
    return Invalid(message, **details)


def _step(schema: Schema, index: str, name: str) -> Schema | None:
    if name:
        return schema.get("properties", {}).get(name)
    return schema.get("additionalProperties" if index == "..." else "items") or None


_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


def _plain(expected: str) -> str:
    """`int | null` → a whole number or null."""
    kinds, _, rest = expected.removeprefix("`").partition("`")
    return " or ".join(_WORDS.get(kind, kind) for kind in kinds.split(" | ")) + rest
