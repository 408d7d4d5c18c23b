"""Fields of a schedule that depend on another field: refused without it, and dropped when it is removed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from duetime.model.errors import Invalid
from duetime.timing.spec import Timing

Given = Mapping[str, Any]


def _has_local_times(given: Given) -> bool:
    """Whether a timing has local times, which clock changes can skip or repeat. Intervals and instants have none."""
    cron = given["cron"] or ()
    crons = (cron,) if isinstance(cron, str) else cron
    return given["rrule"] is not None or any(not one.strip().lower().startswith("@every") for one in crons)


_COUNTS_WHEN: Final[dict[str, Callable[[Given], bool]]] = {
    "dialect": lambda given: given["cron"] is not None,
    "anchor": lambda given: given["every"] is not None,
    "dst_policy": _has_local_times,
    "window_policy": lambda given: given["window"] is not None,
    "on_failure": lambda given: given["ordering_key"] is not None or given["overlap"] == "queue",
}
_TIMING_ERRORS: Final = {
    "dialect": "'dialect' says how 'cron' is written: give both or neither.",
    "anchor": "'anchor' is the instant that 'every' counts from: give both or neither.",
    "dst_policy": "'dst_policy' is for 'cron' and 'rrule', which have local times: leave it out when there are only "
    "intervals and instants.",
    "window_policy": "'window_policy' decides about instants outside the 'window': give both or neither.",
}


def refuse_alone(timing: Given) -> None:
    """Refuses a field of a timing without the field that it depends on."""
    for field, message in _TIMING_ERRORS.items():
        if timing[field] is not None and not _COUNTS_WHEN[field](timing):
            raise Invalid(message, field=field)


def drop_alone(given: Given, *, keep: Collection[str] = ()) -> dict[str, Any]:
    """A schedule's fields without those that do not count. The fields to `keep` stay, to be refused later."""
    return {field: None if field not in keep and _is_alone(field, given) else value for field, value in given.items()}


def shown_timing(timing: Timing) -> dict[str, Any]:
    """A timing's fields without those that do not count, so that what is shown can be sent again."""
    return drop_alone({field: getattr(timing, field) for field in timing.__struct_fields__})


def _is_alone(field: str, given: Given) -> bool:
    return field in _COUNTS_WHEN and not _COUNTS_WHEN[field](given)
