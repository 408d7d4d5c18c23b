"""Runs a peer's driver script, which enqueues jobs and prints how long that took, or works and prints its counts."""

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
"""After this many seconds without progress a peer is skipped."""
FINISH = 300.0
"""How many seconds enqueueing may take."""


class Driver:
    """Runs a peer's driver script."""

    def __init__(self, peer: Peer, runner: Path, directory: Path, environment: dict[str, str]) -> None:
        self._peer, self._runner, self._directory, self._environment = peer, runner, directory, environment
        self._errors = directory / "errors.txt"

    async def finish(self, action: str, count: int, width: int = 1) -> float:
        """Runs one action of the driver. Returns the seconds that the driver measured."""
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
        """Runs workers until `count` jobs are done. Returns jobs per second, from the first task to the last."""
        tallies = Tallies()
        with self._errors.open("wb") as errors:
            started = range(1 if self._peer.forks else processes)
            workers = [await self._start("work", processes, 1, errors) for _ in started]
            reading = [asyncio.create_task(_read(worker, tallies)) for worker in workers]
            try:
                await self._until(count, tallies, reading)
            finally:
                await _stop(workers)
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
            # Node looks for packages only beside the script.
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
        """Returns the line that names the error: the first that starts with Error (Node), else the last (Python)."""
        lines = self._errors.read_text(errors="replace").strip().splitlines() or ["it printed no error"]
        return next((line for line in lines if line.startswith("Error")), lines[-1])


async def _stop(workers: list[asyncio.subprocess.Process]) -> None:
    """Terminates the workers, and kills those that do not end."""
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
    """Records every line that is a tally. Other lines of the worker are ignored."""
    assert worker.stdout is not None
    async for line in worker.stdout:
        try:
            tallies.record(*msgspec.json.decode(line, type=tuple[int, int, float, float]))
        except msgspec.DecodeError:
            continue
