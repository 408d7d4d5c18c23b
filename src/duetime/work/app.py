"""An app: the tasks of a program, their schedules, and the server that they belong to."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar, Unpack, overload
from weakref import WeakKeyDictionary

from ..client.client import DEFAULT_URL
from ..client.credentials import token_for
from ..client.spec import JobSpec
from ..errors import Invalid
from .context import Context
from .encoding.values import MOST_BYTES, Codec, DecodeHook, EncodeHook
from .enqueuing import Enqueuing
from .local_admin import local_admin
from .options import Draft, JobOptions, RunIn
from .own_loop import OwnLoop
from .protocol.calls import WorkClient
from .schedules import Schedule, ScheduleOptions
from .task import Task

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
SERVER_VARIABLES = ("DUETIME_URL", "DUETIME_SERVER")


class TaskDecorator(Protocol):
    """Makes a task of a function. A first parameter of type `Context` is no argument of the task."""

    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[Context, P], R], /) -> Task[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Task[P, R]: ...


class Duetime:
    """The tasks of a program, and the server that keeps their jobs.

    The names of the app's schedules begin with its `name`; `duetime work` gives an app without one the name of its
    module. `username` is the user that owns jobs which are enqueued in a transaction on Duetime's own database.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        login: tuple[str, str] | None = None,
        name: str | None = None,
        username: str | None = None,
        most_bytes: int = MOST_BYTES,
        enc_hook: EncodeHook | None = None,
        dec_hook: DecodeHook | None = None,
    ) -> None:
        self.url, self.name = url, name
        self.username = username or (login[0] if login else None)
        self.codec = Codec(most_bytes, enc_hook, dec_hook)
        self.tasks: dict[str, Task[Any, Any]] = {}
        self.schedules: dict[str, Schedule] = {}
        self.enqueuing = Enqueuing(self)
        self._token, self._login = token, login
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, WorkClient] = WeakKeyDictionary()
        self._closers: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None]] = WeakKeyDictionary()
        self._own_loop = OwnLoop()

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, **more: Any) -> Self:
        """Returns an app for the server of the environment.

        `DUETIME_URL` (or `DUETIME_SERVER`) is its address. The user is that of `DUETIME_TOKEN`, of
        `DUETIME_USERNAME` and `DUETIME_PASSWORD`, or of the last `duetime login` on this machine. Without any of
        these, beside a `duetime up` in the same directory, it is that server's admin.
        """
        env = os.environ if environ is None else environ
        url = next((env[name] for name in SERVER_VARIABLES if env.get(name)), DEFAULT_URL)
        user, password = env.get("DUETIME_USERNAME"), env.get("DUETIME_PASSWORD")
        token = env.get("DUETIME_TOKEN") or None
        login = (user, password) if user and password and not token else None
        given: dict[str, Any] = {"url": url, "token": token, "login": login, "username": user, **more}
        return cls(**given)

    # ------------------------------------------------------------------ tasks

    @overload
    def task(self, function: Callable[Concatenate[Context, P], Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def task(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Task[P, R]: ...
    @overload
    def task(self, function: Callable[Concatenate[Context, P], R], /) -> Task[P, R]: ...
    @overload
    def task(self, function: Callable[P, R], /) -> Task[P, R]: ...
    @overload
    def task(
        self, *, name: str | None = None, run_in: RunIn | None = None, **options: Unpack[JobOptions]
    ) -> TaskDecorator: ...
    def task(
        self,
        function: Callable[..., Any] | None = None,
        *,
        name: str | None = None,
        run_in: RunIn | None = None,
        **options: Unpack[JobOptions],
    ) -> Any:
        """Makes a task of a function.

        Without a `name` the task has that of the function. `run_in` says where it runs: `loop` (the default of
        coroutine functions), `thread` (the default of others) or `process`, which can be killed.
        """
        draft = Draft(options=options)

        def decorate(given: Callable[..., Any]) -> Task[Any, Any]:
            task = Task[Any, Any](self, given, name or given.__name__, draft, run_in)
            return self._add(task)

        return decorate if function is None else decorate(function)

    def _add(self, task: Task[Any, Any]) -> Task[Any, Any]:
        if task.run_in not in ("loop", "thread", "process"):
            raise Invalid(f"run_in is {task.run_in!r}: it must be 'loop', 'thread' or 'process'.")
        if task.is_async and task.run_in == "thread":
            raise Invalid(f"The task '{task.name}' is a coroutine function: it runs in 'loop' or in 'process'.")
        before = self.tasks.get(task.name)
        if before is not None and before.function is not task.function:
            where = f"{before.function.__module__}.{before.function.__qualname__}"
            raise Invalid(f"The name '{task.name}' belongs to the task {where}: give one of them another name.")
        self.tasks[task.name] = task
        return task

    def schedule(
        self, cron: str | list[str] | None = None, **options: Unpack[ScheduleOptions]
    ) -> Callable[[Task[P, R]], Task[P, R]]:
        """Adds a schedule to a task, by a cron line or by `every`, `at` or `rrule`.

        A worker registers it when it starts. It is found by its name, changed when the code changes, and deleted when
        the code has it no more.
        """

        def decorate(task: Task[P, R]) -> Task[P, R]:
            one = Schedule.of(task, cron, options)
            if one.name in self.schedules:
                raise Invalid(f"Two schedules are named '{one.name}': give one of them another name.")
            self.schedules[one.name] = one
            return task

        return decorate

    async def enqueue_all(self, jobs: Iterable[JobSpec]) -> list[int]:
        """Creates many jobs, made by `Task.job`. Returns their ids.

        Up to 10,000 go in one request and are stored together. Requests are not repeated after a lost connection.
        """
        return await (await self.client()).create_jobs(jobs)

    # ------------------------------------------------------------------ the connection

    def use_server(self, url: str, *, token: str | None = None, login: tuple[str, str] | None = None) -> None:
        """Moves the app to another server, such as one in a test. Connections to the one before are used no more."""
        self.url, self._token, self._login = url, token, login
        self.username = login[0] if login else self.username
        self._clients, self._closers = WeakKeyDictionary(), WeakKeyDictionary()

    async def client(self) -> WorkClient:
        """Returns the client of this event loop. It is closed with the loop, or by `close`."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self.new_client()
            closer = self._closers[loop] = _close_with_loop(client)
            await anext(closer)
        return client

    def new_client(self, **options: Any) -> WorkClient:
        """Returns a client of its own, for a worker."""
        token, login = self._token, self._login
        if token is None and login is None:
            token = token_for(os.environ, self.url)
            login = local_admin(self.url) if token is None else None
        return WorkClient(self.url, token=token, credentials=login, **options)

    async def close(self) -> None:
        """Closes the connections of this event loop."""
        loop = asyncio.get_running_loop()
        self._clients.pop(loop, None)
        closer = self._closers.pop(loop, None)
        if closer is not None:
            await closer.aclose()

    async def __aenter__(self) -> Self:
        """Returns the app. Its connections are closed at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connections."""
        await self.close()

    def in_own_loop(self, work: Awaitable[T]) -> T:
        """Runs a coroutine in an event loop of its own thread. Returns its result, for code without a loop."""
        return self._own_loop.run(work)


async def _close_with_loop(client: WorkClient) -> AsyncGenerator[None]:
    """Closes a client when its event loop ends: `asyncio.run` closes the generators that are still open."""
    try:
        yield
    finally:
        await client.close()
