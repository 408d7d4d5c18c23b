"""Schedules for tests: creates them and reads their records."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from duetime.model.definition import Definition
from duetime.model.schedule import ScheduleContent, ScheduleRecord
from duetime.timing.spec import Timing
from harness.engine import Engine

MINUTE = timedelta(minutes=1)


def content(name: str = "s", *, message: str = "m", **more: Any) -> ScheduleContent:
    """A schedule's content. Arguments that are not fields of the content are fields of its timing."""
    fields = {name: more.pop(name) for name in list(more) if name in Timing.__struct_fields__}
    return ScheduleContent(
        name=name, timing=Timing(**fields), definition=more.pop("definition", Definition()), message=message, **more
    )


async def add(engine: Engine, user: int, name: str = "s", **more: Any) -> int:
    """Create a schedule. Returns its id."""
    return (await engine.schedules.create(user, [content(name, **more)], user))[0]


async def records(engine: Engine, user: int, schedule_id: int) -> list[ScheduleRecord]:
    """The records of a schedule's nominal instants, in order."""
    found = await engine.schedules.history(user, schedule_id, 2**53, 100_000)
    return sorted(found, key=lambda one: (one.nominal, one.job_id))


async def ran(engine: Engine, user: int, schedule_id: int) -> list[datetime]:
    """The nominal instants that succeeded."""
    return [one.nominal for one in await records(engine, user, schedule_id) if one.state == "succeeded"]


def at(text: str) -> datetime:
    """An instant in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


async def skip_to(engine: Engine, instant: datetime) -> None:
    """Advance the clock without running the engine, as if the system were down, then run it."""
    engine.clock.advance_to(instant)
    await engine.retention.run_once()
    await engine.ownership.run_once()
    engine.due.restart()
    await engine.settle_down(100_000)


async def follow(engine: Engine, user: int, schedule_id: int, until: datetime) -> None:
    """Advance the clock to an instant, and stop exactly at each occurrence's due instant."""
    while engine.clock.now() < until:
        schedule = await engine.schedules.show(user, schedule_id)
        due = schedule.pending_due
        engine.clock.advance_to(until if due is None or due > until else max(due, engine.clock.now()))
        await engine.retention.run_once()
        await engine.ownership.run_once()
        await engine.settle_down()
        after = (await engine.schedules.show(user, schedule_id)).pending_due
        assert after is None or after > engine.clock.now() or after != due, "an occurrence did not go"


async def restart_at(engine: Engine, instant: datetime) -> None:
    """Advance the clock to an instant, and renew the partitions and the lease, as a start does."""
    engine.clock.advance_to(instant)
    await engine.retention.run_once()
    await engine.ownership.run_once()
