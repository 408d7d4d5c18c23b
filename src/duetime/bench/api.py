"""A user's calls of Duetime's API, as every benchmark makes them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from duetime.bench.server import PASSWORD, Server
from duetime.bench.wire import Wire, request

JOBS = "/api/v1/me/jobs"
FINISHED = ("succeeded", "dead", "cancelled", "skipped", "lost")
IDLE = 3.0
"""Seconds. The server closes connections that are idle for five."""
STUCK = 120.0


class RequestRefused(Exception):
    """The server refused a call."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"The server answered {status}: {body[:500].decode(errors='replace')}")
        self.status = status


class ApiLoad:
    """A user's calls, over one connection."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url, self.token = url, token
        self._wire: Wire | None = None
        self._used = 0.0

    async def call(self, method: str, path: str, body: bytes = b"", *, kind: str = "json") -> Any:
        """Sends one call. Returns the data of its answer."""
        wire = await self.wire()
        status, answer = await wire.ask(request(method, path, self.token, body, kind=kind))
        self._used = time.monotonic()
        if not 200 <= status < 300:
            raise RequestRefused(status, answer)
        return msgspec.json.decode(answer)["data"]

    async def wire(self) -> Wire:
        """Returns the connection. Opens a new one if it was idle for long."""
        if self._wire is None or self._wire.closed or time.monotonic() - self._used > IDLE:
            self.close()
            self._wire = await Wire.open(self.url)
        return self._wire

    def twin(self) -> ApiLoad:
        """Returns the same user's calls on another connection."""
        return ApiLoad(self.url, self.token)

    def close(self) -> None:
        """Closes the connection."""
        if self._wire is not None:
            self._wire.close()

    async def login(self, username: str, password: str) -> ApiLoad:
        """Logs in. Returns that user's calls."""
        body = msgspec.json.encode({"username": username, "password": password})
        return ApiLoad(self.url, (await self.call("POST", "/api/v1/auth/login", body))["token"])

    async def user(self, username: str, weight: float = 1.0) -> ApiLoad:
        """Creates a user. Returns its calls."""
        given = {"username": username, "password": PASSWORD, "job_weight": weight}
        await self.call("POST", "/api/v1/users", msgspec.json.encode(given))
        return await self.login(username, PASSWORD)

    async def id(self) -> int:
        """Returns the user's id."""
        return (await self.call("GET", "/api/v1/me"))["id"]

    async def finished(self) -> int:
        """Returns how many of the user's jobs have ended, in whatever state."""
        stats = await self.call("GET", JOBS + "/stats")
        return sum(stats[state] for state in FINISHED)

    async def until_finished(self, count: int, say: Callable[[str], None], every: float = 0.5) -> None:
        """Waits until `count` jobs have ended. Polls seldom, to cost the server little."""
        seen, since = -1, time.monotonic()
        while (now := await self.finished()) < count:
            say(f"{now:,} of {count:,} finished")
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > STUCK:
                raise TimeoutError(f"No job ended for {STUCK:.0f} s, at {now:,} of {count:,}.")
            await asyncio.sleep(every)


@asynccontextmanager
async def admin_of(server: Server) -> AsyncGenerator[ApiLoad]:
    """Yields the administrator's calls."""
    login = ApiLoad(server.url)
    api = await login.login("admin", PASSWORD)
    login.close()
    try:
        yield api
    finally:
        api.close()
