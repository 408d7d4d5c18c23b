"""One peer's rounds: its driver enqueues one by one and in bulk, then workers drain what is there."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from pathlib import Path

from bench.peers.catalogue import Peer
from bench.peers.driver import Driver
from bench.peers.install import installed
from bench.peers.places import postgres, redis
from duetime.bench.bench import Bench


class PeerBenchmark:
    """What a module of the suite is, for a peer."""

    def __init__(self, peer: Peer, where: Path) -> None:
        self._peer, self._where = peer, where
        self.NAME, self.TITLE = f"peer-{peer.name}", peer.title

    async def run(self, bench: Bench) -> None:
        """Install, start what it needs, and measure."""
        peer = self._peer
        bench.say("installing")
        runner = await installed(peer, self._where)
        bench.note(f"Tuning: {peer.tuning}.")
        if peer.needs == "redis":
            bench.note("Redis as it comes: what is acknowledged is in memory, and on disk only later.")
        async with AsyncExitStack() as stack:
            place = postgres() if peer.needs == "postgres" else redis(self._where)
            environment = dict(os.environ) | await stack.enter_async_context(place)
            driver = Driver(peer, runner, self._where / peer.name, environment)
            await driver.finish("setup", 0)
            for _ in bench.turns():
                await self._one_by_one(bench, driver)
                for processes in peer.processes:
                    await self._drained(bench, driver, processes)

    async def _one_by_one(self, bench: Bench, driver: Driver) -> None:
        few = bench.size(self._peer.few, 64)
        for width in self._peer.at_once:
            bench.say(f"one by one{_at_once(width)}")
            bench.rate(f"one by one{_at_once(width)}", few / await driver.finish("one", few, width))
        await driver.drain(few * len(self._peer.at_once), 1)

    async def _drained(self, bench: Bench, driver: Driver, processes: int) -> None:
        peer, label = self._peer, f"{processes} process{'es' if processes > 1 else ''}"
        count = bench.size(peer.jobs, max(200, peer.jobs // 50))
        bench.say(f"enqueueing {count:,} jobs")
        seconds = await driver.finish("bulk" if peer.bulk else "one", count, processes)
        if peer.bulk:
            bench.rate(f"bulk{_at_once(processes)}", count / seconds)
        bench.say(f"drained by {label}")
        bench.rate(f"drained, {label}", await driver.drain(count, processes))


def _at_once(width: int) -> str:
    return f", {width} at a time" if width > 1 else ""
