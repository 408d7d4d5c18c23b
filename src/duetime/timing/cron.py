"""A cron expression in a zone, which computes the instants at which it is due. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from duetime.timing.dst import LITERAL, DstPolicy, first_instant, handling_of, last_instant
from duetime.timing.every import Every
from duetime.timing.expression import Dialect, Expression, parse_expression
from duetime.timing.instants import FIRST_INSTANT, LAST_INSTANT, instant_of, seconds_before, seconds_of
from duetime.timing.zones import zone_table


class Cron:
    """A cron expression, compiled once. Immutable; `next_after` is a pure function of the instant."""

    __slots__ = ("_every", "_expression", "_handling", "_wall", "_zone", "dst", "key")

    def __init__(self, expression: Expression, zone: str, dst: DstPolicy, key: str) -> None:
        self.dst: DstPolicy = dst
        self.key = key
        self._expression = expression
        self._zone = zone_table(zone)
        self._handling = handling_of(dst, wildcard=expression.wildcard)
        self._wall = expression.wall
        self._every = Every(timedelta(seconds=expression.every)) if expression.every else None

    @classmethod
    def parse(
        cls,
        expression: str,
        *,
        zone: str = "UTC",
        dst: DstPolicy = "vixie",
        key: str = "",
        dialect: Dialect = "standard",
    ) -> Cron:
        """Read an expression. Raises `CronError`, which says where it is wrong and what would be right.

        `zone` is a name from the time zone database. `dst` says what happens when the zone's clocks change.
        `key` is the schedule's identity, from which `H` chooses its values. `dialect` says how days and years are
        written: `quartz` has 1 for Sunday, and a year.
        """
        return cls(parse_expression(expression, key, dialect), zone, dst, key)

    @property
    def expression(self) -> str:
        """The expression as it was written."""
        return self._expression.text

    @property
    def parsed(self) -> Expression:
        """The expression after parsing."""
        return self._expression

    @property
    def zone(self) -> str:
        """The zone's name."""
        return self._zone.name

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due instant strictly after another, in UTC; `None` if there is none."""
        if self._wall is None:
            return self._every.next_after(instant) if self._every else None
        start = seconds_of(instant) + 1
        if not self._zone.utc:
            found = first_instant(self._wall, self._zone, self._handling, start)
        else:
            found = self._wall.first(max(start, FIRST_INSTANT))
        return None if found is None or found > LAST_INSTANT else instant_of(found)

    def prev_before(self, instant: datetime) -> datetime | None:
        """The last due instant strictly before another, in UTC; `None` if there is none."""
        if self._wall is None:
            return self._every.prev_before(instant) if self._every else None
        start = seconds_before(instant)
        if self._zone.utc:
            found = self._wall.last(min(start, LAST_INSTANT))
        else:
            found = last_instant(self._wall, self._zone, self._handling, start)
        return None if found is None or found < FIRST_INSTANT else instant_of(found)

    def is_shifted(self, instant: datetime) -> bool:
        """Whether a due instant replaces a local time that does not exist because the clocks changed."""
        if self._wall is None or self._handling == LITERAL or self._zone.utc:
            return False
        seconds = seconds_of(instant)
        return not self._wall.matches(seconds + self._zone.offset(seconds))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cron) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        given = f"zone={self.zone!r}, dst={self.dst!r}, key={self.key!r}, dialect={self._expression.dialect!r}"
        return f"Cron.parse({self.expression!r}, {given})"

    def _identity(self) -> tuple[str, str, str, str, str]:
        return self.expression, self.zone, self.dst, self.key, self._expression.dialect
