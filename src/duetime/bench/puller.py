"""Workers for benchmarks: a process that pulls the runs of a queue and settles each at once as succeeded.

Started as `python -m duetime.bench.puller URL QUEUE SLOTS WORKERS`, with the token as the first line of its input. It
ends when its input is closed, and prints how late the runs reached it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec
import uvloop

from duetime.bench.api import ApiLoad

PATH = "/api/v1/workers"
AHEAD = 4
"""How many settles of a worker may be without an answer."""


class Pulled(msgspec.Struct):
    """What matters here of a run."""

    run: str
    due_at: datetime


class Taken(msgspec.Struct):
    """The runs of a take."""

    runs: list[Pulled]


class Puller:
    """One worker: takes as many runs as it has slots, and settles them while the next take is on its way."""

    def __init__(self, api: ApiLoad, queue: str, slots: int) -> None:
        self._api, self._queue, self._slots = api, queue, slots
        self._take, self._beat = api.twin(), api.twin()
        self._settlers = [api.twin() for _ in range(AHEAD)]
        self._free = asyncio.Semaphore(AHEAD)
        self._settling: set[asyncio.Task[None]] = set()
        self.late: list[float] = []

    async def run(self) -> None:
        """Work until cancelled."""
        body = {"name": "puller", "queues": [self._queue], "slots": self._slots, "sdk": "bench"}
        registered = await self._api.call("POST", PATH, msgspec.json.encode(body))
        self._api.close()
        path, take = f"{PATH}/{registered['worker']}", 0
        beating = asyncio.create_task(self._keep(path, registered["beat_ms"] / 1000))
        try:
            while True:
                take += 1
                asked = b'{"take_id":"%d","max":%d,"wait_ms":20000}' % (take, self._slots)
                answer = await self._take.call("POST", f"{path}/take", asked)
                runs = msgspec.convert(answer, Taken).runs if answer["runs"] else []
                if not runs:
                    continue
                now = time.time()
                self.late += [now - one.due_at.timestamp() for one in runs]
                await self._free.acquire()
                task = asyncio.create_task(self._settle(path, runs))
                self._settling.add(task)
                task.add_done_callback(self._settling.discard)
        finally:
            beating.cancel()

    async def _settle(self, path: str, runs: list[Pulled]) -> None:
        settler = self._settlers.pop()
        try:
            outcomes = [{"run": one.run, "status": "succeeded"} for one in runs]
            await settler.call("POST", f"{path}/settle", msgspec.json.encode({"outcomes": outcomes}))
        finally:
            self._settlers.append(settler)
            self._free.release()

    async def _keep(self, path: str, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            await self._beat.call("POST", f"{path}/beat", b'{"runs":[]}')


class Pullers:
    """The process, and what it prints at its end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.lateness: dict[str, float] = {}
        """Seconds from due to the arrival at the worker: `p50` and `p99`."""

    async def stop(self) -> None:
        """End the workers."""
        process = self._process
        if process.stdin is not None and process.stdout is not None and process.returncode is None:
            process.stdin.close()
            text = await process.stdout.read()
            self.lateness = msgspec.json.decode(text) if text.strip() else {}
            await process.wait()


@asynccontextmanager
async def pulling(api: ApiLoad, queue: str, slots: int, workers: int = 1) -> AsyncGenerator[Pullers]:
    """Starts a process with so many workers, which end with the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime.bench.puller", api.url, queue, str(slots), str(workers)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(f"{api.token}\n".encode())
    pullers = Pullers(process)
    try:
        yield pullers
    finally:
        await pullers.stop()


async def _work(url: str, queue: str, slots: int, count: int) -> None:
    loop = asyncio.get_running_loop()
    token = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
    workers = [Puller(ApiLoad(url, token), queue, slots) for _ in range(count)]
    tasks = [asyncio.create_task(one.run()) for one in workers]
    ended = loop.run_in_executor(None, sys.stdin.read)
    done, _ = await asyncio.wait({*tasks, asyncio.ensure_future(ended)}, return_when=asyncio.FIRST_COMPLETED)
    failed = next((one for one in done if one in tasks), None)
    for task in tasks:
        task.cancel()
    if failed is not None:
        await failed
    late = sorted(value for one in workers for value in one.late)
    shown = {"p50": late[len(late) // 2], "p99": late[len(late) * 99 // 100]} if late else {}
    print(msgspec.json.encode(shown).decode(), flush=True)  # noqa: T201 - the parent reads it


if __name__ == "__main__":
    uvloop.run(_work(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
