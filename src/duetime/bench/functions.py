"""The functions of the benchmark of workers: one that does nothing, and one that notes how late it was called."""

from __future__ import annotations

import atexit
import os
import time
from pathlib import Path

import msgspec

from duetime.work import Context, Duetime

app = Duetime.from_env(name="bench")
LATENESS_FILE = "DUETIME_BENCH_LATENESS"
_lateness: list[float] = []


@app.task(queue="bench")
async def nothing(text: str) -> None:
    """Does nothing."""


@app.task(queue="timers")
async def note(ctx: Context, text: str) -> None:
    """Notes the time from the job's due instant to this line. The clock is that of the database: the same machine's."""
    if ctx.due_at is not None:
        _lateness.append(time.time() - ctx.due_at.timestamp())


@atexit.register
def write_lateness() -> None:
    """Writes what was noted to the file that the environment names."""
    if _lateness and os.environ.get(LATENESS_FILE):
        Path(os.environ[LATENESS_FILE]).write_bytes(msgspec.json.encode(_lateness))
