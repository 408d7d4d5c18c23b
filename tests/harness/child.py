"""Test programs that serve on loopback, outside of the system under test."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Child(NamedTuple):
    """The process and its port."""

    port: int
    pid: int


@contextmanager
def serving_child(module: str) -> Iterator[Child]:
    """Run `python -m MODULE`, whose first line is its port. It ends with the block, or when its input closes."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        cwd=Path(__file__).parent.parent,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        try:
            yield Child(int(process.stdout.readline()), process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


async def serve_until_asked(port: int) -> None:
    """In the child: print the port, and return on SIGTERM or when the parent has ended."""
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()
