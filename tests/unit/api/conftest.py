"""The application over engine services that fail when they are reached, and a way to call it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

import msgspec
import pytest

from duetime.api.server.app import make_app
from duetime.api.server.services import (
    ActivityServices,
    ApiSettings,
    JobServices,
    NodeServices,
    RecurringServices,
    Services,
)
from duetime.clock.manual import ManualClock
from duetime.metrics.counts import Counts

KEY = b"0123456789abcdef0123456789abcdef"


class Unreachable:
    """Replaces an engine service, and fails the request that reaches it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AssertionError(f"the engine was reached: {name}")


class Asked(NamedTuple):
    """An answer, and how often the application reached for the body."""

    status: int
    headers: dict[str, str]
    body: bytes
    reads: int

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


async def _ask_app(
    app: Any,
    method: str,
    path: str,
    *,
    headers: Sequence[tuple[bytes, bytes]] = (),
    query: bytes = b"",
    chunks: Sequence[bytes] = (b"",),
    address: str = "127.0.0.1",
) -> Asked:
    """One request as a server would hand it over."""
    left = list(chunks)
    sent: list[dict[str, Any]] = []
    reads = 0

    async def receive() -> dict[str, Any]:
        nonlocal reads
        reads += 1
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query,
        "headers": list(headers),
        "client": (address, 1),
    }
    await app(scope, receive, send)
    start, *bodies = sent
    return Asked(
        start["status"],
        {name.decode(): value.decode() for name, value in start["headers"]},
        b"".join(message["body"] for message in bodies),
        reads,
    )


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def make_services(clock: ManualClock) -> Callable[..., Services]:
    def make(**settings: Any) -> Services:
        def group(kind: type[Any]) -> Any:
            return kind(**{one.name: settings.pop(one.name, Unreachable()) for one in fields(kind)})

        return Services(
            jobs=group(JobServices),
            recurring=group(RecurringServices),
            activity=group(ActivityServices),
            accounts=settings.pop("accounts", Unreachable()),
            sessions=settings.pop("sessions", Unreachable()),
            quota=settings.pop("quota", Unreachable()),
            node=replace(group(NodeServices), counts=Counts()),
            clock=clock,
            settings=ApiSettings(**{"signing_key": KEY} | settings),
        )

    return make


@pytest.fixture
def ask_app() -> Callable[..., Awaitable[Asked]]:
    return _ask_app


@pytest.fixture
def ask(make_services: Callable[..., Services]) -> Callable[..., Awaitable[Asked]]:
    app = make_app(make_services())

    async def ask_it(method: str, path: str, **more: Any) -> Asked:
        return await _ask_app(app, method, path, **more)

    return ask_it
