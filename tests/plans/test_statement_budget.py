"""What the whole way of a thousand jobs costs the database, counted and not timed.

A bound stands a little above what is seen, so that a change that costs another statement, another row or
another kilobyte of log has to say so here.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

import pytest
from asyncpg.connection import Connection

from duetime.clock.manual import ManualClock
from duetime.store.offer_port import Abilities
from harness.engine import Engine, gather
from harness.waiting import eventually

JOBS = 1000
RESET = "SELECT pg_advisory_unlock_all();"
"""What a pool sends when it takes a connection back."""


class Traffic:
    """What went to the database: each statement sent, and each one that had to be prepared first."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()
        self.prepared: Counter[str] = Counter()

    @property
    def statements(self) -> int:
        """Statements without those of the pool itself."""
        return sum(count for query, count in self.sent.items() if not query.startswith(RESET))

    @property
    def round_trips(self) -> int:
        """Every wait for the server: statements, preparations, and the pool's own."""
        return self.sent.total() + self.prepared.total()

    def __repr__(self) -> str:
        """What was sent, by its first line."""
        lines = [f"{count} x {query.strip().splitlines()[0]}" for query, count in self.sent.most_common()]
        return "\n".join(lines + [f"prepared {query.strip().splitlines()[0]}" for query in self.prepared])

    def clear(self) -> None:
        """Count anew."""
        self.sent.clear()
        self.prepared.clear()


@pytest.fixture
def traffic(monkeypatch: pytest.MonkeyPatch) -> Traffic:
    """Everything that any connection sends from here on."""
    seen = Traffic()
    execute, get, run = Connection.execute, Connection._get_statement, Connection._do_execute

    async def plain(self: Connection, query: str, *arguments: object, **more: object) -> str:
        if not arguments:
            seen.sent[query] += 1
        return await execute(self, query, *arguments, **more)

    async def prepared(self: Connection, query: str, *arguments: object, **more: object) -> object:
        known = len(self._stmt_cache)
        found = await get(self, query, *arguments, **more)
        if len(self._stmt_cache) > known:
            seen.prepared[query] += 1
        return found

    async def executed(self: Connection, query: str, *arguments: object, **more: object) -> object:
        seen.sent[query] += 1
        return await run(self, query, *arguments, **more)

    monkeypatch.setattr(Connection, "execute", plain)
    monkeypatch.setattr(Connection, "_get_statement", prepared)
    monkeypatch.setattr(Connection, "_do_execute", executed)
    return seen


@pytest.fixture
async def warm(engine: Engine) -> int:
    """A user whose definition is stored, on an engine whose connections have their statements prepared."""
    user = await engine.user()
    for _ in range(3):
        await engine.submit.many([engine.job(user) for _ in range(JOBS)])
        await engine.settle_down()
    return user


async def whole_way(engine: Engine, user: int, **job: object) -> None:
    """A thousand jobs in one request, launched, run and recorded."""
    before = len(engine.bus.sent)
    await engine.submit.many([engine.job(user, "x" * 100, **job) for _ in range(JOBS)])
    await engine.settle_down()
    assert len(engine.bus.sent) == before + JOBS


async def whole_way_in_lanes(engine: Engine, user: int, name: str) -> None:
    """A thousand jobs, two in each of 500 lanes."""
    before = len(engine.bus.sent)
    await engine.submit.many([engine.job(user, lane=f"{name}-{n % (JOBS // 2)}") for n in range(JOBS)])
    await engine.settle_down()
    assert len(engine.bus.sent) == before + JOBS


async def rows_written(engine: Engine) -> Counter[str]:
    """Rows inserted, updated and deleted so far, by table; every connection is made to report first."""
    pool = engine.pool._pool
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(pool.acquire()) for _ in range(pool.get_size())]
        for connection in held:
            await connection.execute("SELECT pg_stat_force_next_flush()")
        rows = await held[0].fetch("SELECT relname, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_user_tables")
    return Counter(
        {
            f"{verb} {row['relname'].split('_2')[0]}": row[column]
            for row in rows
            for verb, column in (("insert", 1), ("update", 2), ("delete", 3))
            if row[column]
        }
    )


async def log_written(engine: Engine) -> int:
    """Bytes of write-ahead log so far."""
    row = await engine.pool.row("SELECT pg_current_wal_insert_lsn() AS lsn")
    return row["lsn"]


async def test_the_whole_way_is_a_handful_of_statements(engine: Engine, warm: int, traffic: Traffic) -> None:
    traffic.clear()
    await whole_way(engine, warm)
    assert 3 <= traffic.statements <= 4, traffic
    assert traffic.round_trips <= 8, traffic
    assert not traffic.prepared, traffic


async def test_requests_that_come_together_share_their_statements(engine: Engine, warm: int, traffic: Traffic) -> None:
    """One by one they come in, and yet no statement is one job's."""
    traffic.clear()
    await gather(*(engine.submit.one(engine.job(warm)) for _ in range(JOBS)))
    await engine.settle_down()
    assert traffic.statements <= 12, traffic


async def test_each_job_is_written_five_times(engine: Engine, warm: int) -> None:
    """Into and out of jobs, into and out of in_flight, into history; counts go by the batch."""
    before = await rows_written(engine)
    await whole_way(engine, warm)
    written = await rows_written(engine) - before
    assert written.pop("insert tally_deltas") <= 6
    verbs = ("insert jobs", "delete jobs", "insert in_flight", "delete in_flight", "insert history")
    assert written == Counter(dict.fromkeys(verbs, JOBS))


async def test_each_job_costs_about_a_kilobyte_of_log(engine: Engine, warm: int) -> None:
    """The least of some: a checkpoint in between adds whole pages."""
    costs = list[float]()
    for _ in range(3):
        start = await log_written(engine)
        await whole_way(engine, warm)
        costs.append((await log_written(engine) - start) / JOBS)
    assert min(costs) <= 1150, costs


async def test_lanes_are_moved_on_by_the_batch(engine: Engine, warm: int, traffic: Traffic) -> None:
    """One statement finds what is next in all lanes of a batch, after it is stored and after it is settled."""
    await whole_way_in_lanes(engine, warm, "warm")
    traffic.clear()
    await whole_way_in_lanes(engine, warm, "cold")
    assert traffic.statements <= 11, traffic


async def test_the_way_over_the_bus_is_a_handful_of_statements_too(dsn: str, traffic: Traffic) -> None:
    """Offered in one statement, taken and read in one, settled in one; each side reports and looks beside it."""
    clock, nudged = ManualClock(), asyncio.Event()
    scheduler = await Engine(dsn, clock, slots=0, roles=("scheduler",)).start()
    executor = await Engine(dsn, clock, slots=2 * JOBS, roles=("executor",)).start()
    try:
        report = Abilities(2 * JOBS, 2 * JOBS, 2 * JOBS)
        await executor.stores.offers.report(executor.ownership.node, report, first=True)
        await scheduler.offers.run_once()
        scheduler.offers.nudge = nudged.set
        user = await scheduler.user()
        for _ in range(4):
            traffic.clear()
            await scheduler.submit.many([scheduler.job(user) for _ in range(JOBS)])
            await scheduler.settle_down()
            while await executor.take.run_once():
                pass
            await executor.settle.drain()
            # A thousand ends may be too much for one hint: then the scheduler looks, at the next turn of its duty.
            await eventually(lambda: nudged.is_set() or not scheduler.offers._out)
            nudged.clear()
            clock.advance(0.5)
            await scheduler.offers.run_once()
            assert not scheduler.offers._out
        assert len(executor.bus.sent) == 4 * JOBS
        by_purpose = {query.strip().splitlines()[0]: count for query, count in traffic.sent.items()}
        work = {line: count for line, count in by_purpose.items() if "hint" not in line}
        assert sum(work.values()) <= 12, work
        assert sum(by_purpose.values()) - sum(work.values()) <= 6, by_purpose
    finally:
        await executor.stop()
        await scheduler.stop()
