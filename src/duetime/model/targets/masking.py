"""Hides known secrets in text that a target sent back, in every spelling that targets commonly use. Pure.

A target that echoes its request sends the credentials back: as they are, in base64 (alone or in the middle of other
text), percent-encoded, or escaped for JSON or HTML.
"""

from __future__ import annotations

import contextlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

from duetime.model.targets.port import HIDDEN

SHORTEST: Final = 4
"""A shorter secret is not looked for: it would be found everywhere."""
SHORTEST_PART: Final = 8
MAX_SECRETS: Final = 64
"""A target with more secrets has nothing of its answers shown: looking for all of them would take too long."""
MAX_TRIES: Final = 64
_PARTS: Final = re.compile(r"[\s;,=]+")
_BASIC: Final = re.compile(r"basic\s+(\S+)", re.IGNORECASE)


class Mask:
    """Hides the secrets of one target in texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = set(secrets)
        self._hides_all = len(known) > MAX_SECRETS
        spellings = set[str]() if self._hides_all else {text for one in known for text in _spellings(one)}
        # The longest first, so that no part of a spelling is left over.
        self._spellings = sorted(spellings, key=len, reverse=True)

    def __call__(self, text: str, *, cut: bool = False) -> str:
        """Returns a text without secrets. At the end of a `cut` text, the beginning of a secret is left out too."""
        if self._hides_all:
            return HIDDEN if text else text
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return self._without_beginning(text) if cut else text

    def _without_beginning(self, text: str) -> str:
        end = min((_beginning(text, spelling) for spelling in self._spellings), default=len(text))
        return text if end == len(text) else text[:end] + HIDDEN


def _beginning(text: str, spelling: str) -> int:
    """Returns where a beginning of a spelling stands at the end of a text; the text's length if there is none."""
    first = at = text.find(spelling[:SHORTEST], max(0, len(text) - len(spelling) + 1))
    for _ in range(MAX_TRIES):
        if at < 0:
            return len(text)
        if spelling.startswith(text[at:]):
            return at
        at = text.find(spelling[:SHORTEST], at + 1)
    return first


@lru_cache(maxsize=256)
def mask_of(secrets: frozenset[str]) -> Mask | None:
    """Returns what hides secrets and their parts; None if there is nothing to look for."""
    looked_for = {part for secret in secrets for part in _looked_for(secret)}
    return Mask(looked_for) if looked_for else None


def _looked_for(secret: str) -> list[str]:
    """Returns a secret with the parts of it that are secrets themselves, such as a cookie's values."""
    parts = [part for part in _PARTS.split(secret) if len(part) >= SHORTEST_PART]
    if basic := _BASIC.fullmatch(secret):
        with contextlib.suppress(ValueError):
            parts.append(b64decode(basic[1], validate=True).decode().partition(":")[2])
    return [one for one in (secret, *parts) if len(one) >= SHORTEST]


def _spellings(secret: str) -> set[str]:
    raw = secret.encode("utf-8", "replace")
    percent = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    found = {secret, escape(secret), *percent, *(re.sub("%..", _lower, one) for one in percent)}
    for ascii_only in (True, False):
        in_json = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        found |= {in_json, in_json.replace("/", "\\/")}
    return found | _in_base64(raw)


def _in_base64(raw: bytes) -> set[str]:
    """Returns what base64 of a longer text contains, wherever in it the secret begins."""
    found = set[str]()
    for offset in range(3):
        # Characters that also depend on the neighbours are left out.
        first = (0, 2, 3)[offset]
        whole = len(b64encode(bytes(offset) + raw).rstrip(b"="))
        last = whole if (offset + len(raw)) % 3 == 0 else whole - 1
        text = b64encode(bytes(offset) + raw).decode()[first:last]
        if len(text) >= SHORTEST:
            found |= {text, text.replace("+", "-").replace("/", "_")}
    return found


def _lower(found: re.Match[str]) -> str:
    return found[0].lower()
