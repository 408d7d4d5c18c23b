"""What happens is raised as an event once, at the place where it becomes true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from duetime.model.definition import Definition
from duetime.model.events import (
    AttemptFailed,
    Event,
    InstantsSkipped,
    JobEnded,
    JobSubmitted,
    RunLaunched,
    ShardsChanged,
)
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Policy, Retry
from harness.engine import Engine
from harness.schedules import content

KINDS = (JobSubmitted, RunLaunched, AttemptFailed, JobEnded, InstantsSkipped, ShardsChanged)
E = TypeVar("E")
TWICE = Definition(policy=Policy(retry=Retry(max_attempts=2)))


class Listening:
    """Everything that an engine raises."""

    def __init__(self, engine: Engine) -> None:
        self.seen: list[Event] = []
        self._listener = engine.events.listen(KINDS, self._handle)

    async def of(self, kind: type[E]) -> list[E]:
        await self._listener.drain()
        return [one for one in self.seen if isinstance(one, kind)]

    async def _handle(self, events: Sequence[Event]) -> None:
        self.seen += events


async def test_a_jobs_life_is_submitted_launched_and_ended(engine: Engine) -> None:
    events, user = Listening(engine), await engine.user()
    job_id = await engine.add(user)
    await engine.settle_down()
    now, node = engine.clock.now(), engine.ownership.node
    assert await events.of(JobSubmitted) == [JobSubmitted(job_id, user, now)]
    assert await events.of(RunLaunched) == [RunLaunched(job_id, user, 1, now, now, node)]
    assert [(one.job_id, one.user_id, one.state, one.attempt) for one in await events.of(JobEnded)] == [
        (job_id, user, "succeeded", 1)
    ]


async def test_a_failed_attempt_is_raised_with_its_next_instant_and_the_last_one_as_an_end(engine: Engine) -> None:
    events, user = Listening(engine), await engine.user()
    engine.bus.answer = lambda run: failed("error", "no")
    job_id = await engine.add(user, definition=TWICE, lane="l")
    await engine.settle_down()
    (attempt,) = await events.of(AttemptFailed)
    assert (attempt.job_id, attempt.attempt) == (job_id, 1)
    assert attempt.next_at > engine.clock.now()
    await engine.pass_time(60)
    (end,) = await events.of(JobEnded)
    assert (end.job_id, end.state, end.attempt, end.lane, end.blocks_lane) == (job_id, "dead", 2, "l", True)
    assert await engine.dead_letters.clear(user, "l", user) == [job_id]
    assert [one.state for one in await events.of(JobEnded)] == ["dead", "cancelled"]


async def test_a_cancelled_job_and_a_cleared_lane_end_once_each(engine: Engine) -> None:
    events, user = Listening(engine), await engine.user()
    job_id = await engine.add(user, after=60)
    waiting = [await engine.add(user, after=60, lane="l") for _ in range(2)]
    await engine.control.cancel(user, job_id, user)
    await engine.dead_letters.clear(user, "l", user)
    ended = await events.of(JobEnded)
    assert sorted(one.job_id for one in ended) == sorted([job_id, *waiting])
    assert {one.state for one in ended} == {"cancelled"}


async def test_missed_instants_are_raised_as_skipped_ranges(engine: Engine) -> None:
    events, user = Listening(engine), await engine.user()
    (schedule,) = await engine.schedules.create(user, [content(cron="* * * * *")], user)
    engine.clock.advance(600)
    engine.due.restart()
    await engine.settle_down()
    skipped = await events.of(InstantsSkipped)
    assert {one.schedule_id for one in skipped} <= {schedule}
    ended = await events.of(JobEnded)
    assert {one.schedule_id for one in ended} == {schedule}
    engine.bus.answer = lambda run: SUCCEEDED
    assert sum(one.number or 0 for one in skipped) + len(ended) == 10, "every instant is launched or skipped"


async def test_a_change_of_shards_is_raised(engine: Engine) -> None:
    events = Listening(engine)
    engine.scheduler.restart()
    assert [one.owned for one in await events.of(ShardsChanged)] == [engine.ownership.count]
