"""Tests the loop: time jumps, order is deterministic, pauses hold, kills are final, hangs are found."""

from __future__ import annotations

import asyncio

import pytest

from simulation.loop import Hang, Owner, VirtualLoop


def test_time_jumps_to_the_next_timer_and_stands_still_otherwise() -> None:
    loop = VirtualLoop(0)

    async def story() -> list[float]:
        seen = [loop.time()]
        await asyncio.sleep(3600.0)
        seen.append(loop.time())
        await asyncio.sleep(0)
        seen.append(loop.time())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5.0):
                await loop.create_future()
        return [*seen, loop.time()]

    assert loop.run_until_complete(story()) == [0.0, 3600.0, 3600.0, 3605.0]


def test_what_can_never_come_is_a_hang() -> None:
    loop = VirtualLoop(0)

    async def forever() -> None:
        await loop.create_future()

    with pytest.raises(Hang):
        loop.run_until_complete(forever())


def _turns(seed: int) -> list[str]:
    """The order in which callbacks of three processes run that are always ready."""
    loop, seen = VirtualLoop(seed), list[str]()

    async def speak(name: str) -> None:
        for number in range(5):
            seen.append(f"{name}{number}")
            await asyncio.sleep(0)

    async def story() -> None:
        owners = [Owner(name) for name in "abc"]
        await asyncio.wait([loop.create_task(speak(one.name), context=one.context()) for one in owners])

    loop.run_until_complete(story())
    return seen


def test_turns_follow_from_the_seed_and_differ_between_seeds() -> None:
    assert _turns(1) == _turns(1)
    assert len({tuple(_turns(seed)) for seed in range(20)}) > 10
    for seed in range(5):
        for name in "abc":
            assert [one for one in _turns(seed) if one[0] == name] == [f"{name}{n}" for n in range(5)], (
                "FIFO within one"
            )


def test_a_paused_process_gets_no_turn_until_it_is_resumed_and_a_killed_one_none_at_all() -> None:
    loop, ticks = VirtualLoop(0), list[tuple[str, float]]()

    async def tick(name: str) -> None:
        try:
            while True:
                await asyncio.sleep(1.0)
                ticks.append((name, loop.time()))
        finally:
            ticks.append((name, -1.0))

    async def story() -> None:
        sleeper, victim = Owner("sleeper"), Owner("victim")
        tasks = [loop.create_task(tick(one.name), context=one.context()) for one in (sleeper, victim)]
        await asyncio.sleep(1.5)
        loop.pause(sleeper)
        loop.kill(victim)
        await asyncio.sleep(4.0)
        loop.resume(sleeper)
        await asyncio.sleep(1.1)
        assert not tasks[1].done(), "a killed process is not unwound"
        assert ("victim", -1.0) not in ticks

    loop.run_until_complete(story())
    assert [at for name, at in ticks if name == "victim" and at > 0] == [1.0]
    assert [at for name, at in ticks if name == "sleeper" and at > 0] == [1.0, 5.5, 6.5]


def test_an_error_in_a_callback_is_remembered() -> None:
    loop = VirtualLoop(0)

    async def story() -> None:
        loop.call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    loop.run_until_complete(story())
    assert "ZeroDivisionError" in loop.broken[0]
