"""A peer's driver script, run as a process of its own: it enqueues and says how long it took, or works and counts."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from bench.peers.catalogue import Peer
from bench.peers.tallies import Tallies
from duetime.bench.bench import Skipped

DRIVERS = Path(__file__).parent / "drivers"
PATIENCE = 60.0
"""Seconds without any progress after which a peer is given up."""
FINISH = 300.0
"""Seconds in which all must be enqueued."""


class Driver:
    """Runs a peer's driver script."""

    def __init__(self, peer: Peer, runner: Path, directory: Path, environment: dict[str, str]) -> None:
        self._peer, self._runner, self._directory, self._environment = peer, runner, directory, environment
        self._errors = directory / "errors.txt"

    async def finish(self, action: str, count: int, width: int = 1) -> float:
        """Let it do something to the end; the seconds that it says it took."""
        with self._errors.open("wb") as errors:
            process = await self._start(action, count, width, errors)
            try:
                output, _ = await asyncio.wait_for(process.communicate(), FINISH)
            except TimeoutError:
                process.kill()
                await process.wait()
                raise Skipped(f"its driver was not done with '{action}' after {FINISH:.0f} s.") from None
        if process.returncode:
            raise Skipped(f"its driver failed at '{action}': {self._gist()}")
        return float(output.split()[-1])

    async def drain(self, count: int, processes: int) -> float:
        """Jobs a second from the first task to the last, over all processes; each says how far it is."""
        tallies = Tallies()
        with self._errors.open("wb") as errors:
            started = range(1 if self._peer.forks else processes)
            workers = [await self._start("work", processes, 1, errors) for _ in started]
            reading = [asyncio.create_task(_read(worker, tallies)) for worker in workers]
            try:
                await self._until(count, tallies, reading)
            finally:
                await _ended(workers)
                await asyncio.gather(*reading)
        if tallies.done > count:
            raise Skipped(f"its workers ran {tallies.done:,} tasks for {count:,} jobs.")
        return tallies.rate

    async def _until(self, count: int, tallies: Tallies, reading: list[asyncio.Task[None]]) -> None:
        seen, since = -1, time.monotonic()
        while (done := tallies.done) < count:
            if done != seen:
                seen, since = done, time.monotonic()
            elif time.monotonic() - since > PATIENCE or all(task.done() for task in reading):
                raise Skipped(f"its workers stopped at {done:,} of {count:,} jobs: {self._gist()}")
            await asyncio.sleep(0.05)

    async def _start(self, action: str, count: int, width: int, errors: BinaryIO) -> asyncio.subprocess.Process:
        suffix = "py" if self._peer.language == "python" else "mjs"
        script = DRIVERS / f"{self._peer.name.replace('-', '_')}_driver.{suffix}"
        if suffix == "mjs":
            # Node looks for packages beside the script, and nowhere else.
            for needed in (script, DRIVERS / "tally.mjs"):
                (self._directory / needed.name).write_bytes(needed.read_bytes())
            script = self._directory / script.name
        return await asyncio.create_subprocess_exec(
            *(str(self._runner), str(script), action, str(count), str(width)),
            env=self._environment,
            cwd=self._directory,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )

    def _gist(self) -> str:
        """The line that says what went wrong: the first that names an error in Node's way, the last in Python's."""
        lines = self._errors.read_text(errors="replace").strip().splitlines() or ["it said nothing"]
        return next((line for line in lines if line.startswith("Error")), lines[-1])


async def _ended(workers: list[asyncio.subprocess.Process]) -> None:
    """Stop them, gently first."""
    for worker in workers:
        if worker.returncode is None:
            worker.terminate()
    for worker in workers:
        try:
            await asyncio.wait_for(worker.wait(), 20)
        except TimeoutError:
            worker.kill()
            await worker.wait()


async def _read(worker: asyncio.subprocess.Process, tallies: Tallies) -> None:
    """Every line that is a tally; a worker's own lines are passed over."""
    assert worker.stdout is not None
    async for line in worker.stdout:
        try:
            tallies.told(*msgspec.json.decode(line, type=tuple[int, int, float, float]))
        except msgspec.DecodeError:
            continue
