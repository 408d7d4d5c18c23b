"""Errors for timings that cannot be read. Each says where the text is wrong and what would be right."""

from __future__ import annotations

from duetime.errors import Invalid


class TimingError(Invalid):
    """This timing cannot be read."""

    code = "invalid_timing"

    def __init__(self, message: str | None = None, *, position: int = 0, **details: object) -> None:
        super().__init__(message, position=position, **details)
        self.position = position
        """The offset, in characters, of the wrong part in the given text."""


class CronError(TimingError):
    """This cron expression cannot be read."""

    code = "invalid_cron"


class ZoneError(CronError):
    """There is no such time zone."""

    code = "invalid_zone"


class RuleError(TimingError):
    """This recurrence rule cannot be read."""

    code = "invalid_rrule"


class SearchLimit(RuleError):
    """This rule is due too rarely: its next date cannot be found with bounded work. Use fewer BY parts."""

    def __init__(self, local: int) -> None:
        super().__init__()
        self.local = local
        """The local time, in seconds since 1970, up to which no date was found."""


class WindowError(TimingError):
    """This window cannot be read."""

    code = "invalid_window"


class DurationError(TimingError):
    """This duration cannot be read."""

    code = "invalid_duration"


def quoted(text: str, limit: int = 40) -> str:
    """Given text in quotes, shortened to fit into a sentence."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
