"""Reads are merged: every page in order, nothing skipped and nothing twice."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.cells.insight import CellsInsight
from duetime.model.ids import SHARDS
from duetime.model.job import DeadFilter, JobFilter
from duetime.model.outcome import Failure, Outcome
from duetime.model.states import JobState
from harness.cells import CellEngines

FAILED = Outcome(JobState.FAILED, Failure("refused", "It would not."))


class ListedCell:
    """A cell of nothing but ids."""

    answers = True

    def __init__(self, number: int, ids: list[int]) -> None:
        self.number, self.ids, self.here = number, sorted(ids, reverse=True), frozenset[int]()

    async def run(self, call: Any) -> Any:
        return await call()

    @property
    def services(self) -> Any:
        return SimpleNamespace(insight=self)

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Any]:
        before = wanted.before_id if wanted.before_id is not None else 2**53
        return [SimpleNamespace(id=one, at=self.number) for one in self.ids if one < before][: wanted.limit]


homes = st.lists(st.tuples(st.integers(1, 400), st.integers(0, 2), st.booleans()), unique_by=lambda one: one[0])


@given(homes, st.integers(1, 7))
async def test_pages_of_several_cells_are_the_pages_of_one(where: list[tuple[int, int, bool]], limit: int) -> None:
    """Some ids are in two cells at once, as while a shard is being moved."""
    ids: list[list[int]] = [[], [], []]
    for job_id, home, twice in where:
        ids[home].append(job_id)
        if twice:
            ids[(home + 1) % 3].append(job_id)
    listed = Cells([cast(Cell, ListedCell(number, some)) for number, some in enumerate(ids)])
    places = [0] * SHARDS
    for job_id, home, _ in where:
        places[job_id % SHARDS] = home
    listed.set_homes(places)
    insight, before, seen = CellsInsight(listed), None, list[int]()
    while True:
        page = cast(list[Any], await insight.jobs(1, JobFilter(before_id=before, limit=limit)))
        assert all(job.at == places[job.id % SHARDS] for job in page)
        seen += [job.id for job in page]
        if len(page) < limit:
            break
        before = page[-1].id
    assert seen == sorted((one for one, _, _ in where), reverse=True)


async def test_open_finished_and_dead_jobs_are_listed_from_both(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: FAILED if run.message == "fails" else None
    from duetime.model.definition import Definition
    from duetime.model.policy import Policy, Retry

    once = Definition(policy=Policy(retry=Retry(max_attempts=1)))
    dead = [await cells.add(user, "fails", definition=once) for _ in range(10)]
    running = [await cells.add(user) for _ in range(10)]
    later = [await cells.add(user, after=3600) for _ in range(10)]
    await cells.settle_down()
    for wanted, expected in (
        (JobFilter(limit=4), dead + running + later),
        (JobFilter(limit=3, statuses=(JobState.DEAD,)), dead),
        (JobFilter(limit=3, statuses=(JobState.RUNNING,)), running),
    ):
        assert await pages(cells, user, wanted) == sorted(expected, reverse=True)
    assert {job.id for job in await cells.dead_letters.list(user, DeadFilter())} == set(dead)
    assert await cells.insight.stats(user) == {JobState.DEAD: 10, JobState.RUNNING: 10, JobState.CREATED: 10}
    assert (await cells.insight.job(user, dead[3])).state is JobState.DEAD
    assert [run.state for run in await cells.insight.runs(user, dead[3])] == [JobState.DEAD]
    assert sorted(await cells.dead_letters.redrive(user, dead, None, user)) == sorted(dead)
    cells.bus.answer = lambda run: None
    await cells.settle_down()
    assert await pages(cells, user, JobFilter(statuses=(JobState.RUNNING,))) == sorted(dead + running, reverse=True)


async def test_changes_reach_a_job_wherever_it_is(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    waiting = [await cells.add(user, after=3600) for _ in range(4)]
    assert {one % 1024 < 512 for one in waiting} == {True, False}
    for job_id in waiting[:2]:
        assert (await cells.control.cancel(user, job_id, user)).state is JobState.CANCELLED
    for job_id in waiting[2:]:
        await cells.control.run_now(user, job_id, user)
    await cells.settle_down()
    assert set(cells.bus.open) == set(waiting[2:])
    for job_id in waiting[2:]:
        await cells.control.cancel(user, job_id, user)
    assert sorted(cells.stopped) == sorted(waiting[2:])


async def pages(cells: CellEngines, user: int, wanted: JobFilter) -> list[int]:
    found: list[int] = []
    before = None
    while True:
        page = await cells.insight.jobs(user, JobFilter(statuses=wanted.statuses, limit=wanted.limit, before_id=before))
        found += [job.id for job in page]
        if len(page) < wanted.limit:
            return found
        before = page[-1].id
