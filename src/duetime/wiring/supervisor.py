"""Runs several node processes on one machine: starts them, replaces one that ends, and stops them together."""

from __future__ import annotations

import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import FrameType

import structlog

log = structlog.get_logger()
READY = b"ready\n"
START_SECONDS = 60.0
RESTART_PAUSE = 1.0


class _Peer:
    """One node process, and the pipe on which it reports that it is ready."""

    def __init__(self, order: bytes) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "duetime", "node"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        if self.process.stdin:
            self.process.stdin.write(order)
            self.process.stdin.close()

    def wait_ready(self, seconds: float) -> bool:
        """Whether the process reported ready in time."""
        pipe = self.process.stdout
        if pipe is None:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            return bool(selector.select(seconds)) and pipe.readline() == READY


def supervise(
    order: bytes, count: int, grace: float, announce: Callable[[], None], restart_if_ended: Callable[[], bool]
) -> int:
    """Keep `count` node processes running until a signal comes. Returns the exit code.

    `restart_if_ended` starts an embedded database again after it ended, and says whether it did.
    """
    stopping = False

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, request_stop)
    peers = [_Peer(order) for _ in range(count)]
    try:
        if not all(peer.wait_ready(START_SECONDS) for peer in peers):
            log.error("a node process did not start")
            return 1
        announce()
        while not stopping:
            for at, peer in enumerate(peers):
                if peer.process.poll() is not None and not stopping:
                    log.error("a node process ended: starting another", code=peer.process.returncode)
                    time.sleep(RESTART_PAUSE)
                    peers[at] = _Peer(order)
            if restart_if_ended():
                log.error("the embedded database ended and was started again")
            time.sleep(0.1)
    finally:
        codes = _stop(peers, grace)
    # A process that was still starting has no handler for the signal yet, and nothing to hand back.
    return 0 if all(code in (0, -signal.SIGTERM) for code in codes) else 1


def _stop(peers: list[_Peer], grace: float) -> list[int]:
    for peer in peers:
        if peer.process.poll() is None:
            peer.process.send_signal(signal.SIGTERM)
    codes: list[int] = []
    for peer in peers:
        try:
            codes.append(peer.process.wait(2 * grace + 20))
        except subprocess.TimeoutExpired:
            peer.process.kill()
            codes.append(peer.process.wait())
    return codes
