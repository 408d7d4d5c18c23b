"""Tasks for the tests of runners: processes import them by their module."""

from __future__ import annotations

import asyncio
import os
import threading
import time

from duetime.work import Context, Duetime, Fail

app = Duetime(name="sample")
released = threading.Event()


@app.task(run_in="loop")
async def add(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


@app.task(run_in="loop")
def add_now(a: int, b: int) -> int:
    return a + b


@app.task
def add_in_thread(ctx: Context, a: int, b: int) -> int:
    ctx.log("adding")
    return a + b


@app.task(run_in="process")
def add_in_process(ctx: Context, a: int, b: int) -> tuple[int, int]:
    ctx.log("adding")
    ctx.save({"a": a})
    return a + b, os.getpid()


@app.task(run_in="process")
async def add_in_process_loop(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


@app.task(run_in="loop")
async def wait_for_ever() -> None:
    await asyncio.Event().wait()


@app.task
def wait_in_thread(ctx: Context) -> None:
    while not released.wait(0.01):
        ctx.progress(1)


@app.task
def deaf_in_thread() -> None:
    released.wait(20)


@app.task(run_in="process")
def hang_in_process() -> None:
    time.sleep(600)


@app.task(run_in="process")
def die() -> None:
    os._exit(7)


@app.task(run_in="loop")
async def fail() -> None:
    raise Fail("no")


@app.task(run_in="loop")
async def unusable() -> object:
    return object()
