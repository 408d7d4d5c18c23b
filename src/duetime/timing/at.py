"""A list of instants."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import force_setattr

from duetime.timing.errors import TimingError


class At(Struct, frozen=True):
    """Instants given one by one; kept in UTC, in order, each once."""

    instants: tuple[datetime, ...]

    def __post_init__(self) -> None:
        if any(instant.tzinfo is None for instant in self.instants):
            raise TimingError("Every instant of 'at' needs an offset, such as '2030-01-31T09:00:00Z'.")
        ordered = sorted({instant.astimezone(UTC) for instant in self.instants})
        force_setattr(self, "instants", tuple(ordered))

    def next_after(self, instant: datetime) -> datetime | None:
        """The first of them strictly after an instant."""
        index = bisect_right(self.instants, instant.astimezone(UTC))
        return self.instants[index] if index < len(self.instants) else None

    def is_shifted(self, instant: datetime) -> bool:
        """Never: an instant is what it is in every zone."""
        return False
