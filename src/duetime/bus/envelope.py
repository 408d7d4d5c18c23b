"""Reports of ended runs as texts that hints can join by commas. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from duetime.bus.port import Ended
from duetime.coordination.port import EVERYTHING

_WITHOUT_SUCCESS: Final = "-"


def spell_ended(one: Ended) -> str:
    """Returns the text of a report: the id alone is a success."""
    if one.failure is not None:
        host = "" if "," in one.host else one.host
        return f"{one.job_id} {one.failure} {host}".rstrip()
    return f"{one.job_id}" if one.succeeded else f"{one.job_id} {_WITHOUT_SUCCESS}"


def read_ended(text: str) -> Sequence[Ended] | None:
    """Returns the reports in a text; None when there were too many for one hint."""
    if text == EVERYTHING:
        return None
    return [_read(part.split(" ", 2)) for part in text.split(",") if part]


def _read(words: list[str]) -> Ended:
    job_id = int(words[0])
    if len(words) == 1:
        return Ended(job_id, succeeded=True)
    if words[1] == _WITHOUT_SUCCESS:
        return Ended(job_id)
    return Ended(job_id, failure=words[1], host=words[2] if len(words) > 2 else "")
