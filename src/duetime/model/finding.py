"""What a check found out."""

from __future__ import annotations

from msgspec import Struct


class Finding(Struct, frozen=True):
    """One thing that was looked at, whether it is well, and a sentence about it."""

    name: str
    ok: bool
    text: str
