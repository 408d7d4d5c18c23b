"""One peer's rounds: its driver enqueues one by one and in bulk, then workers drain what is there."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec

from bench.peers.catalogue import Action, Peer
from bench.peers.install import installed
from bench.peers.places import postgres, redis
from duetime.bench.bench import Bench, Skipped

DRIVERS = Path(__file__).parent / "drivers"
PATIENCE = 180.0
"""Seconds without any progress after which a peer is given up."""


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
        async with AsyncExitStack() as stack:
            place = postgres() if peer.needs == "postgres" else redis(self._where)
            environment = dict(os.environ) | await stack.enter_async_context(place)
            environment["NODE_PATH"] = str(self._where / peer.name / "node_modules")
            driver = _Driver(peer, runner, self._where / peer.name, environment)
            await driver.finish("setup", 0)
            for _ in bench.turns():
                await self._round(bench, driver)
        bench.note(f"Tuning: {peer.tuning}.")
        if peer.needs == "redis":
            bench.note("Redis as it comes: what is acknowledged is in memory, and on disk only later.")

    async def _round(self, bench: Bench, driver: _Driver) -> None:
        peer = self._peer
        count = max(200, peer.jobs // 20) if bench.quick else peer.jobs
        few = max(64, count // 640 * 64)
        bench.say("one by one")
        at_once = f", {peer.at_once} at a time" if peer.at_once > 1 else ""
        bench.rate(f"one by one{at_once}", few / await driver.finish("one", few))
        await driver.drain(few, 1)
        for processes in (1,) if peer.name == "apscheduler" else (1, 2):
            bench.say(f"drain by {processes}")
            seconds = await driver.finish("bulk" if peer.bulk else "one", count)
            if peer.bulk:
                bench.rate("bulk", count / seconds)
            label = f"drained, {processes} process{'es' if processes > 1 else ''}"
            bench.rate(label, await driver.drain(count, processes))


class _Driver:
    """Runs a peer's driver script."""

    def __init__(self, peer: Peer, runner: Path, directory: Path, environment: dict[str, str]) -> None:
        self._peer, self._runner, self._directory, self._environment = peer, runner, directory, environment

    async def finish(self, action: Action | str, count: int) -> float:
        """Let it do something to the end; the seconds that it says it took."""
        process = await self._start(action, count)
        output, errors = await asyncio.wait_for(process.communicate(), PATIENCE * 5)
        if process.returncode:
            raise Skipped(f"its driver failed at '{action}': {_gist(errors)}")
        return float(output.split()[-1])

    async def drain(self, count: int, processes: int) -> float:
        """Jobs a second from the first task to the last, over all processes; each says how far it is."""
        started = 1 if self._peer.forks else processes
        workers = [await self._start("work", processes) for _ in range(started)]
        tallies: dict[int, tuple[int, float, float]] = {}
        reading = [asyncio.create_task(self._read(worker, tallies)) for worker in workers]
        try:
            seen, since = -1, time.monotonic()
            while (done := sum(n for n, _, _ in tallies.values())) < count:
                if done != seen:
                    seen, since = done, time.monotonic()
                elif time.monotonic() - since > PATIENCE or all(task.done() for task in reading):
                    raise Skipped(f"its workers stopped at {done:,} of {count:,} jobs.")
                await asyncio.sleep(0.05)
        finally:
            for worker in workers:
                if worker.returncode is None:
                    worker.terminate()
            for worker in workers:
                try:
                    await asyncio.wait_for(worker.wait(), 20)
                except TimeoutError:
                    worker.kill()
                    await worker.wait()
            for task in reading:
                task.cancel()
        first, last = min(one for _, one, _ in tallies.values()), max(one for _, _, one in tallies.values())
        return count / max(last - first, 1e-6)

    async def _start(self, action: str, count: int) -> asyncio.subprocess.Process:
        suffix = "py" if self._peer.language == "python" else "mjs"
        script = DRIVERS / f"{self._peer.name.replace('-', '_')}_driver.{suffix}"
        if suffix == "mjs":
            # Node looks for packages beside the script, and nowhere else.
            for needed in (script, DRIVERS / "tally.mjs"):
                (self._directory / needed.name).write_bytes(needed.read_bytes())
            script = self._directory / script.name
        return await asyncio.create_subprocess_exec(
            *(str(self._runner), str(script), action, str(count)),
            env=self._environment,
            cwd=self._directory,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE if action != "work" else asyncio.subprocess.DEVNULL,
        )

    @staticmethod
    async def _read(worker: asyncio.subprocess.Process, tallies: dict[int, tuple[int, float, float]]) -> None:
        assert worker.stdout is not None
        async for line in worker.stdout:
            if line.startswith(b"[") and line.endswith(b"]\n"):
                pid, n, first, last = msgspec.json.decode(line)
                tallies[pid] = (n, first, last)


def _gist(errors: bytes) -> str:
    """The line that says what went wrong: the first that names an error in Node's way, the last in Python's."""
    lines = errors.decode(errors="replace").strip().splitlines() or ["it said nothing"]
    return next((line for line in lines if line.startswith("Error")), lines[-1])
