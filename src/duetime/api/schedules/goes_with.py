"""Fields of a schedule that count only beside others: alone they are refused, and they go when those go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from duetime.model.errors import Invalid
from duetime.timing.spec import Timing

Said = Mapping[str, Any]


def _goes_by_clocks(said: Said) -> bool:
    """Whether a timing has local times, which clocks can leave out or repeat: intervals and instants have none."""
    cron = said["cron"] or ()
    crons = (cron,) if isinstance(cron, str) else cron
    return said["rrule"] is not None or any(not one.strip().lower().startswith("@every") for one in crons)


_COUNTS: Final[dict[str, Callable[[Said], bool]]] = {
    "anchor": lambda said: said["every"] is not None,
    "dst_policy": _goes_by_clocks,
    "window_policy": lambda said: said["window"] is not None,
    "on_failure": lambda said: said["ordering_key"] is not None or said["overlap"] == "queue",
}
_OF_TIMINGS: Final = {
    "anchor": "'anchor' goes with 'every', which counts from it: give both or none.",
    "dst_policy": "'dst_policy' goes with 'cron' or 'rrule', which go by clocks that change: leave it out with "
    "intervals and instants alone.",
    "window_policy": "'window_policy' says what becomes of instants outside the 'window': give both or none.",
}


def refuse_alone(timing: Said) -> None:
    """Refuse what has nothing beside it in a timing to say something about."""
    for field, words in _OF_TIMINGS.items():
        if timing[field] is not None and not _COUNTS[field](timing):
            raise Invalid(words, field=field)


def drop_alone(said: Said, *, but: Collection[str]) -> dict[str, Any]:
    """What a schedule says, without what does not count; but some fields stay, to be refused."""
    return {field: None if field not in but and _is_alone(field, said) else value for field, value in said.items()}


def shown_timing(timing: Timing) -> dict[str, Any]:
    """A timing field by field, without what does not count: what is shown can be sent again."""
    return drop_alone({field: getattr(timing, field) for field in timing.__struct_fields__}, but=())


def _is_alone(field: str, said: Said) -> bool:
    return field in _COUNTS and not _COUNTS[field](said)
