"""The web server inside the node's own event loop."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from duetime.api.connections.guard import guarded
from duetime.api.connections.registry import Connections
from duetime.model.errors import ConfigError

BACKLOG = 2048
FEWEST_CONNECTIONS = 8


class _Server(uvicorn.Server):
    """uvicorn without its signal handling: the node handles signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signal handlers as they are."""
        yield


class Web:
    """Serves an application on a socket that is already bound."""

    def __init__(self, app: ASGIApp, listener: socket.socket, grace: float, connections: Connections) -> None:
        self._listener = listener
        self._connections = connections
        self._sweep_timer: asyncio.TimerHandle | None = None
        config = uvicorn.Config(
            app,
            loop="none",
            http=guarded(connections),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=max(1, int(grace)),
            backlog=BACKLOG,
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start serving. Returns when connections are answered."""
        self._task = asyncio.get_running_loop().create_task(self._server.serve(sockets=[self._listener]))
        while not self._server.started:
            if self._task.done():
                await self._task
                raise ConfigError("The web server ended while starting.")
            paused = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.005, paused.set_result, None)
            await paused
        self._sweep()

    async def stop(self) -> None:
        """Answer the open requests, then close."""
        self._server.should_exit = True
        if self._task:
            await self._task
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()

    def _sweep(self) -> None:
        """Look at the deadlines of connections, again and again."""
        self._connections.sweep()
        self._sweep_timer = asyncio.get_running_loop().call_later(self._connections.bounds.sweep_every, self._sweep)


def room_for_connections(wanted: int) -> int:
    """How many connections to accept: as many as wanted, and at most half of the files that may be open.

    The other half is for the database, for HTTP targets, and for the reserve that answers about health.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return wanted if hard == resource.RLIM_INFINITY else max(FEWEST_CONNECTIONS, min(wanted, hard // 2))


def bind(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A bound socket. With `shared`, several processes can bind the address; the kernel distributes connections."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        raise ConfigError(f"Cannot listen on {host}:{port} ({why}): choose another --host or --port.") from None
    listener.setblocking(False)
    return listener
