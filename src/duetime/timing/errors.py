"""What is said when a timing cannot be read: where it is wrong and what would be right."""

from __future__ import annotations

from duetime.model.errors import Invalid


class TimingError(Invalid):
    """This timing cannot be read."""

    code = "invalid_timing"

    def __init__(self, message: str | None = None, *, position: int = 0, **details: object) -> None:
        super().__init__(message, position=position, **details)
        self.position = position
        """The offset, in characters, of what is wrong in the text that was given."""


class CronError(TimingError):
    """This cron expression cannot be read."""

    code = "invalid_cron"


class ZoneError(CronError):
    """There is no such time zone."""

    code = "invalid_zone"


class RuleError(TimingError):
    """This recurrence rule cannot be read."""

    code = "invalid_rrule"


class WindowError(TimingError):
    """This window cannot be read."""

    code = "invalid_window"


class DurationError(TimingError):
    """This duration cannot be read."""

    code = "invalid_duration"


def quoted(text: str, limit: int = 40) -> str:
    """A piece of what was given, short enough for a sentence whatever was given."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
