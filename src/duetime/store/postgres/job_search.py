"""Finding jobs for people, by whichever index finds few.

A page is read newest first along the user's jobs. Where labels or a schedule are asked for, their index is asked before
that: if it knows only some jobs, these are looked at and no others. So neither a rare label among a million jobs nor a
label on each of them makes a page slow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duetime.model.ids import MAX_ID
from duetime.model.job import JobFilter
from duetime.model.labels import spelled
from duetime.model.states import FINAL, JobState
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql

FEW = 10_000
"""From this many jobs on, an index narrows a search too little."""
_OPEN, _IN_FLIGHT, _FINISHED = "insight.list_open", "insight.list_in_flight", "insight.list_finished"
_SELECT = "insight.select_open"
_AMONG = {
    _OPEN: "insight.list_open_among",
    _FINISHED: "insight.list_finished_among",
    _SELECT: "insight.select_open_among",
}
"""The same listings, among jobs that an index has found."""


class JobSearch:
    """Finds the rows of jobs, or only the ids of those that can be cancelled."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def rows(self, user_id: int, wanted: JobFilter) -> list[Any]:
        """Returns the rows of the jobs that are meant, newest first."""
        found: dict[int, Any] = {}
        for listing in _listings(wanted.status):
            found |= {row["id"]: row for row in await self._listed(listing, user_id, wanted)}
        return [found[job_id] for job_id in sorted(found, reverse=True)[: wanted.limit]]

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """Returns the ids of the jobs that are meant and can be cancelled, newest first."""
        return [row["id"] for row in await self._listed(_SELECT, user_id, wanted)]

    async def _listed(self, listing: str, user_id: int, wanted: JobFilter) -> Sequence[Any]:
        arguments = _arguments(user_id, wanted)
        few = None if listing == _IN_FLIGHT else await self._few(listing, user_id, wanted)
        if few is None:
            return await self._pool.rows(sql(listing), *arguments)
        return await self._pool.rows(sql(_AMONG[listing]), *arguments, few) if few else []

    async def _few(self, listing: str, user_id: int, wanted: JobFilter) -> list[int] | None:
        """Returns the jobs that are named, or all that an index finds; None when these are more than a few."""
        finished = listing == _FINISHED
        below = _below(wanted)
        if wanted.ids is not None:
            return list(wanted.ids)
        if wanted.labels:
            labels = spelled(wanted.labels)
            with_user = f'{{"":{user_id},{labels[1:]}'
            rows = await self._pool.rows(
                sql("insight.with_labels_finished" if finished else "insight.with_labels_open"),
                user_id,
                with_user,
                below,
                FEW,
            )
        elif wanted.schedule_id is not None:
            rows = await self._pool.rows(
                sql("insight.of_schedule_finished" if finished else "insight.of_schedule_open"),
                user_id,
                wanted.schedule_id,
                below,
                FEW,
            )
        else:
            return None
        return None if len(rows) >= FEW else [row["id"] for row in rows]


def _below(wanted: JobFilter) -> int:
    return MAX_ID + 1 if wanted.before_id is None else wanted.before_id


def _arguments(user_id: int, wanted: JobFilter) -> tuple[object, ...]:
    return (
        user_id,
        _below(wanted),
        wanted.status,
        wanted.from_,
        wanted.to,
        wanted.ordering_key,
        wanted.q,
        wanted.limit,
        wanted.schedule_id,
        spelled(wanted.labels) if wanted.labels else None,
    )


def _listings(status: JobState | None) -> tuple[str, ...]:
    """Returns the listings for a state. History is last, so that a job that finishes meanwhile shows as finished."""
    if status is None or status is JobState.DEAD:
        return (_OPEN, _FINISHED)
    if status in FINAL:
        return (_FINISHED,)
    return (_IN_FLIGHT,) if status in (JobState.RUNNING, JobState.QUEUED) else (_OPEN,)
