"""The ASGI application made from the table of routes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from starlette.routing import BaseRoute, Router
from starlette.routing import Route as PathRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from duetime import __version__
from duetime.api.auth.passwords import Passwords
from duetime.api.document.openapi import build_document
from duetime.api.document.page import render_docs
from duetime.api.health import routes as health
from duetime.api.server.endpoint import Endpoint, Methods
from duetime.api.server.errors import reply_to
from duetime.api.server.parts import Parts, make_parts
from duetime.api.server.route import Route
from duetime.api.server.services import Services
from duetime.api.table import TABLE
from duetime.model.errors import NotFound

_KEYED = (
    "/api/v1/me/lanes/",
    "/api/v1/me/jobs/by-key/",
    "/api/v1/me/breakers/",
    "/api/v1/cluster/breakers/",
    "/api/v1/me/artifacts/",
    "/api/v1/artifacts/uploads/",
)


class Api:
    """Looks a path up in a dict, and leaves ids in paths, mounts and the lifespan to Starlette."""

    def __init__(self, exact: dict[str, Methods], rest: Router) -> None:
        self._exact = exact
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "http":
            methods = self._exact.get(scope["path"])
            if methods is not None:
                await methods(scope, receive, send)
                return
            if scope["path"].startswith(_KEYED) and "raw_path" in scope:
                # A key may contain slashes, so the router reads the path as it was sent: percent-encoded.
                scope = {**scope, "path": scope["raw_path"].decode("latin-1")}
        await self._rest(scope, receive, send)


def make_app(
    services: Services,
    *,
    passwords: Passwords | None = None,
    mounts: Sequence[BaseRoute] = (),
    page: Callable[[ASGIApp], ASGIApp] = lambda otherwise: otherwise,
) -> ASGIApp:
    """The API over the engine's services; the API's own paths come before `mounts` and before the `page`."""
    document = build_document(TABLE, __version__)
    parts = make_parts(
        services,
        passwords or Passwords(),
        openapi=msgspec.json.encode(document),
        docs_page=render_docs(document),
    )
    paths = _by_path(parts)
    with_id = [PathRoute(path, methods) for path, methods in paths.items() if "{" in path]
    rest = Router(
        [*with_id, *mounts], redirect_slashes=False, default=page(_not_found), lifespan=_closing(parts.passwords)
    )
    return Api({path: methods for path, methods in paths.items() if "{" not in path}, rest)


def make_health_app(services: Services) -> ASGIApp:
    """Only `/healthz`, `/readyz` and `/metrics`: for nodes that do not serve the API, and for a listener of metrics."""
    parts = make_parts(services, Passwords(), openapi=b"", docs_page=b"")
    rest = Router([], redirect_slashes=False, default=_only_health, lifespan=_closing(parts.passwords))
    return Api(_by_path(parts, health.ROUTES), rest)


def _by_path(parts: Parts, table: Sequence[Route[Any, Any]] = TABLE) -> dict[str, Methods]:
    paths: dict[str, dict[str, Endpoint]] = {}
    for route in table:
        paths.setdefault(route.path, {})[route.method] = Endpoint(route, parts)
    return {path: Methods(endpoints) for path, endpoints in paths.items()}


def _closing(passwords: Passwords) -> Any:
    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncGenerator[None]:
        yield
        passwords.close()

    return lifespan


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    await _refuse("There is nothing at this path: /docs lists every path.", scope, receive, send)


async def _only_health(scope: Scope, receive: Receive, send: Send) -> None:
    await _refuse("There is no API here, only /healthz, /readyz and /metrics.", scope, receive, send)


async def _refuse(why: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await WebSocketClose()(scope, receive, send)
    else:
        await reply_to(NotFound(why), scope).send(scope, send)
