"""What executors tell schedulers about runs that are over: short texts that hints can join by commas. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from duetime.coordination.port import EVERYTHING

_NOTHING: Final = "-"


class Ended(NamedTuple):
    """A run that is over: for good (or with success), with a failure of some kind at a host, or perhaps to go again."""

    job_id: int
    succeeded: bool = False
    failure: str | None = None
    host: str = ""


def spell_ended(one: Ended) -> str:
    """As it is sent: the id alone is a success."""
    if one.failure is not None:
        host = "" if "," in one.host else one.host
        return f"{one.job_id} {one.failure} {host}".rstrip()
    return f"{one.job_id}" if one.succeeded else f"{one.job_id} {_NOTHING}"


def read_ended(text: str) -> Sequence[Ended] | None:
    """What was sent; None when there was too much to say."""
    if text == EVERYTHING:
        return None
    return [_read(part.split(" ", 2)) for part in text.split(",") if part]


def _read(words: list[str]) -> Ended:
    job_id = int(words[0])
    if len(words) == 1:
        return Ended(job_id, succeeded=True)
    if words[1] == _NOTHING:
        return Ended(job_id)
    return Ended(job_id, failure=words[1], host=words[2] if len(words) > 2 else "")
