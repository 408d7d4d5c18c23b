"""A sink outside of the system: a separate process that records each request and answers as the test says.

As a program it serves requests. As a module it has `Sink`, which talks to that program.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Literal

import aiohttp
import msgspec
from aiohttp import web
from msgspec import Struct

from harness.child import serve_until_asked, serving_child

CONTROL = "/_sink"


class SinkAnswer(Struct, frozen=True):
    """An answer: a status after a delay, no answer (`hang`), or a cut connection (`drop`)."""

    status: int = 200
    body: str = "ok"
    headers: dict[str, str] = {}
    delay: float = 0.0
    mode: Literal["answer", "hang", "drop"] = "answer"


class Arrival(Struct):
    """A received request: what it says about its run, and how it ended."""

    path: str
    method: str
    run_id: str
    job_id: int
    attempt: int
    arrived: float
    """Seconds since the epoch, by the sink's own clock."""
    state: Literal["open", "answered", "closed", "dropped"] = "open"
    """`closed`: the caller closed the connection before the answer."""
    ended: float = 0.0
    """When it was answered or the caller closed the connection; 0 while it is open."""
    headers: dict[str, str] = {}
    body: str = ""


class Sink:
    """The test's handle on the sink. Each test uses its own paths, so that one sink serves all tests."""

    def __init__(self, port: int, pid: int) -> None:
        self.port = port
        self.pid = pid

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The URL for a job's target."""
        return f"http://{host}:{self.port}{path}"

    async def rule(self, path: str, *answers: SinkAnswer) -> str:
        """Set the answers for a path, one request after the other; the last one is repeated. Returns the path's URL."""
        await self._call("POST", "/rules", {"path": path, "answers": msgspec.to_builtins(answers)})
        return self.url(path)

    async def records(self, path: str) -> list[Arrival]:
        """All requests to a path or below it, in order of arrival."""
        return msgspec.convert(await self._call("GET", "/records", {"path": path}), list[Arrival])

    async def counts(self, path: str) -> Counter[str]:
        """How often each run id arrived at a path or below it."""
        return Counter(await self._call("GET", "/counts", {"path": path}))

    async def count(self, path: str) -> int:
        """How many requests arrived at a path or below it."""
        return (await self.counts(path)).total()

    async def _call(self, method: str, path: str, asked: dict[str, Any]) -> Any:
        async with aiohttp.ClientSession() as session:
            url = self.url(CONTROL + path)
            async with session.request(method, url, data=BytesIO(json.dumps(asked).encode())) as answer:
                answer.raise_for_status()
                return msgspec.json.decode(await answer.read())


@contextmanager
def running_sink() -> Iterator[Sink]:
    """A sink that ends with the block. It also ends with this process, because its input closes."""
    with serving_child("harness.sink") as child:
        yield Sink(child.port, child.pid)


class _Server:
    def __init__(self) -> None:
        self.rules: dict[str, list[SinkAnswer]] = {}
        self.arrivals: list[Arrival] = []

    async def take(self, request: web.Request) -> web.StreamResponse:
        arrival = Arrival(
            path=request.path,
            method=request.method,
            run_id=request.headers.get("webhook-id", ""),
            job_id=int(request.headers.get("duetime-job-id", "0")),
            attempt=int(request.headers.get("duetime-attempt", "0")),
            arrived=time.time(),
            headers={name.lower(): value for name, value in request.headers.items()},
        )
        self.arrivals.append(arrival)
        try:
            arrival.body = (await request.read()).decode(errors="replace")
            return await self._answer(request, arrival)
        except (asyncio.CancelledError, ConnectionError):
            if arrival.state == "open":
                arrival.state = "closed"
            raise
        finally:
            arrival.ended = time.time()

    async def _answer(self, request: web.Request, arrival: Arrival) -> web.StreamResponse:
        waiting = self.rules.get(arrival.path, [SinkAnswer()])
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if answer.mode == "hang":
            await asyncio.Event().wait()
        if answer.delay:
            await asyncio.sleep(answer.delay)
        if answer.mode == "drop":
            arrival.state = "dropped"
            if request.transport is not None:
                request.transport.abort()
            raise ConnectionResetError
        arrival.state = "answered"
        return web.Response(status=answer.status, text=answer.body, headers=answer.headers)

    def _below(self, path: str) -> list[Arrival]:
        return [each for each in self.arrivals if each.path == path or each.path.startswith(path + "/")]

    async def set_rule(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read())
        self.rules[asked["path"]] = msgspec.convert(asked["answers"], list[SinkAnswer])
        return web.json_response({})

    async def records(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read())
        return web.Response(body=msgspec.json.encode(self._below(asked["path"])))

    async def counts(self, request: web.Request) -> web.Response:
        asked = msgspec.json.decode(await request.read())
        return web.json_response(Counter(each.run_id for each in self._below(asked["path"])))


async def _serve() -> None:
    server = _Server()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post(CONTROL + "/rules", server.set_rule)
    app.router.add_get(CONTROL + "/records", server.records)
    app.router.add_get(CONTROL + "/counts", server.counts)
    app.router.add_route("*", "/{path:.*}", server.take)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=2048)
    await site.start()
    await serve_until_asked(runner.addresses[0][1])
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(_serve())
