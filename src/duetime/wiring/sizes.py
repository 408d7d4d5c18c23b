"""Sizes in settings, such as 256MB."""

from __future__ import annotations

_UNITS = {"kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


def bytes_of(text: str) -> int:
    """Returns how many bytes a size has."""
    return int(text[:-2]) * _UNITS[text[-2:]]
