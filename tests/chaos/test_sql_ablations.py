"""Each safeguard is cut out of the real SQL: without it a fixed order of calls goes wrong, and with it does not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from chaos.sql_ablations import IN_THE_ENGINE, SQL_ABLATIONS, SqlAblation, cut_database, cut_statements
from contract.store.place import PostgresPlace
from duetime.clock.manual import ManualClock
from duetime.model.states import JobState
from harness.database import TestServer
from harness.engine import Engine
from simulation.ablations import ABLATIONS


@pytest.mark.parametrize("ablation", SQL_ABLATIONS, ids=lambda one: one.name)
async def test_with_the_safeguard_nothing_goes_wrong_and_without_it_something_does(
    server: TestServer, ablation: SqlAblation
) -> None:
    async with PostgresPlace.opened(server) as place:
        assert isinstance(place, PostgresPlace)
        assert await ablation.scenario(place) is None
    with cut_statements(ablation.cuts):
        async with PostgresPlace.opened(server) as place:
            assert isinstance(place, PostgresPlace)
            await cut_database(place, ablation.cuts)
            assert await ablation.scenario(place), f"the {ablation.name} was not missed"


def test_every_ablation_of_the_simulation_is_shown_on_the_real_store() -> None:
    shown = {one.name for one in SQL_ABLATIONS} | IN_THE_ENGINE.keys()
    assert shown == {one.name for one in ABLATIONS}


@pytest.mark.parametrize("swept", [True, False], ids=["swept", "not swept"])
async def test_a_lane_that_a_dead_node_left_behind_goes_on_only_when_it_is_swept(
    dsn: str, engine: Engine, swept: bool
) -> None:
    user = await engine.user()
    jobs = [await engine.add(user, f"m{number}", lane="a", after=5.0 + number) for number in range(6)]
    for job_id in jobs[:5]:  # the node that ends them dies before it lets the lane go on
        assert await engine.stores.control.withdraw(user, job_id, JobState.CANCELLED, "x", engine.clock.now(), user)
    async with heir_of(engine, dsn) as heir:
        if swept:
            await heir.lane_sweep.whole_round()
        await heir.pass_time(60.0)
        assert (await state(heir, user, jobs[5]) == "succeeded") is swept


@pytest.mark.parametrize("rescued", [True, False], ids=["rescued", "not rescued"])
async def test_a_run_of_a_dead_node_goes_again_only_when_it_is_rescued(dsn: str, engine: Engine, rescued: bool) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    job_id = await engine.add(user)
    await engine.settle_down()
    async with heir_of(engine, dsn) as heir:
        if rescued:
            await heir.rescue.run_once()
        await heir.pass_time(60.0)
        assert (await state(heir, user, job_id) == "succeeded") is rescued


@asynccontextmanager
async def heir_of(engine: Engine, dsn: str) -> AsyncIterator[Engine]:
    """Another node, which owns every shard once the first one is gone."""
    heir = await Engine(dsn, ManualClock(engine.clock.now())).start()
    try:
        await engine.coordinator.leave(engine.ownership.node)
        await heir.ownership.run_once()
        yield heir
    finally:
        await heir.stop()


async def state(engine: Engine, user: int, job_id: int) -> str:
    """A job's state, as its user sees it."""
    return (await engine.insight.job(user, job_id)).state.value
