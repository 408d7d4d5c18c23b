"""Runs several worker processes: starts them, replaces one that dies, and stops them together."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType

import msgspec

from ...client.local_clock import local_monotonic
from .order import WorkOrder
from .serve import FAILURE, FORBIDDEN, OK, USAGE, configure_logs
from .watch import SourceWatch

log = logging.getLogger("duetime.work")
LOOK_EVERY = 0.2
RESTART_PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
STABLE_SECONDS = 30.0
"""A process that lived so long starts again without a growing pause."""
NOT_WORTH_ANOTHER = (USAGE, FORBIDDEN)
"""Exit codes that another start would not change."""


class _Process:
    """One worker process."""

    def __init__(self, order: WorkOrder) -> None:
        package = (__package__ or "").rpartition(".")[0]
        self.started = local_monotonic()
        self.popen = subprocess.Popen(  # noqa: S603 - this program itself
            [sys.executable, "-m", package, "--child"], stdin=subprocess.PIPE
        )
        if self.popen.stdin is not None:
            self.popen.stdin.write(msgspec.json.encode(order))
            self.popen.stdin.close()

    def ask_to_stop(self) -> None:
        """Sends SIGTERM."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)

    def end(self, seconds: float) -> int:
        """Waits for the end; kills the process when the time is up. Returns its exit code."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            return self.popen.wait()


class Supervisor:
    """Keeps worker processes running until a signal comes."""

    def __init__(self, order: WorkOrder) -> None:
        self._order = msgspec.structs.replace(order, parent=os.getpid())
        self._stop = threading.Event()
        self._processes: list[_Process] = []
        self._starts_again: dict[int, float] = {}
        self._deaths = [0] * order.processes
        self._watch = SourceWatch(Path.cwd()) if order.reload else None

    def run(self) -> int:
        """Starts the processes and replaces those that end. Returns the exit code."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked)
        self._processes = [_Process(self._numbered(at)) for at in range(self._order.processes)]
        code = OK
        while not self._stop.wait(LOOK_EVERY) and code == OK:
            code = self._look()
            if self._watch is not None and (changed := self._watch.changed()):
                log.info("%s changed: starting again", changed)
                self._restart()
        return self._end(code)

    def _numbered(self, at: int) -> WorkOrder:
        """The order of one process. The first one registers the schedules for all."""
        return msgspec.structs.replace(self._order, schedules=self._order.schedules and at == 0)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        self._stop.set()

    def _look(self) -> int:
        """Replaces processes that have ended. Returns a code other than 0 to end everything."""
        for at, process in enumerate(self._processes):
            code = process.popen.poll()
            if code is None:
                continue
            if at not in self._starts_again:
                if self._watch is not None:
                    log.error("the worker process ended with code %d: waiting for a change", code)
                    self._starts_again[at] = float("inf")
                    continue
                if code in NOT_WORTH_ANOTHER:
                    return code
                self._plan(at, process, code)
            elif local_monotonic() >= self._starts_again[at]:
                del self._starts_again[at]
                self._processes[at] = _Process(self._numbered(at))
        return OK

    def _plan(self, at: int, process: _Process, code: int) -> None:
        now = local_monotonic()
        self._deaths[at] = 0 if now - process.started > STABLE_SECONDS else self._deaths[at] + 1
        pause = RESTART_PAUSES[min(self._deaths[at], len(RESTART_PAUSES) - 1)]
        self._starts_again[at] = now + pause
        log.error("a worker process ended with code %d: starting another in %.1f s", code, pause)

    def _restart(self) -> None:
        for process in self._processes:
            process.ask_to_stop()
        for process in self._processes:
            process.end(self._order.grace + 15)
        self._starts_again.clear()
        self._processes = [_Process(self._numbered(at)) for at in range(self._order.processes)]

    def _end(self, code: int) -> int:
        for process in self._processes:
            process.ask_to_stop()
        codes = [process.end(self._order.grace + 15) for process in self._processes]
        if code != OK:
            return code
        return max((FAILURE if one < 0 else one for one in codes), default=OK)


def supervise(order: WorkOrder) -> int:
    """Runs the processes of an order. Returns the exit code."""
    configure_logs(order.log_level)
    return Supervisor(order).run()
