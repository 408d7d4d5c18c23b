"""Each step of a job's life fails in each way, and no invariant is violated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio

from chaos.cells import of_cells
from chaos.checker import check
from chaos.checker.lanes import zombies
from chaos.cluster import Cluster, running_cluster
from chaos.matrix import SELECTED, SELECTED_WITH_WORKERS, Case, Runner, cases, fall_asleep, run_case, worker_cases
from chaos.sink import ChaosSink, running_chaos_sink
from chaos.workers import WORKER_LEASE

pytestmark = pytest.mark.asyncio(loop_scope="module")


CELLS = [pytest.param(1, id="one cell"), pytest.param(2, id="two cells", marks=pytest.mark.chaos)]


@pytest_asyncio.fixture(loop_scope="module", scope="module", params=CELLS)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Cluster, ChaosSink]]:
    """Two nodes and a sink for all cases, on one database and on two; each case has its own user."""
    with running_chaos_sink() as sink:
        lease = f"engine.worker_lease={WORKER_LEASE:g}s"
        async with running_cluster(2, "--set", lease, kind=of_cells(request.param)) as cluster:
            yield cluster, sink


_numbers = count(1)


@pytest.fixture
def runner(world: tuple[Cluster, ChaosSink]) -> Runner:
    """Runs one case."""
    cluster, sink = world
    return lambda case: run_case(cluster, sink, case, next(_numbers))


def is_selected(case: Case) -> bool:
    """Whether a case with workers is one of `make check`."""
    return (case.rule or case.trigger) in SELECTED_WITH_WORKERS


async def judge(runner: Runner, case: Case) -> None:
    history = await runner(case)
    found = check(history)
    assert not found, "\n".join(map(str, found[:20]))
    assert history.faults[0].happened > 0, "the failpoint never struck"
    assert len(history.ended_jobs) > 50, "hardly anything ran"


@pytest.mark.parametrize("case", [case for case in cases() if case.rule in SELECTED], ids=str)
async def test_selected(runner: Runner, case: Case) -> None:
    await judge(runner, case)


@pytest.mark.chaos
@pytest.mark.parametrize("case", [case for case in cases() if case.rule not in SELECTED], ids=str)
async def test_every(runner: Runner, case: Case) -> None:
    await judge(runner, case)


@pytest.fixture
def worker_runner(world: tuple[Cluster, ChaosSink], runner: Runner) -> Runner:
    """Runs one case with workers, which need a single database."""
    if len(world[0].dsns) > 1:
        pytest.skip("workers need a single database")
    return runner


@pytest.mark.parametrize("case", [case for case in worker_cases() if is_selected(case)], ids=str)
async def test_selected_with_workers(worker_runner: Runner, case: Case) -> None:
    await judge(worker_runner, case)


@pytest.mark.chaos
@pytest.mark.parametrize("case", [case for case in worker_cases() if not is_selected(case)], ids=str)
async def test_every_with_workers(worker_runner: Runner, case: Case) -> None:
    await judge(worker_runner, case)


async def test_a_sleeper_is_fenced_and_what_it_brings_is_not_taken(world: tuple[Cluster, ChaosSink]) -> None:
    history = await fall_asleep(*world, next(_numbers))
    assert not (found := check(history)), "\n".join(map(str, found[:20]))
    assert [fault.happened for fault in history.faults] == [1]
    assert zombies(history), "no run was open when the node fell asleep"
