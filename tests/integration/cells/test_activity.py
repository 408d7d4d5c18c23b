"""The overview, planned runs and shares over several databases: each has its own part, and readers see the sum."""

from __future__ import annotations

from datetime import timedelta

from duetime.model.activity import EVERYBODY
from duetime.model.definition import Definition
from duetime.model.outcome import Failure, Outcome
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from harness.cells import CellEngines

FAILED = Outcome(JobState.FAILED, Failure("refused", "It would not."))
ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))
FOR_A_GPU = Definition(policy=Policy(requires={"gpu": "h100"}))


async def test_the_sums_of_all_databases_are_seen_together(cells: CellEngines) -> None:
    user, other = await cells.user("ada"), await cells.user("grace")
    cells.bus.answer = lambda run: FAILED if run.message == "fails" else Outcome(JobState.SUCCEEDED)
    dead = [await cells.add(user, "fails", definition=ONCE) for _ in range(6)]
    done = [await cells.add(user) for _ in range(6)]
    planned = [await cells.add(user, after=600 + n) for n in range(6)]
    await cells.add(other)
    for some in (dead, done, planned):
        assert {one % 1024 < 512 for one in some} == {True, False}, "a part is in each database"
    await cells.settle_down()
    for engine in cells.engines:
        await engine.activity.store()

    activity = cells.routed.activity
    own, everybody = await activity.overview.of(user, "1h"), await activity.overview.of(EVERYBODY, "1h")
    assert (own.total.launched, own.total.dead, own.total.succeeded) == (12, 6, 6)
    assert sum(own.total.lateness) == 12
    assert own.jobs[JobState.DEAD] == 6
    assert everybody.total.launched == 13
    runs = await activity.planned.minutes(user, 60)
    assert [run.job_id for run in runs.first] == planned
    assert (sum(runs.counts), runs.known_until) == (6, None)
    shares = await activity.shares.of("1h")
    assert [(one.user.username, one.launched) for one in shares.users] == [("ada", 12), ("grace", 1)]


async def test_what_is_due_in_each_database_is_counted_once(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    for _ in range(6):
        await cells.add(user, after=1, definition=FOR_A_GPU)
    cells.clock.advance_to(cells.clock.now() + timedelta(minutes=1))
    seen = await cells.routed.activity.overview.of(user, "1h")
    assert seen.due is not None
    assert (seen.due.held, seen.due.overdue) == (6, 0)
    assert seen.due.oldest_held == cells.clock.now() - timedelta(seconds=59)
