"""What the whole way of a thousand jobs costs the database, counted and not timed.

Each bound is what is seen now, or a little above where what is seen varies. A change that costs another statement,
row, page or kilobyte has to say so here; one that saves some lowers the bound.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count, islice
from statistics import median

import pytest

from duetime.clock.manual import ManualClock
from duetime.model.ids import shard_of_lane
from duetime.store.offer_port import Abilities
from harness.costs import log_written, pages_touched, rows_written
from harness.engine import Engine, gather
from harness.waiting import eventually
from harness.wiretap import Wiretap
from plans.conftest import Layout, user_here, working

JOBS = 1000
"""Counts are for so many jobs. One request holds them all, unless a test says otherwise."""

WHOLE_WAY = 3
"""Round trips: store, launch and read what is launched, settle."""

FOUND = 5
"""Round trips for jobs that were stored long before: look ahead, find queues, read them, launch, settle."""

ONE_BY_ONE = 12
"""Round trips when each job is a request of its own and all come at once: a few batches, as they happen to gather."""

IN_LANES = 8
"""Round trips with two jobs in each lane: twice the whole way, and finding what is next in all lanes of a batch."""

OVER_THE_BUS = 12
"""Statements, offered by one process and taken by another: what both do for the jobs, and each side's own look."""

HINTS = 6
"""Notifications from one process to the other, each a statement."""

ROWS = ("insert jobs", "delete jobs", "insert in_flight", "delete in_flight", "insert history")
"""The rows that each job is written to: once each, and none is ever updated."""

COUNTS = 6
"""Rows that count jobs by state, written by the batch."""

PAGES = 27.0
"""Pages of tables and indexes looked at for each job."""

LOG_BYTES = 1050
"""Bytes of write-ahead log for each job with a message of 100 bytes."""


@pytest.fixture
async def engine(tap: Wiretap, dsn: str, layout: Layout) -> AsyncIterator[Engine]:
    """A whole engine with a real executor, whose traffic can be seen."""
    async with working(layout, dsn, 2 * JOBS, heard=tap.dsn) as made:
        yield made


@pytest.fixture
async def user(engine: Engine) -> int:
    """A user whose definition is stored, on connections that have their statements prepared."""
    made = await user_here(engine)
    for _ in range(3):
        await whole_way(engine, made)
    return made


async def whole_way(engine: Engine, user: int) -> None:
    """A thousand jobs in one request, launched, run and recorded."""
    before = len(engine.bus.sent)
    await engine.submit.many([engine.job(user, "x" * 100) for _ in range(JOBS)])
    await engine.settle_down()
    assert len(engine.bus.sent) == before + JOBS


async def test_the_whole_way_is_a_handful_of_round_trips(engine: Engine, user: int, tap: Wiretap) -> None:
    tap.clear()
    await whole_way(engine, user)
    assert 0 < tap.round_trips <= WHOLE_WAY, tap
    assert tap.statements == tap.round_trips, tap
    assert not tap.prepared, tap


async def test_jobs_found_when_they_are_due_are_read_by_the_batch(engine: Engine, user: int, tap: Wiretap) -> None:
    for _ in range(2):  # the first time prepares what finds them
        before = len(engine.bus.sent)
        await engine.submit.many([engine.job(user, after=600.0) for _ in range(JOBS)])
        assert len(engine.bus.sent) == before
        engine.clock.advance(600.0)
        tap.clear()
        await engine.settle_down()
        assert len(engine.bus.sent) == before + JOBS
    assert 0 < tap.round_trips <= FOUND, tap


async def test_requests_that_come_together_share_their_statements(engine: Engine, user: int, tap: Wiretap) -> None:
    """None is one request's, not even when what is known of the user has just become too old."""
    for after in (0.0, 5.0):
        engine.clock.advance(after)
        tap.clear()
        await gather(*(engine.submit.one(engine.job(user)) for _ in range(JOBS)))
        await engine.settle_down()
        work = tap.round_trips - tap.prepared.total()
        assert 0 < work <= ONE_BY_ONE, tap


async def test_each_job_is_written_five_times(engine: Engine, user: int) -> None:
    before = await rows_written(engine)
    await whole_way(engine, user)
    written = await rows_written(engine) - before
    assert written.pop("insert tally_deltas") <= COUNTS
    assert written == dict.fromkeys(ROWS, JOBS)


async def test_each_job_touches_few_pages(engine: Engine, user: int) -> None:
    """The middle one of some: autovacuum looks at pages too."""
    costs = list[float]()
    for _ in range(3):
        before = await pages_touched(engine)
        await whole_way(engine, user)
        touched = await pages_touched(engine) - before
        costs.append(touched.total() / JOBS)
    assert median(costs) <= PAGES, (costs, touched)


async def test_each_job_costs_about_a_kilobyte_of_log(engine: Engine, user: int) -> None:
    """The least of some: a checkpoint in between adds whole pages."""
    costs = list[float]()
    for _ in range(3):
        start = await log_written(engine)
        await whole_way(engine, user)
        costs.append((await log_written(engine) - start) / JOBS)
    assert min(costs) <= LOG_BYTES, costs


async def test_lanes_are_moved_on_by_the_batch(engine: Engine, user: int, tap: Wiretap) -> None:
    """One statement finds what is next in all lanes of a batch, after it is stored and after it is settled."""
    for name in ("warm", "cold"):
        before = len(engine.bus.sent)
        tap.clear()
        names = (lane for n in count() if engine.ownership.held[shard_of_lane(user, lane := f"{name}-{n}")])
        lanes = list(islice(names, JOBS // 2))
        await engine.submit.many([engine.job(user, lane=lanes[n % len(lanes)]) for n in range(JOBS)])
        await engine.settle_down()
        assert len(engine.bus.sent) == before + JOBS
    assert 0 < tap.round_trips <= IN_LANES, tap


async def test_the_way_over_the_bus_is_a_handful_of_statements_too(tap: Wiretap) -> None:
    """Offered in one statement, taken and read in one, settled in one; each side reports and looks beside it."""
    clock, nudged = ManualClock(), asyncio.Event()
    scheduler = await Engine(tap.dsn, clock, slots=0, roles=("scheduler",)).start()
    executor = await Engine(tap.dsn, clock, slots=2 * JOBS, roles=("executor",)).start()
    try:
        report = Abilities(2 * JOBS, 2 * JOBS, 2 * JOBS)
        await executor.stores.offers.report(executor.ownership.node, report, first=True)
        await scheduler.offers.run_once()
        scheduler.offers.nudge = nudged.set
        user = await scheduler.user()
        for _ in range(4):
            tap.clear()
            await scheduler.submit.many([scheduler.job(user) for _ in range(JOBS)])
            await scheduler.settle_down()
            while await executor.take.run_once():
                pass
            await executor.settle.drain()
            # A thousand ends may be too much for one hint: then the scheduler looks, at the next turn of its duty.
            await eventually(lambda: nudged.is_set() or not scheduler.offers.out)
            nudged.clear()
            clock.advance(0.5)
            await scheduler.offers.run_once()
            assert not scheduler.offers.out
        assert len(executor.bus.sent) == 4 * JOBS
        seen = tap.by_purpose()
        hints = sum(count for line, count in seen.items() if "hint" in line)
        assert 0 < seen.total() - hints <= OVER_THE_BUS, tap
        assert hints <= HINTS, tap
    finally:
        await executor.stop()
        await scheduler.stop()
