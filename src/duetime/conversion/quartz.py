"""The converter for Quartz: each trigger of a `job-scheduling-data` document becomes a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from duetime.conversion.called import called_target
from duetime.conversion.port import CannotConvert, Converted, Rejected, refuse_unknown
from duetime.conversion.xml_tree import Element, read_xml
from duetime.model.errors import DuetimeError
from duetime.timing.cron import Cron

DEFAULT_GROUP = "DEFAULT"
_KINDS = ("cron", "simple", "calendar-interval")
_UNITS = {"SECOND": "s", "MINUTE": "m", "HOUR": "h", "DAY": "d", "WEEK": "w"}
_SKIPPED = {"MISFIRE_INSTRUCTION_DO_NOTHING", "MISFIRE_INSTRUCTION_RESCHEDULE_NEXT_WITH_REMAINING_COUNT"}


class _NotConvertible(DuetimeError):
    """The trigger cannot be converted."""


def convert(file: BinaryIO, options: Mapping[str, str]) -> Iterator[Converted | Rejected]:
    """Yields a schedule for each trigger. Options: `zone`, `prefix`, and `url`, or `queue` and `task`."""
    refuse_unknown(options, "zone", "prefix", "url", "queue", "task")
    called_target(options, "")
    root = read_xml(file)
    if root.name != "job-scheduling-data":
        raise CannotConvert(f"The document is a <{root.name}>, and not a <job-scheduling-data> of Quartz.")
    schedules = list(root.all("schedule"))
    jobs = {_key(job): job for schedule in schedules for job in schedule.all("job")}
    for schedule in schedules:
        for trigger in schedule.all("trigger"):
            try:
                yield Converted(trigger.line, _schedule(trigger, jobs, options))
            except _NotConvertible as error:
                yield Rejected(trigger.line, error.message)


def _key(element: Element, prefix: str = "") -> tuple[str, str]:
    return element.value(f"{prefix}group") or DEFAULT_GROUP, element.value(f"{prefix}name") or ""


def _schedule(trigger: Element, jobs: Mapping[tuple[str, str], Element], options: Mapping[str, str]) -> dict[str, Any]:
    kind = next((one for one in trigger.children if one.name in _KINDS), None)
    if kind is None:
        raise _NotConvertible(f"The trigger is none of {', '.join(_KINDS)}.")
    group, name = _key(kind)
    if not name:
        raise _NotConvertible("The trigger has no name.")
    key = _key(kind, "job-")
    if key not in jobs:
        raise _NotConvertible(f"The trigger '{name}' names the job '{'.'.join(key)}', which is not in the file.")
    job = jobs[key]
    own = f"{group}.{name}" if group != DEFAULT_GROUP else name
    found: dict[str, Any] = {
        "kind": "schedule",
        "name": options.get("prefix", "quartz-") + own,
        **_timing(kind, options),
        "message": {"job": ".".join(key), "class": job.value("job-class"), "data": _data(job) | _data(kind)},
        "target": called_target(options, key[1]),
        # A job of Quartz is not tried again, and its runs may overlap.
        "retry": False,
        "overlap": "allow",
        "misfire": "skip" if kind.value("misfire-instruction") in _SKIPPED else "fire_once",
    }
    for ours, theirs in (("start", "start-time"), ("end", "end-time")):
        if (instant := kind.value(theirs)) is not None:
            found[ours] = _instant(instant, theirs)
    return found


def _timing(kind: Element, options: Mapping[str, str]) -> dict[str, Any]:
    zone = kind.value("time-zone") or options.get("zone")
    if kind.name == "cron":
        text = " ".join((kind.value("cron-expression") or "").split())
        if zone is None:
            raise _NotConvertible("The trigger has no time-zone: give the option 'zone', the zone of its machine.")
        try:
            Cron.parse(text, zone=zone, dialect="quartz")
        except DuetimeError as error:
            raise _NotConvertible(error.message) from None
        return {"cron": text, "dialect": "quartz", "zone": zone}
    if kind.name == "calendar-interval":
        unit, count = kind.value("repeat-interval-unit") or "", _number(kind, "repeat-interval")
        if unit.upper() not in _UNITS or count < 1:
            raise _NotConvertible(f"An interval of {count} '{unit}' has no fixed length: write it as a cron line.")
        return {"every": f"{count}{_UNITS[unit.upper()]}"}
    repeats, interval = _number(kind, "repeat-count"), _number(kind, "repeat-interval")
    if repeats == 0 or interval < 1:
        raise _NotConvertible("The trigger fires once: create a job for its instant instead.")
    return {"every": interval / 1000} | ({"max_occurrences": repeats + 1} if repeats > 0 else {})


def _number(kind: Element, name: str) -> int:
    text = kind.value(name) or "0"
    if not text.removeprefix("-").isdecimal():
        raise _NotConvertible(f"<{name}> must be a whole number, and not '{text[:40]}'.")
    return int(text)


def _instant(text: str, name: str) -> str:
    if "T" not in text or not (text.endswith("Z") or "+" in text[10:] or "-" in text[11:]):
        raise _NotConvertible(f"<{name}> has no UTC offset: write it as {text[:40]}Z.")
    return text


def _data(element: Element) -> dict[str, str]:
    entries = element.child("job-data-map")
    if entries is None:
        return {}
    return {one.value("key") or "": one.value("value") or "" for one in entries.all("entry")}
