"""A worker process: registers with the server, works, registers again after a lost lease, and stops in order."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ...client.errors import ApiError, Unreachable
from ...client.local_clock import local_sleep
from ...client.transport import backoff, random_fraction
from ...errors import Invalid
from ..protocol.calls import WorkClient
from ..protocol.wire import Registered, Registration
from ..runners.loop import LoopRunner
from ..runners.port import Runner
from ..runners.process import ProcessRunner
from ..runners.thread import ThreadRunner
from ..schedules import register as register_schedules
from .captured_logs import capture_logs
from .session import WorkerSession
from .slots import Slots

if TYPE_CHECKING:
    from ..app import Duetime

log = logging.getLogger("duetime.work")
TIMEOUT = 40.0
"""Seconds for one call: a take waits up to 20 of them for work."""
SDK = "duetime-python"


class WorkSettings(Struct, frozen=True, kw_only=True):
    """What a worker takes, and how."""

    queues: Sequence[str] = ()
    """Empty: the queues of all tasks."""
    slots: int = 16
    name: str | None = None
    labels: Mapping[str, str] = {}
    grace: float = 10.0
    schedules: bool = True
    """Whether to register the app's schedules at the start."""


class WorkEnd(Struct, frozen=True):
    """What a worker did until its end."""

    finished: int = 0
    handed_back: int = 0


class Worker:
    """Carries out the jobs of an app's tasks in this event loop, until it is told to stop."""

    def __init__(self, app: Duetime, settings: WorkSettings | None = None) -> None:
        self._app, self._settings = app, settings or WorkSettings()
        self.ready = asyncio.Event()
        """Set while the worker is registered."""

    async def run(self, stop: asyncio.Event) -> WorkEnd:
        """Works until `stop` is set. Raises if the server does not let it in."""
        app, settings = self._app, self._settings
        registration = self._registration()
        capture_logs()
        runners: dict[str, Runner] = {"loop": LoopRunner(), "thread": ThreadRunner(), "process": ProcessRunner()}
        slots, finished, handed_back = Slots(settings.slots), 0, 0
        async with app.new_client(timeout=TIMEOUT) as client:
            try:
                while not stop.is_set():
                    registered = await self._register(client, registration, stop)
                    if registered is None:
                        break
                    log.info("worker %s takes from %s", registered.worker, ", ".join(registration.queues))
                    session = WorkerSession(client, registered, app.tasks, runners, slots)
                    self.ready.set()
                    await session.run(stop, settings.grace)
                    self.ready.clear()
                    finished, handed_back = finished + session.finished, handed_back + session.handed_back
            finally:
                for runner in runners.values():
                    await runner.close()
        return WorkEnd(finished, handed_back)

    async def _register(self, client: WorkClient, registration: Registration, stop: asyncio.Event) -> Registered | None:
        """Registers schedules and the worker. Waits for a server that cannot be reached."""
        failures = 0
        while not stop.is_set():
            try:
                if self._settings.schedules:
                    for one in await register_schedules(self._app, client):
                        if one.action != "keep":
                            log.info("schedule %s: %s", one.name, one.action)
                return await client.register(registration)
            except Unreachable as error:
                log.warning("waiting for the server: %s", error)
            except ApiError as error:
                if error.status < 500 and error.status != 429:
                    raise
                log.warning("waiting for the server: %s", error)
            pause = asyncio.ensure_future(local_sleep(backoff(min(failures, 5), random_fraction())))
            stopped = asyncio.ensure_future(stop.wait())
            await asyncio.wait([pause, stopped], return_when=asyncio.FIRST_COMPLETED)
            pause.cancel()
            stopped.cancel()
            failures += 1
        return None

    def _registration(self) -> Registration:
        app, settings = self._app, self._settings
        if not app.tasks:
            raise Invalid("The app has no tasks: import the modules that define them before the worker starts.")
        for task in app.tasks.values():
            _ = task.signature  # an error in a signature is shown now, not when the first job comes
        queues = tuple(settings.queues) or tuple(sorted({task.queue for task in app.tasks.values()}))
        return Registration(
            name=settings.name or f"{socket.gethostname()}:{os.getpid()}",
            queues=queues,
            tasks=tuple(sorted(app.tasks)),
            slots=settings.slots,
            labels=dict(settings.labels),
            sdk=SDK,
        )
