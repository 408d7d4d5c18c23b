"""Listeners get what they asked for, in order; they neither delay nor fail the stage that raises events."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from duetime.engine.events import Events
from duetime.model.events import BreakerChanged, Event, JobSubmitted, ShardsChanged

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def submitted(*ids: int) -> list[Event]:
    return [JobSubmitted(one, 1, NOW) for one in ids]


async def test_a_listener_gets_the_kinds_it_asked_for_in_order() -> None:
    events, seen = Events(), list[Event]()

    async def handle(batch: Sequence[Event]) -> None:
        seen.extend(batch)

    listener = events.listen([JobSubmitted, ShardsChanged], handle)
    assert events.wanted(JobSubmitted)
    assert not events.wanted(BreakerChanged)
    shards: list[Event] = [ShardsChanged(1, 2, NOW)]
    events.publish(JobSubmitted, submitted(1, 2))
    events.publish(ShardsChanged, shards)
    events.publish(BreakerChanged, [BreakerChanged(1, "h", True, NOW)])
    assert seen == [], "raising events runs no listener"
    await listener.drain()
    assert seen == [*submitted(1, 2), *shards]
    events.remove(listener)
    assert not events.wanted(JobSubmitted)


async def test_a_listener_that_fails_loses_its_batch_and_goes_on() -> None:
    events, seen = Events(), list[Event]()

    async def handle(batch: Sequence[Event]) -> None:
        if not seen:
            seen.extend(batch)
            raise ValueError
        seen.extend(batch)

    listener = events.listen([JobSubmitted], handle)
    events.publish(JobSubmitted, submitted(1))
    await listener.drain()
    events.publish(JobSubmitted, submitted(2))
    await listener.drain()
    assert seen == submitted(1, 2)


async def test_a_listener_that_hangs_costs_only_its_own_oldest_events() -> None:
    events, gate, quick = Events(), asyncio.Event(), list[Event]()
    slow: list[Event] = []

    async def hang(batch: Sequence[Event]) -> None:
        await gate.wait()
        slow.extend(batch)

    async def handle(batch: Sequence[Event]) -> None:
        quick.extend(batch)

    hanging, other = events.listen([JobSubmitted], hang, kept=3), events.listen([JobSubmitted], handle)
    events.publish(JobSubmitted, submitted(0))
    await other.drain()
    events.publish(JobSubmitted, submitted(1, 2, 3, 4, 5))
    await other.drain()
    assert quick == submitted(0, 1, 2, 3, 4, 5)
    gate.set()
    await hanging.drain()
    assert slow == submitted(0, 3, 4, 5)
    assert hanging.dropped == 2
