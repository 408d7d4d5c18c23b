"""The process in which a function runs: reads orders from a pipe, and writes what the run reports and how it ends."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import msgspec
from msgspec import Struct

from ..context import Context, Progress, Reports, current_context
from ..encoding.signature import Signature
from ..encoding.values import Codec
from ..outcomes import UnknownTask, outcome_of
from ..protocol.wire import Outcome, TakenRun
from ..task import Task

PR_SET_PDEATHSIG = 1


class Order(Struct, frozen=True, array_like=True):
    """Carry out a run: the function, and the run as JSON."""

    module: str
    function: str
    task: str
    run: bytes


class Message(Struct, frozen=True, array_like=True):
    """What a run reports, or how it ended: an outcome as JSON."""

    progress: Progress | None = None
    checkpoint: bytes | None = None
    line: str | None = None
    end: bytes | None = None


class _PipedReports(Reports):
    """Sends what a function reports to the worker."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        super().__init__()
        self._send = send

    def put_progress(self, progress: Progress) -> None:
        self._send(Message(progress=progress))

    def put_checkpoint(self, checkpoint: bytes) -> None:
        self._send(Message(checkpoint=checkpoint))


def main(connection: Connection) -> None:
    """Carries out orders until the pipe closes. The process ends with the worker, whatever ends that."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from ..worker.captured_logs import capture_logs

    capture_logs()
    logging.getLogger().setLevel(logging.INFO)
    decode, encode = msgspec.msgpack.Decoder(Order).decode, msgspec.msgpack.Encoder().encode

    def send(message: Message) -> None:
        connection.send_bytes(encode(message))

    while True:
        try:
            order = decode(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        run = msgspec.json.decode(order.run, type=TakenRun)
        send(Message(end=msgspec.json.encode(_carry_out(order, run, send))))


def _carry_out(order: Order, run: TakenRun, send: Callable[[Message], None]) -> Outcome:
    context = Context(run, write=lambda line: send(Message(line=line)), reports=_PipedReports(send))
    scope = current_context.set(context)
    try:
        function, signature = _find(order)
        args, kwargs = signature.call(run.message)
        if signature.wants_context:
            args = (context, *args)
        found = function(*args, **kwargs)
        if asyncio.iscoroutine(found):
            found = asyncio.run(found)
        return Outcome(run=run.run, status="succeeded", result=signature.result(found))
    except BaseException as error:  # whatever a function raises is its outcome, SystemExit too
        return outcome_of(run.run, error)
    finally:
        current_context.reset(scope)


def _find(order: Order) -> tuple[Callable[..., Any], Signature]:
    module = sys.modules["__main__"] if order.module == "__main__" else import_module(order.module)
    found: Any = module
    try:
        for part in order.function.split("."):
            found = getattr(found, part)
    except AttributeError:
        text = (
            f"A process cannot find {order.function} in {order.module}: define the function at the top of its module."
        )
        raise UnknownTask(text) from None
    if isinstance(found, Task):
        return found.function, found.signature
    return found, Signature(found, Codec(), order.task)
