"""Timings and time zones: pure functions that compute when a schedule is due."""

from duetime.timing.at import At
from duetime.timing.calendars import Calendar
from duetime.timing.cron import Cron
from duetime.timing.dialects import other_days_in_quartz
from duetime.timing.dst import DST_POLICIES, DstPolicy
from duetime.timing.durations import format_duration, parse_duration
from duetime.timing.errors import CronError, DurationError, RuleError, TimingError, WindowError, ZoneError
from duetime.timing.every import Every
from duetime.timing.explain import explain
from duetime.timing.expression import DIALECTS, Dialect
from duetime.timing.jitter import jitter_of
from duetime.timing.preview import Preview, PreviewRow, in_zone, preview
from duetime.timing.rrule import Rule
from duetime.timing.spec import Timing, compile_timing
from duetime.timing.timetable import Flag, Occurrence, Timetable
from duetime.timing.windows import Window
from duetime.timing.zones import zone_names, zone_table

__all__ = [
    "DIALECTS",
    "DST_POLICIES",
    "At",
    "Calendar",
    "Cron",
    "CronError",
    "Dialect",
    "DstPolicy",
    "DurationError",
    "Every",
    "Flag",
    "Occurrence",
    "Preview",
    "PreviewRow",
    "Rule",
    "RuleError",
    "Timetable",
    "Timing",
    "TimingError",
    "Window",
    "WindowError",
    "ZoneError",
    "compile_timing",
    "explain",
    "format_duration",
    "in_zone",
    "jitter_of",
    "other_days_in_quartz",
    "parse_duration",
    "preview",
    "zone_names",
    "zone_table",
]
