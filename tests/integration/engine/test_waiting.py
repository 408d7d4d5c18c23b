"""Why a job does not run: what holds it back, since when and until when, and nothing that is made up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from duetime.engine.due.breaker import FIRST_PAUSE, THRESHOLD
from duetime.model.definition import Definition
from duetime.model.errors import NotFound
from duetime.model.job import JobFilter
from duetime.model.outcome import Failure, Outcome
from duetime.model.policy import Hours, Limit, Policy, Retry
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.http import HttpTarget
from duetime.model.user import UserChange
from duetime.model.waiting import Waiting
from duetime.store.offer_port import Abilities
from harness.engine import Engine

HOST = "https://down.test"
DOWN = Outcome(JobState.FAILED, Failure("http_503", "busy"))
ONCE = Retry(max_attempts=1)


@pytest.fixture
async def engine(engine: Engine) -> Engine:
    """An engine whose executor is known to the others, as a node's is."""
    assert engine.stores.offers is not None
    await engine.stores.offers.report(engine.ownership.node, Abilities(1000, 1000, 1000), first=True)
    return engine


async def why(engine: Engine, user: int, job_id: int) -> tuple[Waiting, ...]:
    """What holds a job back, a second after the scheduler last looked."""
    await engine.settle_down()
    await engine.publish_gates.run_once()
    engine.clock.advance(timedelta(seconds=1))
    return (await engine.insight.job(user, job_id)).waiting_for


async def only(engine: Engine, user: int, job_id: int) -> Waiting:
    """The one thing that holds a job back."""
    (one,) = await why(engine, user, job_id)
    return one


def held(run: LaunchedRun) -> Outcome | None:
    """Every run stays under way."""
    return None


def limited(**limit: Any) -> Definition:
    """A definition with a limit."""
    return Definition(policy=Policy(limit=Limit(**limit)))


async def break_host(engine: Engine, user: int) -> datetime:
    """Let the breaker of the host open. Returns when it did."""
    engine.bus.answer = lambda run: DOWN
    down = Definition(target=HttpTarget(HOST + "/x"), policy=Policy(retry=ONCE))
    await engine.submit.many([engine.job(user, definition=down) for _ in range(THRESHOLD)])
    await engine.settle_down()
    return engine.clock.now()


async def test_a_job_that_is_not_due_waits_for_its_instant(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=60)
    at = engine.clock.now() + timedelta(seconds=60)
    assert await only(engine, user, job_id) == Waiting("instant", "It is not due yet.", until=at)


async def test_a_retry_waits_for_its_instant(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: DOWN
    retry = Retry(delays=(60.0,), jitter="none")
    at = engine.clock.now() + timedelta(seconds=60)
    job_id = await engine.add(user, definition=Definition(policy=Policy(retry=retry)))
    reason = await only(engine, user, job_id)
    assert (reason.kind, reason.until) == ("retry", at)
    assert "Attempt 1 failed" in reason.message


async def test_closed_hours_say_when_they_open(engine: Engine) -> None:
    user, now = await engine.user(), engine.clock.now()
    opens = now + timedelta(hours=2)
    window = f"{opens:%H:%M}-{opens + timedelta(hours=1):%H:%M}"
    job_id = await engine.add(user, definition=Definition(policy=Policy(hours=Hours(window))))
    reason = await only(engine, user, job_id)
    assert (reason.kind, reason.since, reason.until) == ("hours", now, opens.replace(second=0, microsecond=0))
    assert window in reason.message


async def test_a_lane_names_the_job_that_comes_first_and_what_is_with_it(engine: Engine) -> None:
    user, now = await engine.user(), engine.clock.now()
    engine.bus.answer = held
    first = await engine.add(user, lane="order", definition=Definition(policy=Policy(retry=ONCE)))
    second = await engine.add(user, lane="order")
    reason = await only(engine, user, second)
    assert (reason.kind, reason.job_id, reason.job_status, reason.since) == ("lane", first, JobState.RUNNING, now)
    engine.bus.end(first, DOWN)
    ended = engine.clock.now()
    reason = await only(engine, user, second)
    assert (reason.kind, reason.job_id, reason.job_status, reason.since) == ("lane", first, JobState.DEAD, ended)
    assert "retry, skip or clear" in reason.message
    await engine.dead_letters.retry_head(user, "order", user)
    engine.bus.answer = lambda run: DOWN if run.job_id != first else None
    assert (await only(engine, user, second)).job_status is JobState.RUNNING


async def test_an_open_breaker_says_its_host_and_the_next_probe_and_can_be_reset(engine: Engine) -> None:
    user, other = await engine.user(), await engine.user("other")
    opened = await break_host(engine, user)
    job_id = await engine.add(user, definition=Definition(target=HttpTarget(HOST + "/other")))
    reason = await only(engine, user, job_id)
    assert (reason.kind, reason.host, reason.since) == ("breaker", HOST, opened)
    assert reason.until == opened + FIRST_PAUSE
    (broken,) = await engine.breakers.list(user)
    assert (broken.host, broken.opened_at, broken.next_probe_at) == (reason.host, opened, opened + FIRST_PAUSE)
    assert await engine.breakers.list(None) == [broken]
    with pytest.raises(NotFound):
        await engine.breakers.reset(other, broken.host, other)
    engine.bus.answer = held
    assert await engine.breakers.reset(user, broken.host, user) == 1
    await engine.publish_gates.run_once()
    await engine.settle_down()
    assert (await engine.insight.job(user, job_id)).state is JobState.RUNNING
    await engine.publish_gates.run_once()
    assert await engine.breakers.list(user) == []
    assert await engine.count("closed_gates") == 0


async def test_a_reset_that_is_asked_for_elsewhere_reaches_the_scheduler(engine: Engine, dsn: str) -> None:
    user = await engine.user()
    await break_host(engine, user)
    await engine.publish_gates.run_once()
    api = await Engine(dsn, engine.clock, roles=("api",)).start()
    try:
        (broken,) = await api.breakers.list(None)
        await api.breakers.reset(None, broken.host, user)
    finally:
        await api.stop()
    await engine.publish_gates.run_once()
    assert engine.hosts.open == {}


@pytest.mark.parametrize(
    ("limit", "bound"), [({"max_concurrency": 1}, "1 at once"), ({"rate": 2, "per": "hour"}, "2 per hour")]
)
async def test_the_limit_of_a_definition(engine: Engine, limit: dict[str, Any], bound: str) -> None:
    user, start = await engine.user(), engine.clock.now()
    engine.bus.answer = held
    ids = [
        await engine.add(user, definition=limited(**limit, burst=1) if "rate" in limit else limited(**limit))
        for _ in range(2)
    ]
    reason = await only(engine, user, ids[1])
    assert (reason.kind, reason.since) == ("definition_limit", start)
    assert bound in reason.message
    assert (await only(engine, user, ids[1])).since == start, "it says since when, not when it was last seen"


async def test_a_users_limit(engine: Engine) -> None:
    user = await engine.user()
    await engine.stores.accounts.change_user(
        user, UserChange(limits=Limit(max_concurrency=1)), engine.clock.now(), user
    )
    await engine.rules.run_once()
    engine.bus.answer = held
    _, second = await engine.add(user), await engine.add(user)
    reason = await only(engine, user, second)
    assert (reason.kind, reason.message) == ("user_limit", "Your limit is reached: 1 at once.")


async def test_unmet_labels_and_full_slots(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.slots, engine.bus.answer = 1, held
    calls = Definition(target=HttpTarget("https://up.test/"))
    first, second = await engine.add(user, definition=calls), await engine.add(user, definition=calls)
    mars = await engine.add(user, definition=Definition(policy=Policy(requires={"zone": "mars"})))
    assert await why(engine, user, second) == (), "full for a moment is nothing to speak of"
    assert (await only(engine, user, second)).kind == "slots"
    reason = await only(engine, user, mars)
    assert (reason.kind, reason.labels) == ("labels", {"zone": "mars"})
    assert {job.id: [one.kind for one in job.waiting_for] for job in await engine.insight.jobs(user, JobFilter())} == {
        mars: ["labels"],
        second: ["slots"],
        first: [],
    }


async def test_nobody_owns_the_shard_and_nobody_executes(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.slots = 0
    job_id = await engine.add(user)
    node = engine.ownership.node
    await engine.coordinator.release(node, range(1024))
    await engine.coordinator.drain(node, True)
    assert engine.stores.offers is not None
    await engine.stores.offers.report(node, Abilities(), first=False)
    engine.clock.advance(timedelta(seconds=1))
    owner, executor = (await engine.insight.job(user, job_id)).waiting_for
    assert (owner.kind, executor.kind) == ("owner", "executor")
    assert "Being drained: test." in owner.message


async def test_what_is_not_known_is_said_to_be_not_known(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user)
    assert (await engine.insight.job(user, job_id)).waiting_for == (), "it is about to run"
    engine.clock.advance(timedelta(seconds=10))
    (reason,) = (await engine.insight.job(user, job_id)).waiting_for
    assert reason.kind == "not_known"
    assert "test" in reason.message


async def test_a_scheduler_with_nothing_to_say_neither_writes_nor_reads(engine: Engine) -> None:
    user = await engine.user()
    await engine.add(user)
    await engine.settle_down()
    calls = list[str]()

    class Noted:
        def __getattr__(self, name: str) -> Any:
            calls.append(name)
            raise AssertionError(name)

    engine.publish_gates._store = Noted()  # type: ignore[assignment]
    await engine.publish_gates.run_once()
    assert calls == []
