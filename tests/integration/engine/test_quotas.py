"""Quotas of users, their own and the defaults: each is refused with a sentence, and counted again when it is near."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from duetime.engine.intake.counted import BYTES_EVERY, LOOK_EVERY
from duetime.engine.intake.quota import Quota
from duetime.model.definition import Definition
from duetime.model.errors import OverLimit
from duetime.model.policy import Policy
from duetime.model.schedule import ScheduleContent
from duetime.model.user import Quotas, UserChange
from duetime.timing.calendars import Calendar
from duetime.timing.spec import Timing
from harness.engine import Engine

DEFAULTS = Quotas(pending_jobs=5, stored_bytes=200, schedules=2, calendars=2, calendar_dates=5, definitions=2)


@pytest.fixture
def limited(engine: Engine) -> Engine:
    """An engine whose users have these quotas, unless they have their own."""
    engine.quota._defaults = DEFAULTS
    return engine


def content(name: str) -> ScheduleContent:
    return ScheduleContent(name=name, timing=Timing(every="1h"), definition=Definition(), message="m")


async def refused(quota: str, work: Any) -> str:
    with pytest.raises(OverLimit) as caught:
        await work
    assert caught.value.details["quota"] == quota
    return caught.value.message


async def test_pending_jobs(limited: Engine) -> None:
    user = await limited.user()
    ids = await limited.submit.many([limited.job(user, after=100) for _ in range(5)])
    assert "5 waiting jobs" in await refused("pending_jobs", limited.add(user, after=100))
    await limited.control.cancel(user, ids[0], user)
    await refused("pending_jobs", limited.add(user, after=100))
    limited.clock.advance(LOOK_EVERY)
    await limited.add(user, after=100)


async def test_an_own_quota_counts_instead_of_the_default(limited: Engine) -> None:
    user = await limited.user()
    await limited.stores.accounts.change_user(user, UserChange(quotas=Quotas(pending_jobs=9)), limited.clock.now(), 1)
    await limited.submit.many([limited.job(user, after=100) for _ in range(9)])
    await refused("pending_jobs", limited.add(user, after=100))
    found = await limited.accounts.by_id(user)
    assert found is not None
    assert limited.quota.of(found) == Quotas(
        pending_jobs=9, stored_bytes=200, schedules=2, calendars=2, calendar_dates=5, definitions=2
    )


async def test_bytes_are_counted_beside_the_first_submit(limited: Engine) -> None:
    user = await limited.user()
    job_id = await limited.add(user, "x" * 150, after=100)
    await limited.quota.bytes.idle()
    assert (await limited.quota.used(user)).stored_bytes in (0, 150), "the count may be from before the submit"
    limited.clock.advance(BYTES_EVERY)
    limited.quota.bytes._known.clear()
    await limited.quota.bytes.admit(user, 0, 200)
    await limited.quota.bytes.idle()
    assert "200 bytes" in await refused("stored_bytes", limited.add(user, "y" * 51, after=100))
    await limited.add(user, "y" * 50, after=100)
    await limited.control.cancel(user, job_id, user)
    limited.clock.advance(BYTES_EVERY)
    await limited.add(user, "z" * 150, after=100)


async def test_schedules_and_calendars(limited: Engine) -> None:
    user = await limited.user()
    await limited.schedules.create(user, [content("a")], user)
    await limited.schedules.check(user, [content("b")], ["b"])
    assert "2 schedules" in await refused(
        "schedules", limited.schedules.create(user, [content("b"), content("c")], user)
    )
    await limited.schedules.create(user, [content("b")], user)
    await refused("schedules", limited.schedules.check(user, [content("c")], ["c"]))
    days = tuple(date(2026, 1, day) for day in range(1, 7))
    first = await limited.calendars.create(user, Calendar("first", days[:3]), user)
    assert "5 dates" in await refused(
        "calendar_dates", limited.calendars.create(user, Calendar("second", days[:3]), user)
    )
    await limited.calendars.create(user, Calendar("second", days[:1]), user)
    assert "2 calendars" in await refused("calendars", limited.calendars.create(user, Calendar("third", ()), user))
    await refused("calendar_dates", limited.calendars.edit(user, first.id, Calendar("first", days[:5]), user))
    await limited.calendars.edit(user, first.id, Calendar("first", days[:4]), user)


async def test_definitions_and_only_the_request_that_has_too_many_fails(limited: Engine) -> None:
    user, other = await limited.user("one"), await limited.user("other")
    definitions = [Definition(policy=Policy(timeout=float(seconds))) for seconds in (1, 2, 3)]
    for definition in definitions[:2]:
        await limited.add(user, definition=definition, after=100)
    results = await asyncio.gather(
        limited.add(user, definition=definitions[2], after=100),
        limited.add(other, definition=definitions[2], after=100),
        return_exceptions=True,
    )
    assert isinstance(results[0], OverLimit)
    assert "2 different targets" in results[0].message
    assert isinstance(results[1], int)
    limited.definitions._known.clear()
    await limited.add(user, definition=definitions[1], after=100)
    used = await limited.quota.used(user)
    assert (used.definitions, used.pending_jobs) == (2, 3)


async def test_far_from_a_quota_a_count_serves_for_a_minute(engine: Engine) -> None:
    asked = list[int]()

    async def stats(user_id: int) -> Any:
        asked.append(user_id)
        return {}

    user = await engine.user()
    quota = Quota(
        engine.clock, engine.accounts.by_id, engine.quota._counts._replace(stats=stats), Quotas(pending_jobs=1000)
    )
    for _ in range(40):
        await quota.check([engine.job(user) for _ in range(10)])
        engine.clock.advance(1)
    assert len(asked) == 1
    await quota.check([engine.job(user) for _ in range(200)])
    assert len(asked) == 2, "more than half is used, as far as this node knows"
