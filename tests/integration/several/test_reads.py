"""Reads are merged: every page in order, nothing skipped and nothing twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from duetime.model.ids import SHARDS
from duetime.model.job import DeadFilter, JobFilter
from duetime.model.outcome import Failure, Outcome
from duetime.model.states import JobState
from duetime.store.port import JobRef
from duetime.store.spread.due import SpreadDue
from duetime.store.spread.insight import SpreadInsight
from duetime.store.spread.members import Members
from harness.several import SpreadEngine

FAILED = Outcome(JobState.FAILED, Failure("refused", "It would not."))


class ListedMember:
    """A database of nothing but ids."""

    answers = True

    def __init__(self, number: int, ids: list[int]) -> None:
        self.number, self.ids, self.here = number, sorted(ids, reverse=True), frozenset[int]()

    async def ask(self, call: Any) -> Any:
        return await call(SimpleNamespace(insight=self, due=self))

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Any]:
        before = wanted.before_id if wanted.before_id is not None else 2**53
        return [SimpleNamespace(id=one, at=self.number) for one in self.ids if one < before][: wanted.limit]

    async def due(self, after: Any, until: Any, held: Any, limit: int) -> list[JobRef]:
        refs = [JobRef(one, 1, 1, 5, one // 7, 0, None, one // 7) for one in self.ids]
        return sorted((ref for ref in refs if (ref.due_at, ref.id) > after), key=lambda r: (r.due_at, r.id))[:limit]


homes = st.lists(st.tuples(st.integers(1, 400), st.integers(0, 2), st.booleans()), unique_by=lambda one: one[0])


@given(homes, st.integers(1, 7))
async def test_pages_of_several_databases_are_the_pages_of_one(where: list[tuple[int, int, bool]], limit: int) -> None:
    """Some ids are in two databases at once, as while a shard is being moved."""
    ids: list[list[int]] = [[], [], []]
    for job_id, home, twice in where:
        ids[home].append(job_id)
        if twice:
            ids[(home + 1) % 3].append(job_id)
    members = Members([ListedMember(number, some) for number, some in enumerate(ids)])  # type: ignore[list-item]
    places = [0] * SHARDS
    for job_id, home, _ in where:
        places[job_id % SHARDS] = home
    members.place(places)
    insight, before, seen = SpreadInsight(members), None, list[int]()
    while True:
        page = await insight.jobs(1, JobFilter(before_id=before, limit=limit))
        assert all(job.at == places[job.id % SHARDS] for job in page)
        seen += [job.id for job in page]
        if len(page) < limit:
            break
        before = page[-1].id
    assert seen == sorted((one for one, _, _ in where), reverse=True)

    due, after, read = SpreadDue(members), (-1, 0), list[int]()
    while page := await due.due(after, None, [], limit):  # type: ignore[arg-type]
        read += [ref.id for ref in page]
        after = (page[-1].due_at, page[-1].id)
    assert read == sorted((one for one, _, _ in where), key=lambda one: (one // 7, one))


async def test_open_finished_and_dead_jobs_are_listed_from_both(spread: SpreadEngine) -> None:
    user = await spread.user()
    spread.bus.answer = lambda run: FAILED if run.message == "fails" else None
    from duetime.model.definition import Definition
    from duetime.model.policy import Policy, Retry

    once = Definition(policy=Policy(retry=Retry(max_attempts=1)))
    dead = [await spread.add(user, "fails", definition=once) for _ in range(10)]
    running = [await spread.add(user) for _ in range(10)]
    later = [await spread.add(user, after=3600) for _ in range(10)]
    await spread.settle_down()
    for wanted, expected in (
        (JobFilter(limit=4), dead + running + later),
        (JobFilter(limit=3, status=JobState.DEAD), dead),
        (JobFilter(limit=3, status=JobState.RUNNING), running),
    ):
        assert await pages(spread, user, wanted) == sorted(expected, reverse=True)
    assert {job.id for job in await spread.dead_letters.list(user, DeadFilter())} == set(dead)
    assert await spread.insight.stats(user) == {JobState.DEAD: 10, JobState.RUNNING: 10, JobState.CREATED: 10}
    assert (await spread.insight.job(user, dead[3])).state is JobState.DEAD
    assert [run.state for run in await spread.insight.runs(user, dead[3])] == [JobState.DEAD]
    assert sorted(await spread.dead_letters.redrive(user, dead, None, user)) == sorted(dead)
    spread.bus.answer = lambda run: None
    await spread.settle_down()
    assert await pages(spread, user, JobFilter(status=JobState.RUNNING)) == sorted(dead + running, reverse=True)


async def test_changes_reach_a_job_wherever_it_is(spread: SpreadEngine) -> None:
    user = await spread.user()
    spread.bus.answer = lambda run: None
    waiting = [await spread.add(user, after=3600) for _ in range(4)]
    assert {one % 1024 < 512 for one in waiting} == {True, False}
    for job_id in waiting[:2]:
        assert (await spread.control.cancel(user, job_id, user)).state is JobState.CANCELLED
    for job_id in waiting[2:]:
        await spread.control.run_now(user, job_id, user)
    await spread.settle_down()
    assert set(spread.bus.open) == set(waiting[2:])
    for job_id in waiting[2:]:
        await spread.control.cancel(user, job_id, user)
    assert sorted(spread.stopped) == sorted(waiting[2:])


async def pages(spread: SpreadEngine, user: int, wanted: JobFilter) -> list[int]:
    found: list[int] = []
    before = None
    while True:
        page = await spread.insight.jobs(user, JobFilter(status=wanted.status, limit=wanted.limit, before_id=before))
        found += [job.id for job in page]
        if len(page) < wanted.limit:
            return found
        before = page[-1].id
