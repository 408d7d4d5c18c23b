"""Shards move from one database to the other with all that belongs to them, whatever happens half-way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from duetime.cells.mover import Mover, Side
from duetime.clock.system import SystemClock
from duetime.model.definition import Definition
from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import shard_of, shard_of_key, shard_of_lane
from duetime.model.outcome import SUCCEEDED, Failure, Outcome
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from duetime.postgres.pool import Pool
from duetime.store.postgres.moves import PostgresMoves
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.placement import PostgresPlacement
from harness.cells import CellEngines
from harness.schedules import add, ran
from harness.waiting import eventually

FAILED = Outcome(JobState.FAILED, Failure("refused", "It would not."))
ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))
LEFT = frozenset(range(500, 512))


class Died(Exception):
    """What a mover that is killed sees last."""


@asynccontextmanager
async def mover(dsns: list[str], patience: float = 20.0) -> AsyncIterator[Mover]:
    pools = [Pool(dsn, size=2) for dsn in dsns]
    for pool in pools:
        await pool.open()
    clock = SystemClock(pools[0].clock)
    await clock.measure()
    sides = [Side(n, PostgresMoves(pool), PlacedSubmit(pool), PostgresPlacement(pool)) for n, pool in enumerate(pools)]
    try:
        yield Mover(sides, clock, patience=patience, tell=lambda text: None)
    finally:
        for pool in pools:
            await pool.close()


async def while_nodes_turn(
    cells: CellEngines, work: Awaitable[Any], also: Callable[[], Awaitable[object]] | None = None
) -> Any:
    """Let a node do its duties while something else goes on."""
    moving = asyncio.ensure_future(work)
    while not moving.done():
        await cells.look()
        if also is not None:
            await also()
        await cells.settle_down()
        await asyncio.wait({moving}, timeout=0.02)
    await cells.look()
    return await moving


async def everything(cells: CellEngines, user: int) -> dict[str, Any]:
    """Something of every kind in shards that are to leave."""
    cells.bus.answer = lambda run: FAILED if run.message == "fails" else None
    await cells.straight[0].run("SELECT setval('job_number', 30000)")
    dead = [await cells.add(user, "fails", definition=ONCE) for _ in range(30)]
    await cells.settle_down()
    later = await cells.submit.many([cells.job(user, f"later {n}", after=3600) for n in range(600)])
    later += await cells.submit.many([cells.job(user, f"more {n}", after=3600) for n in range(600)])
    lanes = [lane for lane in (f"lane {n}" for n in range(2000)) if shard_of_lane(user, lane) in LEFT][:5]
    ordered = [await cells.add(user, lane=lane, after=3600) for lane in lanes for _ in range(2)]
    keys = [key for key in (f"key {n}" for n in range(2000)) if shard_of_key(user, key) in LEFT][:5]
    keyed = {}
    for key in keys:
        job = cells.job(user, idempotency_key=key, fingerprint=b"f", after=3600)
        keyed[key] = (await cells.submit.one(job)).job.id
    schedules = [await add(cells, user, f"s {lane}", ordering_key=lane, cron="0 * * * *") for lane in lanes]
    return {"dead": dead, "later": later, "ordered": ordered, "keyed": keyed, "schedules": schedules}


async def check_everything(cells: CellEngines, user: int, made: dict[str, Any]) -> None:
    """All of it is there once, and only in the right database."""
    rows = [await pool.rows("SELECT id, id & 1023 AS shard FROM jobs") for pool in cells.straight]
    ids = [row["id"] for some in rows for row in some]
    assert len(ids) == len(set(ids)) == len(made["later"]) + len(made["ordered"]) + len(made["keyed"]) + 5
    assert {row["shard"] for row in rows[0]}.isdisjoint(LEFT)
    assert LEFT & {row["shard"] for row in rows[1]}
    for key, job_id in made["keyed"].items():
        again = await cells.submit.one(cells.job(user, idempotency_key=key, fingerprint=b"f", after=3600))
        assert (again.job.id, again.repeated) == (job_id, True)
    highest = max(row["id"] for row in rows[1] if row["shard"] in LEFT)
    assert await PlacedSubmit(cells.straight[1]).last_number() > highest // 1024
    counts = {JobState.CREATED: len(ids), JobState.DEAD: 30}
    assert await cells.insight.stats(user) == counts
    assert {job.id for job in await cells.dead_letters.list(user, _dead())} == set(made["dead"])
    fresh = await cells.submit.many([cells.job(user, after=3600) for _ in range(1200)])
    assert set(fresh).isdisjoint(ids)
    cells.bus.answer = lambda run: None
    assert sorted(await cells.dead_letters.redrive(user, made["dead"], None, user)) == sorted(made["dead"])
    await cells.settle_down()
    assert set(cells.bus.open) == set(made["dead"])


def _dead() -> Any:
    from duetime.model.job import DeadFilter

    return DeadFilter(limit=1000)


async def terms(cells: CellEngines, number: int) -> dict[int, int]:
    rows = await cells.straight[number].rows("SELECT shard, term FROM shards")
    return {row["shard"]: row["term"] for row in rows if row["shard"] in LEFT}


async def test_everything_that_belongs_to_a_shard_moves_with_it(cells: CellEngines, dsns: list[str]) -> None:
    user = await cells.user()
    made = await everything(cells, user)
    before = await terms(cells, 0)
    await cells.straight[0].run("CREATE INDEX moving_jobs ON jobs ((id & 1023))")
    await cells.straight[0].run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'moving_jobs'::regclass")
    async with mover(dsns) as moving:
        moved = await while_nodes_turn(cells, moving.move(LEFT, 1))
        assert sorted(shard for one in moved for shard in one.shards) == sorted(LEFT)
        assert await moving.move(LEFT, 1) == []
    assert await cells.count("pg_class WHERE relname LIKE 'moving%'") == 0
    assert cells.ownership.count == 1024
    assert all(cells.databases[1].ownership.held[shard] for shard in LEFT)
    after = await terms(cells, 1)
    assert all(after[shard] > before[shard] for shard in LEFT)
    await check_everything(cells, user, made)
    cells.bus.answer = lambda run: SUCCEEDED
    for job_id in list(cells.bus.open):
        cells.bus.end(job_id)
    cells.clock.advance(timedelta(hours=1))
    await cells.ownership.run_once()
    await cells.settle_down(5000)
    for schedule in made["schedules"]:
        assert len(await ran(cells, user, schedule)) == 1
    sent = [run.job_id for run in cells.bus.sent if run.job_id in set(made["later"])]
    assert sorted(sent) == sorted(made["later"])


Break = Callable[[pytest.MonkeyPatch], None]


def after(name: str) -> Break:
    """The mover dies right after a step was committed."""

    def fail(monkeypatch: pytest.MonkeyPatch) -> None:
        step = getattr(PostgresMoves, name)

        async def once(self: PostgresMoves, *given: Any) -> Any:
            await step(self, *given)
            raise Died

        monkeypatch.setattr(PostgresMoves, name, once)

    return fail


def before(name: str) -> Break:
    """The mover dies right before a step."""

    def fail(monkeypatch: pytest.MonkeyPatch) -> None:
        async def never(self: PostgresMoves, *given: Any) -> Any:
            raise Died

        monkeypatch.setattr(PostgresMoves, name, never)

    return fail


@pytest.mark.parametrize(
    "die",
    [after("expect"), after("close"), before("take_in"), after("take_in"), before("open"), after("open")],
    ids=["expected", "closed", "before it is stored", "stored and not taken out", "taken out", "open"],
)
async def test_a_mover_that_dies_is_gone_on_with(
    cells: CellEngines, dsns: list[str], monkeypatch: pytest.MonkeyPatch, die: Break
) -> None:
    """Dying leaves everything as it was committed: nothing is opened again on the way out."""
    user = await cells.user()
    made = await everything(cells, user)
    async with mover(dsns) as moving:
        with monkeypatch.context() as broken:
            die(broken)
            broken.setattr(Mover, "_close", _close_and_leave_closed)
            broken.setattr(Mover, "_carry_or_open_again", Mover._carry)
            with pytest.raises(Died):
                await while_nodes_turn(cells, moving.move(LEFT, 1))
    async with mover(dsns) as moving:
        await while_nodes_turn(cells, moving.move(LEFT, 1))
    await check_everything(cells, user, made)


async def _close_and_leave_closed(self: Mover, shards: list[int], source: Side, target: Side) -> None:
    assert await self._at_rest(shards, source, target, self._clock.monotonic() + 20)


async def test_a_move_that_fails_opens_the_shards_again_where_they_are(
    cells: CellEngines, dsns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target stored everything, but the mover could not know: the shards are used in the source meanwhile."""
    user = await cells.user()
    made = await everything(cells, user)
    async with mover(dsns) as moving:
        with monkeypatch.context() as broken:
            after("take_in")(broken)
            with pytest.raises(Died):
                await while_nodes_turn(cells, moving.move(LEFT, 1))
    assert cells.ownership.count == 1024
    assert all(cells.databases[0].ownership.held[shard] for shard in LEFT)
    lane = next(lane for lane in (f"lane {n}" for n in range(2000)) if shard_of_lane(user, lane) in LEFT)
    extra = await cells.add(user, lane=lane, after=3600)
    async with mover(dsns) as moving:
        await while_nodes_turn(cells, moving.move(LEFT, 1))
    made["ordered"].append(extra)
    await check_everything(cells, user, made)


async def test_runs_under_way_end_first_and_with_too_little_patience_nothing_moves(
    cells: CellEngines, dsns: list[str]
) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    lane = next(lane for lane in (f"lane {n}" for n in range(2000)) if shard_of_lane(user, lane) in LEFT)
    job_id = await cells.add(user, lane=lane)
    await cells.settle_down()
    async with mover(dsns, patience=1.0) as moving:
        with pytest.raises(Conflict, match="1 runs are still under way"):
            await while_nodes_turn(cells, moving.move(frozenset({shard_of(job_id)}), 1))
    assert cells.ownership.count == 1024
    assert await cells.add(user, lane=lane)
    async with mover(dsns) as moving:
        going = asyncio.ensure_future(while_nodes_turn(cells, moving.move(frozenset({shard_of(job_id)}), 1)))
        closed = cells.databases[0].cell
        await eventually(lambda: shard_of(job_id) in closed.away)
        with pytest.raises(StoreAway, match="just being moved"):
            await cells.add(user, lane=lane)
        for _ in range(20):
            assert shard_of(await cells.add(user, after=60)) != shard_of(job_id)
        assert not going.done()
        cells.bus.end(job_id)
        assert len(await going) == 1
    await cells.settle_down()
    assert len(cells.bus.sent) == 2
    assert all(shard_of(run.job_id) == shard_of_lane(user, lane) for run in cells.bus.sent)


async def test_runs_that_lost_their_executor_are_rescued_before_their_shard_moves(
    cells: CellEngines, dsns: list[str]
) -> None:
    """Nobody owns a closed shard, and so nobody would rescue its runs: it is opened until that is done."""
    user = await cells.user()
    cells.bus.answer = lambda run: None if run.attempt == 1 else SUCCEEDED
    lane = next(lane for lane in (f"lane {n}" for n in range(2000)) if shard_of_lane(user, lane) in LEFT)
    job_id = await cells.add(user, lane=lane)
    await cells.settle_down()
    shard, home = shard_of(job_id), cells.databases[0]
    async with mover(dsns) as moving:
        going = asyncio.ensure_future(moving.move(frozenset({shard}), 1))

        async def given_back() -> bool:
            await cells.look()
            return shard in home.cell.away and not home.ownership.held[shard]

        async def opened() -> bool:
            await home.learn()
            return shard not in home.cell.away

        await eventually(given_back)
        await cells.straight[0].run("DELETE FROM leases")
        await eventually(opened)
        moved = await while_nodes_turn(cells, going, cells.rescue)
    assert [one.shards for one in moved] == [[shard]]
    assert [run.attempt for run in cells.bus.sent] == [1, 2]
    assert (await cells.insight.job(user, job_id)).state is JobState.SUCCEEDED
    again = await cells.add(user, lane=lane, after=60)
    assert await cells.count_in(1, f"jobs WHERE id = {again}") == 1


async def test_a_launch_that_is_being_committed_is_waited_for(cells: CellEngines, dsns: list[str]) -> None:
    """A transaction has launched a job, and not ended, when its shard is closed and given back."""
    user = await cells.user()
    lane = next(lane for lane in (f"lane {n}" for n in range(2000)) if shard_of_lane(user, lane) in LEFT)
    job_id = await cells.add(user, lane=lane, after=3600)
    connection = await cells.straight[0].connect()
    try:
        late = connection.transaction()
        await late.start()
        await connection.execute(
            "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at) "
            "VALUES ($1, $2, 1, 1, 1, now())",
            job_id,
            user,
        )
        async with mover(dsns, patience=1.0) as moving:
            with pytest.raises(Conflict, match="older transactions have not ended"):
                await while_nodes_turn(cells, moving.move(frozenset({shard_of(job_id)}), 1))
        await late.rollback()
    finally:
        await connection.close()
    async with mover(dsns) as moving:
        assert len(await while_nodes_turn(cells, moving.move(frozenset({shard_of(job_id)}), 1))) == 1


async def test_nothing_is_added_to_a_closed_shard_by_one_who_does_not_know(cells: CellEngines, dsns: list[str]) -> None:
    """The wall is in the database: this node has not heard yet that the shards are closed."""
    user = await cells.user()
    await cells.add(user)
    schedule = await add(cells, user, "s", cron="@daily", ordering_key="k")
    everywhere = PostgresMoves(cells.straight[0])
    await everywhere.close(list(range(512)), 1)
    for _ in range(6):
        assert shard_of(await cells.add(user, after=60)) >= 512
    assert cells.databases[0].cell.here == frozenset()
    await everywhere.open(list(range(512)))
    await cells.look()
    shard = shard_of_lane(user, "k")
    number = shard // 512
    await PostgresMoves(cells.straight[number]).close([shard], 1 - number)
    with pytest.raises(StoreAway):
        await cells.schedules.pause(user, schedule, user)
    with pytest.raises(StoreAway):
        await cells.backfill.run_now(user, schedule, user)


async def test_a_node_that_does_not_know_all_databases_stops_a_move(cells: CellEngines, dsns: list[str]) -> None:
    await cells.straight[0].run("UPDATE placement SET extended_at = clock_timestamp()")
    async with mover(dsns) as moving:
        with pytest.raises(Conflict, match="restart them with the whole list first"):
            await moving.move(LEFT, 1)
