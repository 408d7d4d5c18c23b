"""Each step of a job's way fails in each way, and nothing that must not be comes of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio

from chaos import recording
from chaos.checker import check
from chaos.checker.lanes import zombies
from chaos.cluster import Cluster, running_cluster
from chaos.history import History
from chaos.load import Load, Mix
from chaos.matrix import SELECTED, Case, Runner, cases, run_case
from chaos.nemesis import Nemesis, Planned
from chaos.scenario import drained, new_user
from chaos.sink import ChaosSink, running_chaos_sink

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world() -> AsyncIterator[tuple[Cluster, ChaosSink]]:
    """Two nodes and a sink for all cases; each case has a user of its own."""
    with running_chaos_sink() as sink:
        async with running_cluster(2) as cluster:
            yield cluster, sink


_numbers = count(1)


@pytest.fixture
def runner(world: tuple[Cluster, ChaosSink]) -> Runner:
    """Runs one case."""
    cluster, sink = world
    return lambda case: run_case(cluster, sink, case, next(_numbers))


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


async def test_a_sleeper_is_fenced_and_what_it_brings_is_not_taken(world: tuple[Cluster, ChaosSink]) -> None:
    cluster, sink = world
    token, user_id = await new_user(cluster)
    mix = Mix(rate=40.0, lanes=4, schedules=0, singles=0.0, edits=0.0, to_sink=1.0, ahead=1.5, delay=300)
    nemesis = Nemesis(cluster)
    before = sum(node.stale_writes() for node in cluster.nodes)
    async with Load([cluster.nodes[1].url], token, sink, mix, 1, "sleeper") as load:
        sleep = Planned(after=1.0, kind="sleep", node=0, seconds=1.0)
        await asyncio.gather(load.run(3.0), nemesis.carry_out([sleep]))
        await load.answered()
    standing = await drained(cluster, time.time() + mix.ahead)
    history = History(
        asked=load.asked,
        arrivals=[one for one in await sink.arrivals() if one.message.startswith("sleeper ")],
        healed_at=time.time(),
        zombies_expected=True,
        stale_writes=sum(node.stale_writes() for node in cluster.nodes) - before,
        **standing,
        **await recording.read(cluster.dsn, user_id),
    )
    assert [fault.happened for fault in nemesis.faults] == [1]
    assert not (found := check(history)), "\n".join(map(str, found[:20]))
    assert zombies(history), "no run was open when the node fell asleep"
