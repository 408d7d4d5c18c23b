"""What a node says of itself, what it learns in return, and what a spare keeps at hand."""

from __future__ import annotations

from structlog.testing import capture_logs

from duetime.clock.manual import ManualClock
from duetime.coordination.ownership import Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.coordination.postgres_census import PostgresCensus
from duetime.engine.due.backlog import Backlog
from duetime.engine.node.report import Report
from duetime.engine.node.stand_by import StandBy
from duetime.model.definition import Definition
from duetime.model.policy import Policy
from harness.engine import Engine


async def test_lag_and_skew_are_shown_and_a_wild_clock_is_warned_of_once(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.slots = 1
    engine.bus.answer = lambda run: None
    for seconds in (-7, -5, -3):
        await engine.add(user, after=seconds)
    await engine.settle_down()
    census, skew = PostgresCensus(engine.pool), [2.0]
    report = Report(census, engine.ownership, engine.backlog, lambda: skew[0], 60.0)
    with capture_logs() as logs:
        for skew[0] in (2.0, -7200.0, -7200.0, 3.0, 7200.0):
            await report.run_once()
    (node,) = await census.nodes()
    assert (engine.clock.now() - node.oldest_due).total_seconds() == 5
    assert (node.clock_skew, node.running) == (7200.0, 1)
    assert [entry["seconds"] for entry in logs if "clock" in entry["event"]] == [-7200, 7200]


async def test_who_only_executes_learns_that_it_is_drained(engine: Engine) -> None:
    coordinator = PostgresCoordinator(engine.pool)
    try:
        worker = Ownership(coordinator, engine.clock, name="w", roles=("executor",), version="0", ttl=60.0)
        await worker.join()
        report = Report(PostgresCensus(engine.pool), worker, Backlog(), lambda: 0.0, 60.0)
        await report.run_once()
        assert not worker.draining
        await engine.coordinator.drain(worker.node, True)
        await report.run_once()
        assert worker.draining
        await coordinator.leave(worker.node)
        await report.run_once()
        assert worker.draining, "nobody said that it is over"
    finally:
        await coordinator.close()


async def test_a_spare_has_definitions_at_hand_before_it_needs_them(dsn: str, engine: Engine) -> None:
    user = await engine.user()
    definition = Definition(policy=Policy(delivery="at_most_once"))
    await engine.add(user, after=60, definition=definition)
    spare = Engine(dsn, ManualClock())
    await spare.pool.open()
    try:
        stand_by = StandBy(PostgresCensus(spare.pool), spare.definitions, spare.ownership, spare.clock)
        await stand_by.run_once()
        assert list(spare.definitions._by_id.values()) == [definition]
        spare.definitions._by_id.clear()
        spare.ownership.held[0] = True
        await stand_by.run_once()
        assert not spare.definitions._by_id, "who owns shards reads what it launches"
    finally:
        await spare.stop()
