"""Tasks for workers in processes of their own. A test copies this file into the directory of its worker."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from pathlib import Path

from duetime.work import Context, Duetime, Fail, Retry, Snooze

app = Duetime.from_env(name="tests")
DIRECTORY = Path(os.environ["WORKER_DIRECTORY"])


def note(name: str, text: str) -> None:
    """Append a line to a file that the test reads."""
    with (DIRECTORY / name).open("a") as file:
        file.write(f"{text}\n")


@app.task
async def add(ctx: Context, a: int, b: int = 2) -> dict[str, int]:
    ctx.log("adding")
    logging.getLogger("own").info("with logging")
    return {"sum": a + b, "attempt": ctx.attempt}


@app.task
async def which_process() -> int:
    return os.getpid()


@app.task(attempts=5)
async def retried(ctx: Context) -> int:
    if ctx.attempt < 3:
        ctx.save({"seen": ctx.attempt})
        raise Retry("50ms")
    return ctx.checkpoint(dict[str, int])["seen"] if ctx.checkpoint() else 0


@app.task(attempts=5)
def failed() -> None:
    raise Fail("there is no such user")


@app.task
async def snoozed(ctx: Context) -> int:
    note("snoozed", str(ctx.attempt))
    if len((DIRECTORY / "snoozed").read_text().splitlines()) < 3:
        raise Snooze("50ms")
    return ctx.attempt


@app.task(attempts=3)
async def wait_in_loop(ctx: Context, name: str) -> str:
    note(name, f"start {ctx.attempt}")
    try:
        while not (DIRECTORY / f"{name}.released").exists():  # noqa: ASYNC110 - the test is another process
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        note(name, "cancelled")
        raise
    return "released"


@app.task(attempts=3)
def wait_in_thread(ctx: Context, name: str) -> str:
    note(name, f"start {ctx.attempt}")
    try:
        while not (DIRECTORY / f"{name}.released").exists():
            ctx.progress(1)
            time.sleep(0.02)
    except BaseException:
        note(name, "cancelled")
        raise
    return "released"


@app.task(attempts=3, run_in="process")
def wait_in_process(ctx: Context, name: str) -> str:
    note(name, f"start {ctx.attempt}")
    while not (DIRECTORY / f"{name}.released").exists():
        time.sleep(0.02)
    return "released"


@app.task(attempts=1, timeout="1s", run_in="process")
def hang() -> None:
    time.sleep(600)


@app.task
async def block_the_loop(seconds: float) -> str:
    time.sleep(seconds)  # noqa: ASYNC251 - on purpose
    return "blocked"
