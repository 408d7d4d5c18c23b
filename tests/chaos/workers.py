"""Worker processes as a kind of executor: started, killed at a step, put to sleep, with wrong wall clocks."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from chaos.sink import ChaosSink
from chaos.wallclock import WallClock
from chaos.worker import Orders
from harness.waiting import eventually

WORKER_LEASE = 2.0
HOUR = 3600.0


class ChaosWorker:
    """One worker process, and the faults that it can have."""

    def __init__(self, directory: Path, urls: list[str], token: str, sink: ChaosSink, skew: float) -> None:
        directory.mkdir()
        self._clock, self._step = WallClock(directory), directory / "step"
        self._clock.set(skew)
        self._orders = Orders(urls, token, sink.port, str(self._step))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, and wait until it has registered."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chaos.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            cwd=Path(__file__).parent.parent,
            env=os.environ | self._clock.environment,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(self._orders) + b"\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"registered\n"

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def end(self) -> None:
        """End the process, in whatever state it is."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()

    async def die_at(self, step: str) -> int:
        """Let the process kill itself at its next such step, and start it again. Returns how often it died."""
        if step == "registered":  # only a new process comes there
            self.end()
            self._step.write_text(step)
            with suppress(AssertionError):
                await asyncio.to_thread(self.start)
        else:
            self._step.write_text(step)
        await eventually(lambda: not self.running, 20.0, every=0.05)
        return await self.die()

    async def die(self) -> int:
        """End the process, in whatever state it is, and start it again. Returns how often it died."""
        self.end()
        await asyncio.to_thread(self.start)
        return 1

    async def sleep_past_the_lease(self) -> int:
        """SIGSTOP until long after its lease has ended, then SIGCONT."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(2 * WORKER_LEASE)
        self._process.send_signal(signal.SIGCONT)
        return 1


@asynccontextmanager
async def running_workers(urls: list[str], token: str, sink: ChaosSink) -> AsyncIterator[list[ChaosWorker]]:
    """Two workers of one user. Their wall clocks are an hour wrong, one ahead and one behind."""
    with tempfile.TemporaryDirectory(prefix="duetime-workers-") as directory:
        workers = [
            ChaosWorker(Path(directory) / str(number), urls[number:] + urls[:number], token, sink, skew)
            for number, skew in enumerate((HOUR, -HOUR))
        ]
        try:
            for worker in workers:
                await asyncio.to_thread(worker.start)
            yield workers
        finally:
            for worker in workers:
                worker.end()
