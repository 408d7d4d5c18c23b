"""From msgspec's terse words to a sentence that names the field and says what would be right."""

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
    """Explains what is wrong with values of one type, by the type's JSON Schema."""

    def __init__(self, type_: Any) -> None:
        self._type = type_
        self._schema: Schema | None = None

    def explain(self, error: msgspec.ValidationError) -> Invalid:
        """The error to answer with: a sentence, the field's path, and the index within a bulk."""
        match = _ERROR.fullmatch(str(error))
        what, path, in_key = (match["what"], match["path"] or "", match["key"]) if match else (str(error), "", None)
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
        known = sorted({known for place in self._at(path) for known in place.get("properties", {})})
        if name in known:
            # The path has several kinds, told apart by a tag, and another one has the field.
            return f"'{field}' does not go with this kind of '{path.removeprefix('.')}'.", field
        close = get_close_matches(name, known, 1)
        if close:
            return f"There is no field '{field}' here; did you mean '{close[0]}'?", field
        return f"There is no field '{field}' here; known are: {', '.join(known) or 'none'}.", field

    def _what_would_be_right(self, what: str, path: str) -> str:
        if _OF_A_DATE.search(what):
            return f"must be {_DATE}"
        if "RFC3339" in what or "`datetime" in what:
            return f"must be {_INSTANT}"
        if _BAD_CHOICE.match(what):
            choices = sorted({choice for place in self._at(path) for choice in place.get("enum", [])})
            return f"must be one of: {', '.join(choices)}"
        if what.startswith("Expected "):
            expected, _, got = what.removeprefix("Expected ").partition(", got ")
            return f"must be {_plain(expected)}" + (f", not {_plain(got)}" if got else "")
        return f"is not acceptable: {what[:_SHOWN].lower()}"

    def _at(self, path: str) -> list[Schema]:
        """Every schema that may stand at a path: more than one where there are alternatives."""
        if self._schema is None:
            self._schema = msgspec.json.schema(self._type)
        places = list(self._resolved(self._schema))
        for index, name in _STEP.findall(path):
            below = [step for place in places if (step := _step(place, index, name)) is not None]
            places = [place for step in below for place in self._resolved(step)]
        return places

    def _resolved(self, schema: Schema) -> Iterator[Schema]:
        if "$ref" in schema and self._schema is not None:
            yield from self._resolved(self._schema["$defs"][schema["$ref"].removeprefix("#/$defs/")])
        for alternative in schema.get("anyOf", ()):
            yield from self._resolved(alternative)
        yield schema


def located(message: str, field: str) -> Invalid:
    """An `Invalid` that says where: the field's path, and the index when the path begins with one."""
    details: dict[str, object] = {"field": field} if field else {}
    index = _INDEX.match(field)
    if index:
        details["index"] = int(index[1])
    return Invalid(message, **details)


def _step(place: Schema, index: str, name: str) -> Schema | None:
    if name:
        return place.get("properties", {}).get(name)
    return place.get("additionalProperties" if index == "..." else "items") or None


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
