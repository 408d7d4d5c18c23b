"""The pytest plugin, used as its users do: a real server and worker, and a clock that the test advances."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duetime.testing.instance import DuetimeInstance
from duetime.work import Context, Duetime, Retry

START = datetime(2030, 3, 29, 8, tzinfo=UTC)
app = Duetime(name="mailer")


@app.task(queue="mail", attempts=3)
async def send(ctx: Context, to: str) -> str:
    if to == "twice" and ctx.attempt == 1:
        raise Retry("5m")
    return f"{to} at {ctx.nominal_at:%H:%M}"


@app.schedule("0 9 * * *", zone="Europe/Berlin")
@app.task
def digest(ctx: Context) -> str:
    assert ctx.nominal_at is not None
    return ctx.nominal_at.isoformat()


@pytest.fixture
def duetime_app() -> Duetime:
    return app


@pytest.fixture
def duetime_start() -> datetime:
    return START


async def test_a_job_runs_at_its_instant_and_not_before(duetime: DuetimeInstance) -> None:
    handle = await send.options(delay="1h").enqueue("a@b.c")
    await duetime.advance("59m")
    assert duetime.results(send) == []
    await duetime.advance("1m")
    (found,) = duetime.results(send)
    assert (found.status, found.attempt, found.result) == ("succeeded", 1, "a@b.c at 09:00")
    assert await handle.result("5s") == "a@b.c at 09:00"
    assert duetime.now == START + timedelta(hours=1)


async def test_retries_and_schedules_follow_the_clock(duetime: DuetimeInstance) -> None:
    await send.enqueue("twice")
    await duetime.advance("4m")
    assert duetime.results(send) == []
    await duetime.advance("3d")
    assert [one.attempt for one in duetime.results(send)] == [2]
    # The clocks of Berlin go forward on the 31st.
    assert [one.result for one in duetime.results(digest)] == [
        "2030-03-30T08:00:00+00:00",
        "2030-03-31T07:00:00+00:00",
        "2030-04-01T07:00:00+00:00",
    ]


def test_a_test_needs_no_event_loop(duetime: DuetimeInstance) -> None:
    send.options(delay="10s").enqueue_sync("x")
    duetime.advance_sync("10s")
    assert [one.status for one in duetime.results(send)] == ["succeeded"]
