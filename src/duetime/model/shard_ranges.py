"""Sets of shards as text, such as `0-511,600`."""

from __future__ import annotations

from collections.abc import Iterable

from duetime.model.errors import Invalid
from duetime.model.ids import SHARDS


def parse_shards(text: str) -> frozenset[int]:
    """Read a set of shards. Raises `Invalid`, which says what would be right."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise Invalid(f"'{text}' is not a set of shards: write it as 0-511 or 0-511,600.")
        low, high = int(first), int(last if dash else first)
        if low > high or high >= SHARDS:
            raise Invalid(f"'{part.strip()}' is not a range of shards: shards are numbered from 0 to {SHARDS - 1}.")
        found.update(range(low, high + 1))
    return frozenset(found)


def written_shards(shards: Iterable[int]) -> str:
    """The shortest text for a set of shards; `none` for an empty set."""
    parts: list[str] = []
    ordered = sorted(set(shards))
    start = 0
    for at in range(1, len(ordered) + 1):
        if at == len(ordered) or ordered[at] != ordered[at - 1] + 1:
            low, high = ordered[start], ordered[at - 1]
            parts.append(str(low) if low == high else f"{low}-{high}")
            start = at
    return ",".join(parts) or "none"
