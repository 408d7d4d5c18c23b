"""The benchmark of a peer: its driver enqueues jobs one by one and in bulk, then workers drain them."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from pathlib import Path

from bench.peers.backends import postgres, redis
from bench.peers.catalogue import Peer
from bench.peers.driver import Driver
from bench.peers.install import install
from duetime.bench.bench import Bench


class PeerBenchmark:
    """A benchmark like the modules of the suite, for a peer."""

    def __init__(self, peer: Peer, where: Path) -> None:
        self._peer, self._where = peer, where
        self.NAME, self.TITLE = f"peer-{peer.name}", peer.title

    async def run(self, bench: Bench) -> None:
        """Installs the peer, starts its backend, and measures."""
        peer = self._peer
        bench.say("installing")
        runner = await install(peer, self._where)
        bench.note(f"Tuning: {peer.tuning}.")
        if peer.needs == "redis":
            bench.note("Redis with its default settings: acknowledged jobs are in memory, and on disk only later.")
        async with AsyncExitStack() as stack:
            backend = postgres() if peer.needs == "postgres" else redis(self._where)
            environment = dict(os.environ) | await stack.enter_async_context(backend)
            driver = Driver(peer, runner, self._where / peer.name, environment)
            await driver.finish("setup", 0)
            for _ in bench.each_round():
                await self._one_by_one(bench, driver)
                for processes in peer.processes:
                    await self._drain(bench, driver, processes)

    async def _one_by_one(self, bench: Bench, driver: Driver) -> None:
        few = bench.size(self._peer.few, 64)
        for width in self._peer.at_once:
            bench.say(f"one by one{_at_once(width)}")
            bench.rate(f"one by one{_at_once(width)}", few / await driver.finish("one", few, width))
        await driver.drain(few * len(self._peer.at_once), 1)

    async def _drain(self, bench: Bench, driver: Driver, processes: int) -> None:
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
