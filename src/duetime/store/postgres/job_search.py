"""Finding jobs for people, by whichever index finds few.

A page is read newest first along the user's jobs. Where labels or a schedule are asked for, their index is asked before
that: if it knows only some jobs, these are looked at and no others. So neither a rare label among a million jobs nor a
label on each of them makes a page slow. States that few jobs end in have indexes of their own. Where nothing narrows a
search, it reads a bounded number of jobs (`floor`), and the next page continues below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import structs

from duetime.model.ids import MAX_ID
from duetime.model.job import JobFilter
from duetime.model.labels import spelled
from duetime.model.states import FINAL, JobState
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql

FEW = 10_000
"""From this many jobs on, an index narrows a search too little."""
_OPEN, _IN_FLIGHT, _FINISHED = "insight.list_open", "insight.list_in_flight", "insight.list_finished"
_PARKED, _RARE, _DEAD = "insight.list_parked", "insight.list_rare", "insight.list_dead"
_SELECT = "insight.select_open"
READ = 10_000
"""How many jobs a search reads that no index narrows."""
_AMONG = {
    _OPEN: "insight.list_open_among",
    _FINISHED: "insight.list_finished_among",
    _SELECT: "insight.select_open_among",
}
"""The same listings, among jobs that an index has found."""


WAITING = frozenset({JobState.CREATED, JobState.FAILED, JobState.SUSPENDED})
IN_FLIGHT = frozenset({JobState.RUNNING, JobState.QUEUED})
RARE = frozenset({JobState.CANCELLED, JobState.SKIPPED, JobState.LOST})
"""States of finished jobs that an index finds."""
ENDED = RARE | {JobState.SUCCEEDED}
"""States that only finished jobs are in. A dead job may still hold its lane."""


class JobSearch:
    """Finds the rows of jobs, or only the ids of those that can be cancelled."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def rows(self, user_id: int, wanted: JobFilter) -> list[Any]:
        """Returns the rows of the jobs that are meant, newest first."""
        found: dict[int, Any] = {}
        for listing in _listings(wanted):
            found |= {row["id"]: row for row in await self._listed(listing, user_id, wanted)}
        return [found[job_id] for job_id in sorted(found, reverse=True)[: wanted.limit]]

    async def floor(self, user_id: int, wanted: JobFilter) -> int | None:
        """Returns the lowest id that a search should look at; None if an index finds what it wants."""
        if wanted.ids is not None or not (wanted.statuses or _is_narrow(wanted)):
            return None
        floors: list[int] = []
        for listing, query in ((_OPEN, "insight.floor_open"), (_FINISHED, "insight.floor_finished")):
            if listing in _listings(wanted) and await self._few(listing, user_id, wanted) is None:
                rows = await self._pool.rows(sql(query), user_id, _below(wanted), READ - 1)
                floors += [row["id"] for row in rows]
        return max(floors, default=None)

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """Returns the ids of the jobs that are meant and can be cancelled, newest first."""
        return [row["id"] for row in await self._listed(_SELECT, user_id, wanted)]

    async def count(self, user_id: int, wanted: JobFilter) -> dict[JobState, int]:
        """Counts the jobs that are meant by state, up to the limit."""
        counts: Counter[JobState] = Counter()
        for listing in _listings(wanted):
            for row in await self._listed(listing, user_id, wanted, _counted):
                counts[JobState(row["state"])] += row["n"]
        return {state: min(count, wanted.limit) for state, count in counts.items()}

    async def _listed(
        self, listing: str, user_id: int, wanted: JobFilter, shape: Callable[[str], str] = sql
    ) -> Sequence[Any]:
        arguments = _arguments(user_id, wanted)
        few = await self._few(listing, user_id, wanted) if listing in _AMONG else None
        if few is None:
            return await self._pool.rows(shape(listing), *arguments)
        return await self._pool.rows(shape(_AMONG[listing]), *arguments, few) if few else []

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


def _counted(listing: str) -> str:
    """A listing that counts its rows by state. Columns that only a list shows are not read."""
    return f"SELECT state, count(*) AS n FROM ({sql(listing)}) found GROUP BY state"  # noqa: S608 - of our own blocks


def _below(wanted: JobFilter) -> int:
    return MAX_ID + 1 if wanted.before_id is None else wanted.before_id


def _arguments(user_id: int, wanted: JobFilter) -> tuple[object, ...]:
    return (
        user_id,
        _below(wanted),
        list(wanted.statuses) or None,
        wanted.from_,
        wanted.to,
        wanted.ordering_key,
        wanted.q,
        wanted.limit,
        wanted.schedule_id,
        spelled(wanted.labels) if wanted.labels else None,
        wanted.floor_id or 0,
        None if wanted.definitions is None else list(wanted.definitions),
        wanted.retrying,
    )


def _is_narrow(wanted: JobFilter) -> bool:
    """Whether more than states is asked for."""
    plain = JobFilter(wanted.statuses, before_id=wanted.before_id, limit=wanted.limit, retrying=wanted.retrying)
    return structs.replace(wanted, floor_id=None) != plain


def _listings(wanted: JobFilter) -> tuple[str, ...]:
    """Returns the listings that have such jobs. History is last: a job that finishes meanwhile shows as finished."""
    states = set(wanted.statuses or JobState)
    if _is_narrow(wanted):
        return tuple([_OPEN] * bool(states - ENDED) + [_FINISHED] * bool(states & FINAL))
    waiting = bool(states & WAITING)
    listings = [_OPEN] * waiting
    if not waiting:
        listings += [_IN_FLIGHT] * bool(states & IN_FLIGHT) + [_PARKED] * (JobState.DEAD in states)
    if JobState.SUCCEEDED in states:
        return (*listings, _FINISHED)
    return (*listings, *[_RARE] * bool(states & RARE), *[_DEAD] * (JobState.DEAD in states))
