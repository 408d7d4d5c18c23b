"""What the whole way of a job costs in Python, counted and not timed: calls, and memory.

Calls are those of Duetime's own functions and from them into C. The bounds are generous, about a third above what was
seen when they were set: regrouping functions does not reach them, and work for each job that belongs to a batch does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

import pytest

from harness.costs import blocks, counting_calls
from harness.engine import Engine, gather
from plans.conftest import Layout, user_here, working

JOBS = 2000
"""So many that what is once a batch hardly counts."""

WHOLE_WAY = 80.0
"""Calls for each job of one request: submitted, picked, launched, run and settled."""

FOUND = 60.0
"""Calls for each job that was stored long before and is found when it is due."""

ONE_BY_ONE = 120.0
"""Calls for each job that is a request of its own."""

WAITING = 14.0
"""Pieces of memory for each job that is known and waits for its instant."""

LEFT = 0.5
"""Pieces of memory that each job may leave behind: none, but tables grow in steps. One for each job is a leak."""


@pytest.fixture
async def engine(dsn: str, layout: Layout) -> AsyncIterator[Engine]:
    """A whole engine with a real executor."""
    async with working(layout, dsn, 2 * JOBS) as made:
        yield made


@pytest.fixture
async def user(engine: Engine) -> int:
    made = await user_here(engine)
    for _ in range(2):
        await stored(engine, made)
        await drained(engine)
    return made


async def stored(engine: Engine, user: int, after: float = 0.0) -> None:
    await engine.submit.many([engine.job(user, "x" * 100, after=after) for _ in range(JOBS)])


async def drained(engine: Engine, jobs: int = JOBS) -> None:
    before = len(engine.bus.sent)
    await engine.settle_down()
    assert len(engine.bus.sent) == before + jobs


def check(calls: Counter[str], most: float) -> None:
    """At most so many calls for each job; else the message says which functions are called most."""
    assert calls.total() > JOBS, "nothing was counted"
    each = calls.total() / JOBS
    often = "\n".join(f"{count / JOBS:7.2f} {where}" for where, count in calls.most_common(60))
    assert each <= most, f"{each:.1f} calls for each job, and {most:g} are the bound: what is new for each?\n{often}"


async def test_the_whole_way_takes_few_calls(engine: Engine, user: int) -> None:
    with counting_calls() as calls:
        await stored(engine, user)
        await drained(engine)
    check(calls, WHOLE_WAY)


async def test_what_is_found_when_it_is_due_takes_few_calls(engine: Engine, user: int) -> None:
    await stored(engine, user, after=600.0)
    engine.clock.advance(600.0)
    with counting_calls() as calls:
        await drained(engine)
    check(calls, FOUND)


async def test_one_by_one_takes_few_calls(engine: Engine, user: int) -> None:
    with counting_calls() as calls:
        await gather(*(engine.submit.one(engine.job(user, "x" * 100)) for _ in range(JOBS)))
        await drained(engine)
    check(calls, ONE_BY_ONE)


async def test_a_job_that_waits_takes_little_memory_and_leaves_none(engine: Engine, user: int) -> None:
    waiting, left = list[float](), list[float]()
    for _ in range(3):
        before = blocks()
        await stored(engine, user, after=1.0)
        waiting.append((blocks() - before) / JOBS)
        engine.clock.advance(1.0)
        await drained(engine)
        left.append((blocks() - before) / JOBS)
    assert 1.0 < min(waiting) <= WAITING, waiting
    assert min(left) <= LEFT, left
