"""One user's slow name servers take only a part of the threads that resolve names."""

from __future__ import annotations

import asyncio
import threading

import pytest

from duetime.executor.targets.http import connect
from duetime.executor.targets.http.connect import RESOLVING_AT_ONCE, RESOLVING_FOR_ONE_USER, CheckedResolver
from duetime.executor.targets.http.outgoing import OutgoingRules


class SlowNames:
    """A resolver of the system that does not answer until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.under_way = 0

    def __call__(self, host: str, port: int, family: int) -> list[str]:
        if host.startswith("slow"):
            self.under_way += 1
            self.let_go.wait(30)
        return ["192.88.98.1"]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> SlowNames:
    names = SlowNames()
    monkeypatch.setattr(connect, "_addresses_of", names)
    return names


async def resolve(resolver: CheckedResolver, user: int, host: str) -> None:
    connect.resolving_for.set(user)
    await resolver.resolve(host, 443)


async def test_another_user_is_answered_while_one_waits_for_many_slow_names(names: SlowNames) -> None:
    resolver = CheckedResolver(OutgoingRules())
    slow = [asyncio.create_task(resolve(resolver, 1, f"slow{n}.example")) for n in range(2 * RESOLVING_AT_ONCE)]
    await asyncio.wait_for(asyncio.create_task(resolve(resolver, 2, "quick.example")), 20)
    # A run that gives up does not free a thread: the user's next name still waits.
    for task in slow[:RESOLVING_AT_ONCE]:
        task.cancel()
    await asyncio.wait(slow[:RESOLVING_AT_ONCE])
    await asyncio.wait_for(asyncio.create_task(resolve(resolver, 2, "quick.example")), 20)
    assert names.under_way <= RESOLVING_FOR_ONE_USER
    names.let_go.set()
    await asyncio.gather(*slow[RESOLVING_AT_ONCE:])
    await resolver.close()
