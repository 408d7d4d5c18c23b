"""Reading from several databases, merged into one answer in the same order and with the same cursors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import structs

from duetime.model.ids import shard_of_lane
from duetime.model.job import Job, JobFilter
from duetime.model.lane import LaneHead
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.user import Usage
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members


class SpreadInsight:
    """`InsightStore` over several databases.

    Pages go by id. Each database gives its own first page after the cursor, and the first of them together is the
    page of all: nothing is skipped and nothing comes twice, whatever the databases hold.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    async def job(self, user_id: int, job_id: int) -> Job | None:
        """One job: where its shard lives, else wherever its record stayed when the shard moved."""
        return await self._members.first(
            lambda stores: stores.insight.job(user_id, job_id), self._members.of_job(job_id)
        )

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Job]:
        """Jobs, newest first."""
        pages = await self._members.each(lambda stores: stores.insight.jobs(user_id, wanted))
        return newest(self._members, pages, wanted.limit)

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """The ids of jobs that can be cancelled, newest first."""
        pages = await self._members.everyone(lambda stores: stores.insight.open_ids(user_id, wanted))
        return sorted({job_id for page in pages for job_id in page}, reverse=True)[: wanted.limit]

    async def jobs_by_key(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """The jobs that have these idempotency keys."""
        found: dict[str, int] = {}
        for some in await self._members.everyone(lambda stores: stores.insight.jobs_by_key(user_id, keys)):
            found |= some
        return found

    async def lane_heads(self, user_id: int, lanes: Sequence[str]) -> dict[str, LaneHead]:
        """The jobs that the others of these lanes wait for, each where its lane lives."""
        found: dict[str, LaneHead] = {}
        for member, some in self._members.by_member(lanes, lambda lane: shard_of_lane(user_id, lane)).items():
            found |= await member.ask(lambda stores, ask=some: stores.insight.lane_heads(user_id, ask))
        return found

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Every attempt of a job; those before a move are where it lived then."""
        pages = await self._members.each(lambda stores: stores.insight.runs(user_id, job_id))
        lives = self._members.of_job(job_id)
        found: dict[int, Run] = {}
        for _, runs in sorted(pages, key=lambda page: page[0] is lives):
            found |= {run.attempt: run for run in runs}
        return [found[attempt] for attempt in sorted(found)]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Counts by state, summed."""
        total: Counter[JobState] = Counter()
        for counts in await self._members.everyone(lambda stores: stores.insight.stats(user_id)):
            total.update(counts)
        return {state: count for state, count in total.items() if count}

    async def usage(self, user_id: int) -> Usage:
        """Schedules of all databases, and what the home database has: calendars and definitions."""
        home = await self._members.home.ask(lambda stores: stores.insight.usage(user_id))
        schedules = await self._members.everyone(lambda stores: stores.schedules.count(user_id))
        return structs.replace(home, schedules=sum(schedules))

    async def message_bytes(self, user_id: int) -> int:
        """The bytes of all databases."""
        return sum(await self._members.everyone(lambda stores: stores.insight.message_bytes(user_id)))


def newest(members: Members, pages: Iterable[tuple[SpreadMember, list[Job]]], limit: int) -> list[Job]:
    """The newest of several pages together; of a job that is just being moved, the one where it lives."""
    found: dict[int, Job] = {}
    for member, page in pages:
        for job in page:
            if job.id not in found or members.of_job(job.id) is member:
                found[job.id] = job
    return [found[job_id] for job_id in sorted(found, reverse=True)[:limit]]
