"""The public names of the package, on which users' code may rely."""

from __future__ import annotations

import inspect

import duetime.timing as timing


def test_the_names() -> None:
    assert sorted(timing.__all__) == [
        "At",
        "Calendar",
        "Cron",
        "CronError",
        "DIALECTS",
        "DST_POLICIES",
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
    assert all(hasattr(timing, name) for name in timing.__all__)


def test_how_a_cron_is_read() -> None:
    parameters = inspect.signature(timing.Cron.parse).parameters
    assert [(name, one.default) for name, one in parameters.items() if one.default is not one.empty] == [
        ("zone", "UTC"),
        ("dst", "vixie"),
        ("key", ""),
        ("dialect", "standard"),
    ]
    assert timing.DST_POLICIES == ("vixie", "literal", "skip_once", "shift")
