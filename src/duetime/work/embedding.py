"""What `duetime.embed` returns, in words that need no server."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from .app import Duetime


class Embedding(Protocol):
    """Duetime inside this process, as a context manager, with and without `async`."""

    app: Duetime
    url: str
    """The address of the server, also for a browser and for the command line."""

    def start(self) -> Self:
        """Starts the database, the server and, with tasks, the worker. Returns when they are ready."""
        ...

    def stop(self) -> None:
        """Stops everything in order: the worker, the server, the database."""
        ...

    def run_forever(self) -> None:
        """Starts, waits until Ctrl-C, and stops."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
