"""Reads DUETIME_FAILPOINTS: which failpoints are armed, what each does, and at which call. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches
from typing import Literal, get_args

from msgspec import Struct

from duetime.model.errors import ConfigError

VARIABLE = "DUETIME_FAILPOINTS"
When = Literal["before", "after"]
Action = Literal["crash", "error", "sleep", "busy", "block", "shortfall"]
DEFAULT_SECONDS = 5.0
"""Longer than the default lease."""
_RULE = re.compile(
    r"(?P<name>[a-z_]+\.[a-z_]+):(?P<when>[a-z]+):(?P<action>[a-z]+)(?:=(?P<seconds>\d+(?:\.\d+)?))?"
    r"(?:@(?P<first>\d+)(?P<more>\+|-(?P<last>\d+))?)?"
)


class FailpointRule(Struct, frozen=True):
    """One armed failpoint: it acts before or after calls `first` to `last` of a verb."""

    name: str
    when: When
    action: Action
    seconds: float = DEFAULT_SECONDS
    first: int = 1
    last: int | None = None
    """None: at every call from `first` on."""

    def strikes(self, when: When, call: int) -> bool:
        """Whether the failpoint acts at this call; calls are counted from 1."""
        return self.when == when and call >= self.first and (self.last is None or call <= self.last)


def parse_rules(text: str, known: Collection[str]) -> dict[str, list[FailpointRule]]:
    """Read rules such as `NAME:before|after:ACTION[=SECONDS][@CALL|@FIRST+|@FIRST-LAST]`, separated by commas.

    Returns them by the verb they are for. Raises `ConfigError` for a verb that is not `known`.
    """
    rules: dict[str, list[FailpointRule]] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        rule = _parsed(part)
        if rule.name not in known:
            near = get_close_matches(rule.name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise ConfigError(
                f"{VARIABLE} names the failpoint '{rule.name}', which does not exist.{hint} "
                f"The failpoints are: {', '.join(sorted(known))}.",
                key=VARIABLE,
            )
        rules.setdefault(rule.name, []).append(rule)
    return rules


def _parsed(part: str) -> FailpointRule:
    match = _RULE.fullmatch(part)
    if match is None:
        raise ConfigError(
            f"{VARIABLE} contains '{part}', which is not of the form "
            "NAME:before|after:ACTION[=SECONDS][@CALL], such as launch.launch:after:crash@3.",
            key=VARIABLE,
        )
    when, action = match["when"], match["action"]
    for word, words in ((when, get_args(When)), (action, get_args(Action))):
        if word not in words:
            raise ConfigError(
                f"{VARIABLE} contains '{word}' in '{part}': it must be {' or '.join(words)}.", key=VARIABLE
            )
    first = int(match["first"] or 1)
    last = None if match["more"] == "+" or match["first"] is None else int(match["last"] or first)
    return FailpointRule(
        match["name"],
        "before" if when == "before" else "after",
        next(known for known in get_args(Action) if known == action),
        float(match["seconds"] or DEFAULT_SECONDS),
        first,
        last,
    )
