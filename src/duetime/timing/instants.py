"""Instants as whole seconds since 1970-01-01T00:00:00Z. Integers have neither a zone nor a fold. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from duetime.timing.errors import TimingError

DAY = 86_400
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EPOCH_ORDINAL = EPOCH.toordinal()
_SECOND = timedelta(seconds=1)

# Two days within the range of datetime, so that no local time overflows it.
FIRST_INSTANT = (datetime(1, 1, 3, tzinfo=UTC) - EPOCH) // _SECOND
LAST_INSTANT = (datetime(9999, 12, 29, tzinfo=UTC) - EPOCH) // _SECOND


def since_epoch(instant: datetime) -> timedelta:
    """The time from 1970 to an instant. `EPOCH` is in UTC: within one other zone Python would subtract wall clocks."""
    try:
        return instant - EPOCH
    except TypeError:
        raise _naive() from None


def seconds_of(instant: datetime) -> int:
    """The whole seconds from 1970 to an instant, rounded down."""
    try:
        return (instant - EPOCH) // _SECOND
    except TypeError:
        raise _naive() from None


def in_utc(instant: datetime) -> datetime:
    """An instant in UTC. Refuses a naive one, which would otherwise be read in this machine's zone."""
    return EPOCH + since_epoch(instant)


def seconds_before(instant: datetime) -> int:
    """The last whole second strictly before an instant."""
    whole = seconds_of(instant)
    return whole if instant.microsecond else whole - 1


def instant_of(seconds: int) -> datetime:
    """The instant, in UTC, that many seconds after 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def _naive() -> TimingError:
    return TimingError("An instant needs an offset: give an aware datetime, such as one in UTC.")
