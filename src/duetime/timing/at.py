"""A timing that is a list of instants. Pure."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime

from msgspec import Struct
from msgspec.structs import force_setattr

from duetime.timing.instants import in_utc


class At(Struct, frozen=True):
    """Instants given one by one: in UTC, sorted, without duplicates."""

    instants: tuple[datetime, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "instants", tuple(sorted({in_utc(instant) for instant in self.instants})))

    def next_after(self, instant: datetime) -> datetime | None:
        """The first listed instant strictly after another; `None` if there is none."""
        index = bisect_right(self.instants, in_utc(instant))
        return self.instants[index] if index < len(self.instants) else None

    def is_shifted(self, instant: datetime) -> bool:
        """Always false: an instant is the same in every zone."""
        return False
