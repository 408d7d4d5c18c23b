"""A real HTTP server that answers from a script, for corners of the protocol that a sound server never shows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any, NamedTuple, Self

from aiohttp import web

Answer = Callable[["Seen"], "Reply | Awaitable[Reply]"]
AT = "2030-01-31T09:00:00Z"


class Seen(NamedTuple):
    """A request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    raw: str = ""
    """The path and the query, as they were sent."""

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def bearer(self) -> str | None:
        """The token that came with it."""
        return self.headers.get("Authorization", "").removeprefix("Bearer ") or None


class Reply(NamedTuple):
    """An answer; `hang_up` closes the connection without one."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}  # noqa: RUF012
    hang_up: bool = False


HANG_UP = Reply(hang_up=True)


def ok(data: object, **beside: Any) -> Reply:
    """A success."""
    return Reply(200, json.dumps({"data": data, "success": True, **beside}).encode())


def fail(status: int, code: str, message: str = "No.", details: object = None, **headers: str) -> Reply:
    """A failure."""
    error = {"code": code, "message": message, "details": details}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps({"success": False, "error": error}).encode(), named)


def job(job_id: int = 1025, status: str = "created", **more: Any) -> dict[str, object]:
    """A job as the server shows it, with a field that no client knows."""
    shown = {"id": job_id, "user_id": 1, "message": "m", "status": status, "execute_at": AT, "shard_id": 1}
    return {**shown, "from_the_future": {"x": [1]}, **more}


def token(value: str, expire: datetime) -> Reply:
    """A token just issued."""
    user = {"id": 1, "username": "ada", "job_weight": 1.0}
    return ok({"token": value, "expire": expire.astimezone(UTC).isoformat(), "user": user})


class ScriptedApi:
    """Answers each path with the next reply of its script; the last one stays."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.url = ""
        self._scripts: dict[str, list[Reply | Answer]] = {}
        self._runner: web.AppRunner | None = None

    def on(self, call: str, *replies: Reply | Answer) -> Self:
        """Script a call such as `GET /api/v1/me`."""
        self._scripts[call] = list(replies)
        return self

    def calls(self, call: str) -> list[Seen]:
        """The requests of one kind."""
        return [seen for seen in self.seen if f"{seen.method} {seen.path}" == call]

    async def start(self) -> None:
        """Listen on a free port of loopback."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"

    async def stop(self) -> None:
        """Close everything."""
        if self._runner is not None:
            await self._runner.cleanup()
            # Connections that are closing end in the next iteration of the event loop.
            await asyncio.sleep(0)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        seen = Seen(
            request.method,
            request.path,
            dict(request.query),
            dict(request.headers),
            await request.read(),
            request.raw_path,
        )
        self.seen.append(seen)
        script = self._scripts.get(f"{seen.method} {seen.path}")
        if not script:
            return self._sent(request, fail(404, "not_found", "There is no such thing."))
        step = script.pop(0) if len(script) > 1 else script[0]
        reply = step if isinstance(step, Reply) else step(seen)
        return self._sent(request, await reply if isinstance(reply, Awaitable) else reply)

    def _sent(self, request: web.Request, reply: Reply) -> web.StreamResponse:
        if reply.hang_up and request.transport is not None:
            request.transport.abort()
        headers = {"Content-Type": "application/json", **reply.headers}
        return web.Response(status=reply.status, body=reply.body, headers=headers)


class ThreadedApi:
    """The same server with a loop of its own, for blocking programs."""

    def __init__(self) -> None:
        self.api = ScriptedApi()
        self._loop = asyncio.new_event_loop()
        self._up = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.api.start())
        self._up.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self.api.stop())
        self._loop.close()

    def __enter__(self) -> ScriptedApi:
        self._thread.start()
        self._up.wait(10)
        return self.api

    def __exit__(self, *_: Any) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
