"""Runs one worker in this process until a signal comes."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

from ...client.errors import ApiError, NotLoggedIn
from ...errors import DuetimeError, Invalid
from ..app import Duetime
from ..worker.worker import WorkEnd, Worker
from .load import load_app
from .order import WorkOrder

T = TypeVar("T")
log = logging.getLogger("duetime.work")
OK, FAILURE, USAGE, FORBIDDEN, INCOMPLETE, INTERRUPTED = 0, 1, 2, 4, 8, 130
READY = "ready"
PR_SET_PDEATHSIG = 1


def serve(order: WorkOrder) -> int:
    """Loads the app and works for it. Returns the exit code."""
    configure_logs(order.log_level)
    if order.parent is not None:
        end_with_parent(order.parent)
    try:
        app = load_app(order.app)
        end = run_loop(_work(app, order))
    except DuetimeError as error:
        log.error("%s", error.message)  # noqa: TRY400 - a sentence, not a trace
        return code_of(error)
    if end.handed_back:
        log.warning("stopped: %d runs finished, %d handed back", end.finished, end.handed_back)
        return INCOMPLETE
    log.info("stopped: %d runs finished", end.finished)
    return OK


def code_of(error: DuetimeError) -> int:
    """Returns the exit code for an error."""
    if isinstance(error, NotLoggedIn) or (isinstance(error, ApiError) and error.status in (401, 403)):
        return FORBIDDEN
    refused = isinstance(error, ApiError) and 400 <= error.status < 500
    return USAGE if refused or isinstance(error, Invalid) else FAILURE


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine, with uvloop where it is installed."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


def configure_logs(level: str) -> None:
    """Writes log lines to stderr, unless the program has set up logging already."""
    logging.basicConfig(
        level=level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("duetime").setLevel(level.upper())


def end_with_parent(parent: int) -> None:
    """Makes the kernel send SIGTERM to this process when the process that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise Invalid("The process that started this one has ended.")


async def _work(app: Duetime, order: WorkOrder) -> WorkEnd:
    stop = asyncio.Event()
    stop_on_signals(stop)
    worker = Worker(app, order.settings())
    announce = asyncio.ensure_future(_announce(worker))
    try:
        return await worker.run(stop)
    finally:
        announce.cancel()


async def _announce(worker: Worker) -> None:
    await worker.ready.wait()
    print(READY, flush=True)  # noqa: T201 - for whoever started it


def stop_on_signals(stop: asyncio.Event) -> None:
    """Sets `stop` at SIGINT and SIGTERM; a second one ends the process at once.

    A handler that the program installed is called too.
    """
    loop = asyncio.get_running_loop()

    def handle(number: signal.Signals, own: Any) -> None:
        if stop.is_set():
            os._exit(INTERRUPTED)
        stop.set()
        if callable(own) and own is not signal.default_int_handler:
            own(number, None)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, handle, number, signal.getsignal(number))
