"""Runs functions in processes, which can be killed: for work on the CPU, and for code that hangs."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from queue import SimpleQueue
from typing import Any

import msgspec

from ..outcomes import Ending, ProcessEnded
from ..protocol.wire import Outcome
from ..worker.attempt import Attempt
from .child import Message, Order, main

_read_message = msgspec.msgpack.Decoder(Message).decode
_write_order = msgspec.msgpack.Encoder().encode


class _Child:
    """A process and the thread that talks to it. It carries out one run at a time."""

    def __init__(self, runner: ProcessRunner) -> None:
        self._runner = runner
        self.orders: SimpleQueue[Attempt | None] = SimpleQueue()
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=main, args=(theirs,), name="duetime-task", daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._work, name="duetime-child", daemon=True).start()

    def kill(self) -> None:
        """Kills the process. Its thread reports the end of the run."""
        self._process.kill()

    def _work(self) -> None:
        while (attempt := self.orders.get()) is not None:
            alive = self._carry_out(attempt)
            self._runner.report(self, attempt, alive=alive)
            if not alive:
                break
        self._connection.close()
        self._process.kill()
        self._process.join()

    def _carry_out(self, attempt: Attempt) -> bool:
        """Lets the process carry out a run. Returns whether the process is still there."""
        function = attempt.task.function
        order = Order(function.__module__, function.__qualname__, attempt.task.name, msgspec.json.encode(attempt.run))
        try:
            self._connection.send_bytes(_write_order(order))
            while True:
                message = _read_message(self._connection.recv_bytes())
                if message.end is not None:
                    attempt.runner_state = msgspec.json.decode(message.end, type=Outcome)
                    return True
                _note(attempt, message)
        except (EOFError, OSError):
            self._process.join(1.0)
            attempt.runner_state = self._process.exitcode
            return False


def _note(attempt: Attempt, message: Message) -> None:
    if message.progress is not None:
        attempt.context.reports.put_progress(message.progress)
    if message.checkpoint is not None:
        attempt.context.reports.put_checkpoint(message.checkpoint)
    if message.line is not None:
        attempt.write(message.line)


class ProcessRunner:
    """Processes of its own, each with one run at a time. They stay for later runs."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._idle: list[_Child] = []
        self._busy: dict[Attempt, _Child] = {}

    def start(self, attempt: Attempt) -> None:
        """Gives a run to an idle process, or starts one."""
        child = self._idle.pop() if self._idle else _Child(self)
        self._busy[attempt] = child
        child.orders.put(attempt)

    def interrupt(self, attempt: Attempt, reason: Ending) -> None:
        """Kills the process of the run."""
        attempt.stop(reason)
        child = self._busy.get(attempt)
        if child is not None:
            child.kill()

    async def close(self) -> None:
        """Ends the idle processes, and kills the others."""
        for child in self._idle:
            child.orders.put(None)
        for child in self._busy.values():
            child.kill()

    def report(self, child: _Child, attempt: Attempt, *, alive: bool) -> None:
        """Takes the end of a run from the thread of its process."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended, child, attempt, alive)

    def _ended(self, child: _Child, attempt: Attempt, alive: bool) -> None:
        self._busy.pop(attempt, None)
        found: Any = attempt.runner_state
        if alive:
            self._idle.append(child)
            attempt.end(found)
        elif attempt.context.cancelled:
            attempt.fail(attempt.context.stop_reason)
        else:
            code = "an unknown reason" if found is None else f"signal {-found}" if found < 0 else f"exit code {found}"
            attempt.fail(ProcessEnded(f"The process in which the function ran ended with {code}."))
        attempt.free()
