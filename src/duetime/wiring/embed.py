"""Duetime inside a program: the server, the scheduler and a worker, in threads of the program's own process."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from duetime.api.auth.passwords import hash_password
from duetime.clock.system import SystemClock
from duetime.config import Config, load
from duetime.model.errors import Conflict
from duetime.postgres.pool import Pool
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.wiring import logs
from duetime.wiring.bootstrap import signing_key
from duetime.wiring.data_directory import locked
from duetime.wiring.database import open_database, with_pool
from duetime.wiring.identity import check_cluster, measured_clock
from duetime.wiring.loop_thread import CallThread, LoopThread
from duetime.wiring.migrations import migrate_and_register
from duetime.wiring.node import Node
from duetime.wiring.web import bind
from duetime.work import Duetime, Worker, WorkSettings

USER = "embedded"


class EmbeddedNode:
    """A node in a thread, with the API on a free port of this machine, and a user to work as."""

    def __init__(self, config: Config, dsn: str, key: str, user: str, clock: SystemClock | None = None) -> None:
        self._listener = bind(config.host, config.port)
        self.url = f"http://{config.host}:{self._listener.getsockname()[1]}"
        self.login = (user, secrets.token_urlsafe(24))
        with_pool(dsn, lambda pool: self._prepare(pool, config))
        self.thread = LoopThread("duetime-node")
        self.node = self.thread.run(self._start(config, dsn, key, clock))

    def stop(self) -> None:
        """Stops the node: runs are finished or handed back."""
        self.thread.run(self.node.stop())
        self.thread.close()
        self._listener.close()

    async def _start(self, config: Config, dsn: str, key: str, clock: SystemClock | None) -> Node:
        node = Node(config, dsn, self._listener, key, clock)
        await node.start()
        return node

    async def _prepare(self, pool: Pool, config: Config) -> None:
        """Migrates, and gives the user a new password, which only this process knows."""
        await migrate_and_register(config, pool)
        await check_cluster(pool, config, config.data)
        accounts, clock = PostgresAccounts(pool), await measured_clock(pool, config)
        name, password = self.login
        hashed = hash_password(password)
        try:
            await accounts.create_user(name, hashed, 1.0, "admin", clock.now(), None)
        except Conflict:
            known = await accounts.credentials(name)
            if known is None:
                raise
            await accounts.set_password(known.user.id, hashed, clock.now(), known.user.id)


class EmbeddedWorker:
    """A worker in a thread of its own, so that a function that blocks its event loop does not stop the server."""

    def __init__(self, app: Duetime, settings: WorkSettings) -> None:
        self._thread = LoopThread("duetime-worker")
        self._stop, self._worker = self._thread.run(self._make(app, settings))
        self._running = self._thread.start(self._worker.run(self._stop))

    def wait_ready(self, seconds: float) -> None:
        """Waits until the worker is registered. Raises what stopped it."""
        ready = self._thread.start(self._worker.ready.wait())
        for _ in range(int(seconds / 0.05)):
            if self._running.done():
                self._running.result()
            if ready.done():
                return
            threading.Event().wait(0.05)
        raise TimeoutError("the worker did not register in time")

    def stop(self) -> None:
        """Finishes what runs, hands the rest back, and leaves."""
        self._thread.call(self._stop.set)
        self._running.result()
        self._thread.close()

    async def _make(self, app: Duetime, settings: WorkSettings) -> tuple[asyncio.Event, Worker]:
        return asyncio.Event(), Worker(app, settings)


class Embedded:
    """Duetime inside this process, as a context manager, with and without `async`."""

    def __init__(
        self,
        app: Duetime | None = None,
        *,
        data: str | Path = ".duetime",
        port: int = 0,
        slots: int = 16,
        grace: float = 10.0,
        user: str = USER,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.app = app or Duetime(name="embedded")
        self._wants_worker = app is not None
        given = {"data": str(data), "port": port, "log_level": "warning", **(settings or {})}
        self._config = load(given, os.environ, None)
        self._work = WorkSettings(slots=slots, grace=grace)
        self._user = user
        self._stack = ExitStack()
        self._thread: CallThread | None = None
        self.url = ""
        """The address of the server, also for a browser and for the command line."""

    def start(self) -> Self:
        """Starts the database, the server and, with tasks, the worker. Returns when they are ready."""
        self._thread = CallThread("duetime-embedded")
        self._thread.run(self._start)
        return self

    def stop(self) -> None:
        """Stops everything in order: the worker, the server, the database."""
        if self._thread is not None:
            self._thread.run(self._stack.close)
            self._thread.close()
            self._thread = None

    def run_forever(self) -> None:
        """Waits until Ctrl-C. Starts first, and stops then."""
        with self:
            try:
                threading.Event().wait()
            except KeyboardInterrupt:
                return

    def _start(self) -> None:
        with ExitStack() as stack:
            logs.configure(self._config.log_level, self._config.log_format)
            data = stack.enter_context(locked(self._config.data))
            config = msgspec.structs.replace(self._config, data=data)
            dsn, _ = open_database(config, data, stack)
            key = signing_key(config.data, config.signing_key_file, os.environ.get("DUETIME_SIGNING_KEY"))
            node = EmbeddedNode(config, dsn, key, self._user)
            stack.callback(node.stop)
            self.url = node.url
            self.app.use_server(node.url, login=node.login)
            if self._wants_worker and self.app.tasks:
                self.app.name = self.app.name or "embedded"
                worker = EmbeddedWorker(self.app, self._work)
                stack.callback(worker.stop)
                worker.wait_ready(30.0)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        """Starts."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops."""
        self.stop()

    async def __aenter__(self) -> Self:
        """Starts, without blocking the event loop."""
        await _aside(self.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stops, without blocking the event loop."""
        await self.app.close()
        await _aside(self.stop)


async def _aside(work: Any) -> None:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        try:
            work()
        except BaseException as error:
            loop.call_soon_threadsafe(done.set_exception, error)
        else:
            loop.call_soon_threadsafe(done.set_result, None)

    threading.Thread(target=run, name="duetime-embed", daemon=True).start()
    await done
