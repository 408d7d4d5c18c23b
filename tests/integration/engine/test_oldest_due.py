"""The oldest due job: seen although the scheduler does not look, and not where a limit holds it back."""

from __future__ import annotations

from datetime import timedelta

from duetime.engine.node.measures import Measures
from duetime.metrics import catalogue
from duetime.model.definition import Definition
from duetime.model.policy import Limit, Policy
from duetime.wiring.metrics import oldest_due
from harness.engine import Engine


async def test_a_due_job_is_seen_although_the_scheduler_does_not_look(engine: Engine) -> None:
    oldest, user = oldest_due(engine), await engine.user()
    await engine.add(user, after=10)
    await engine.add(user, after=60)
    await oldest.look(engine.clock.now())
    assert oldest.instant is None, "nothing is due yet"
    engine.clock.advance(100)
    await oldest.look(engine.clock.now())
    assert oldest.instant == engine.clock.now() - timedelta(seconds=90)
    await engine.settle_down()
    await oldest.look(engine.clock.now())
    assert oldest.instant is None, "both were launched"


async def test_a_job_behind_a_limit_is_not_late_and_others_are(engine: Engine) -> None:
    engine.bus.answer = lambda run: None
    oldest, user = oldest_due(engine), await engine.user()
    one_at_a_time = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    for _ in range(3):
        await engine.add(user, definition=one_at_a_time)
    await engine.settle_down()
    engine.clock.advance(100)
    await oldest.look(engine.clock.now())
    assert oldest.instant is None, "a limit holds them back"
    await engine.add(user, "free")
    engine.clock.advance(7)
    await oldest.look(engine.clock.now())
    assert oldest.instant == engine.clock.now() - timedelta(seconds=7)


async def test_measures_say_what_the_last_look_found(engine: Engine) -> None:
    measures = Measures(
        engine.stores.signals, None, engine.clock, user=engine.accounts.by_id, oldest=oldest_due(engine)
    )
    await engine.add(await engine.user())
    engine.clock.advance(30)
    await measures.run_once()
    engine.clock.advance(5)
    seen = {one.metric: one.value for one in measures.samples()}
    none = dict.fromkeys(
        (catalogue.DEAD_LETTERS, catalogue.BLOCKED_LANES, catalogue.WORKERS, catalogue.WORKER_SLOTS), 0
    )
    assert seen == {catalogue.OLDEST_DUE: 35.0} | none
