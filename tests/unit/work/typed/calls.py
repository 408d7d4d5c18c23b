"""Right and wrong calls of tasks. The test of typing reads the marks: a line with WRONG must be a type error."""

from __future__ import annotations

from typing import assert_type

from duetime.work import Context, Duetime, Handle

app = Duetime()


@app.task
async def plain(to: str, subject: str = "hi") -> int:
    return 1


@app.task(queue="mail", attempts=5)
async def with_context(ctx: Context, to: str, *, subject: str) -> str:
    return to


@app.task(run_in="process")
def blocking(report: int) -> bytes:
    return b""


@app.task
def blocking_with_context(ctx: Context, report: int) -> None: ...


@app.schedule("0 9 * * MON-FRI", zone="Europe/Berlin")
@app.task
def scheduled() -> None: ...


async def right() -> None:
    assert_type(await plain.enqueue("a"), Handle[int])
    assert_type(await with_context.enqueue("a", subject="b"), Handle[str])
    assert_type(await with_context.options(delay="10m", queue="slow").enqueue("a", subject="b"), Handle[str])
    assert_type(blocking.enqueue_sync(1), Handle[bytes])
    assert_type(await (await blocking.enqueue(report=1)).result(timeout="5s"), bytes)
    assert_type(await blocking_with_context.enqueue(2), Handle[None])
    assert_type(await scheduled.enqueue(), Handle[None])
    await app.enqueue_all([plain.job("a"), blocking.job(2)])


async def wrong() -> None:
    await plain.enqueue()  # WRONG
    await plain.enqueue(1)  # WRONG
    await plain.enqueue("a", nobody=1)  # WRONG
    await with_context.enqueue("a", "b")  # WRONG
    await with_context.enqueue("a", subject=2)  # WRONG
    await plain.options(dely="10m").enqueue("a")  # WRONG
    await plain.options(delay=object()).enqueue("a")  # WRONG
    await plain.options(delay="10m").enqueue(1)  # WRONG
    blocking.enqueue_sync("x")  # WRONG
    blocking.job()  # WRONG
    await blocking_with_context.enqueue("x")  # WRONG
    await scheduled.enqueue(1)  # WRONG
    _: str = await (await plain.enqueue("a")).result()  # WRONG


@app.task(run_in="nowhere")  # WRONG
def misplaced() -> None: ...


@app.task(atempts=3)  # WRONG
def misspelled() -> None: ...


@app.schedule("@daily", zome="UTC")  # WRONG
@app.task
def unzoned() -> None: ...
