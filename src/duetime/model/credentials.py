"""Credentials in lines that runs log: headers with tokens, and passwords in URLs. Pure."""

from __future__ import annotations

import re
from typing import Final

from duetime.model.targets.port import HIDDEN

_HEADER: Final = re.compile(r"(?i)(authorization[\"']?\s{0,9}[:=]\s{0,9}[\"']?(?:[a-z-]{1,32}\s{1,9})?)[^\s\"',;]+")
_TOKEN: Final = re.compile(r"(?i)\b((?:bearer|basic)\s{1,9})(?=\S{0,256}[0-9=])[A-Za-z0-9._~+/=-]{16,}")
_URL: Final = re.compile(r"(://[^\s/:@]{0,256}:)[^\s/@]{1,256}@")


def without_credentials(line: str) -> str:
    """Returns a line with `(hidden)` for credentials of Authorization headers, tokens, and passwords in URLs."""
    if "@" in line and "://" in line:
        line = _URL.sub(rf"\1{HIDDEN}@", line)
    lower = line.lower()
    if "authorization" in lower:
        line = _HEADER.sub(rf"\1{HIDDEN}", line)
    if "bearer" in lower or "basic" in lower:
        line = _TOKEN.sub(rf"\1{HIDDEN}", line)
    return line
