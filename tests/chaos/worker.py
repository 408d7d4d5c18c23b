"""A worker under faults: pulls the runs of a queue, calls the sink for each, and settles them by the sink's answer.

Started as `python -m chaos.worker`, with its orders as the first line of its input. It takes at one node and settles at
another. At a step that the file of its orders names, it kills itself.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

QUEUE = "chaos"
SLOTS = 16
WAIT_MS = 500
PATIENCE = 10.0 + WAIT_MS / 1000
"""How long docs/workers.md lets a worker wait for the answer to a take."""
STEPS = ("registered", "taken", "worked", "settling", "settled", "beating")


class Orders(Struct, frozen=True):
    """The nodes, the user's token, the sink's port, and the file that names a step to die at."""

    urls: list[str]
    token: str
    sink: int
    step: str


class Gone(Exception):
    """The server does not know the worker any more."""


class Worker:
    """One registration after the other, until the process ends."""

    def __init__(self, orders: Orders, session: aiohttp.ClientSession) -> None:
        self._orders, self._session = orders, session
        self._turns = count()
        self._name = ""
        self._running: dict[str, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Register, and work until the lease is lost; again and again."""
        for round_ in count():
            body = {"name": f"chaos {os.getpid()}", "queues": [QUEUE], "slots": SLOTS}
            registered = await self._call("POST", "", body)
            self._name = registered["worker"]
            self._step("registered")
            if not round_:
                sys.stdout.write("registered\n")
                sys.stdout.flush()
            beating = asyncio.ensure_future(self._beat(registered["beat_ms"] / 1000))
            try:
                pulling = asyncio.ensure_future(self._pull())
                done, _ = await asyncio.wait({beating, pulling}, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    one.result()
            except Gone:
                pass
            finally:
                under_way = [beating, pulling, *self._running.values()]
                for task in under_way:
                    task.cancel()
                await asyncio.gather(*under_way, return_exceptions=True)
                self._running.clear()

    async def _pull(self) -> None:
        for number in count(1):
            while len(self._running) >= SLOTS:
                await asyncio.wait(self._running.values(), return_when=asyncio.FIRST_COMPLETED)
            asked = {"take_id": f"{os.getpid()}-{number}", "max": SLOTS - len(self._running), "wait_ms": WAIT_MS}
            taken = await self._call("POST", f"/{self._name}/take", asked, PATIENCE)
            if taken["runs"]:
                self._step("taken")
            for run in taken["runs"]:
                if run["run"] not in self._running:
                    self._running[run["run"]] = asyncio.ensure_future(self._work(run))

    async def _work(self, run: dict[str, Any]) -> None:
        token: str = run["run"]
        job, attempt, _ = token.split(".")
        headers = {
            "webhook-id": f"{job}.{attempt}",
            "duetime-job-id": job,
            "duetime-attempt": attempt,
            "idempotency-key": job,
        }
        url = f"http://127.0.0.1:{self._orders.sink}/{run['task']}"
        async with self._session.post(url, data=str(run["message"]).encode(), headers=headers) as answer:
            good = answer.status < 300
        self._step("worked")
        failed = {"status": "failed", "error": {"kind": "sink", "message": "the sink refused it"}}
        outcome = {"run": token, **({"status": "succeeded", "result": attempt} if good else failed)}
        self._step("settling")
        await self._call("POST", f"/{self._name}/settle", {"outcomes": [outcome]})
        self._step("settled")
        self._running.pop(token, None)

    async def _beat(self, every: float) -> None:
        while True:
            await asyncio.sleep(every)
            answer = await self._call("POST", f"/{self._name}/beat", {"runs": [{"run": run} for run in self._running]})
            self._step("beating")
            for run in answer["stale"]:
                if task := self._running.pop(run, None):
                    task.cancel()

    async def _call(self, method: str, path: str, body: object, patience: float = 5.0) -> Any:
        """Calls the nodes in turn until one answers. The same call again is harmless."""
        headers = {"authorization": f"Bearer {self._orders.token}", "content-type": "application/json"}
        while True:
            url = self._orders.urls[next(self._turns) % len(self._orders.urls)]
            try:
                async with self._session.request(
                    method,
                    f"{url}/api/v1/workers{path}",
                    data=msgspec.json.encode(body),
                    headers=headers,
                    timeout=aiohttp.ClientTimeout(total=patience),
                ) as answer:
                    read = msgspec.json.decode(await answer.read())
                    if answer.status == 404:
                        raise Gone
                    if answer.status < 300:
                        return read["data"]
            except (aiohttp.ClientError, TimeoutError, OSError):
                pass
            await asyncio.sleep(0.05)

    def _step(self, name: str) -> None:
        file = Path(self._orders.step)
        if file.exists() and file.read_text() == name:
            file.unlink()
            os.kill(os.getpid(), signal.SIGKILL)


async def _main() -> None:
    orders = msgspec.json.decode(sys.stdin.readline(), type=Orders)
    ended = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        working = asyncio.ensure_future(Worker(orders, session).run())
        done, _ = await asyncio.wait({working, ended}, return_when=asyncio.FIRST_COMPLETED)
        if working in done:
            working.result()
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(_main())
