"""Hints about stored jobs for the owners of their shards: references as texts that hints can join by commas. Pure.

A text is a list of JSON values without its brackets. An array is a reference, instants in microseconds. In the short
form a number is a flow with due jobs, and an array of one number is a second from which to look ahead again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from duetime.coordination.port import EVERYTHING
from duetime.model.ids import shard_of
from duetime.store.port import JobRef
from duetime.timing.instants import EPOCH, instant_of, seconds_of

_MICROSECOND = timedelta(microseconds=1)
_ENCODER = msgspec.json.Encoder()


class StoredHint(NamedTuple):
    """The content of a hint: the stored jobs themselves, or only the flows and the second to read from."""

    refs: Sequence[JobRef] = ()
    flows: Sequence[int] = ()
    since: datetime | None = None


def spell_stored(ref: JobRef) -> str:
    """Returns the text of a reference. The first attempt of a plain job needs only the first five fields."""
    job_id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id = ref
    due = (due_at - EPOCH) // _MICROSECOND
    if attempt == 0 and lane is None and schedule_id is None and execute_at == due_at:
        return f"[{job_id},{user_id},{flow},{priority},{due}]"
    execute = (execute_at - EPOCH) // _MICROSECOND
    return _ENCODER.encode((job_id, user_id, flow, priority, due, attempt, lane, execute, schedule_id)).decode()


def spell_where(ref: JobRef, now: datetime) -> str:
    """Returns the short form: the flow of a due job, or the second of a later one. Many jobs share it."""
    return str(ref.flow) if ref.due_at <= now else f"[{seconds_of(ref.due_at)}]"


def read_stored(text: str, held: Sequence[bool]) -> StoredHint | None:
    """Returns the content of a hint for the held shards. None: it is `EVERYTHING`, so any job may be stored."""
    if text == EVERYTHING:
        return None
    refs: list[JobRef] = []
    flows: list[int] = []
    seconds: list[int] = []
    for value in msgspec.json.decode(f"[{text}]"):
        if isinstance(value, int):
            flows.append(value)
        elif len(value) == 1:
            seconds += value
        elif held[shard_of(value[0])]:
            refs.append(_read(*value))
    return StoredHint(refs, flows, instant_of(min(seconds)) if seconds else None)


def _read(
    job_id: int,
    user_id: int,
    flow: int,
    priority: int,
    due: int,
    attempt: int = 0,
    lane: str | None = None,
    execute: int | None = None,
    schedule_id: int | None = None,
) -> JobRef:
    due_at = EPOCH + due * _MICROSECOND
    execute_at = due_at if execute is None else EPOCH + execute * _MICROSECOND
    return JobRef(job_id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id)
