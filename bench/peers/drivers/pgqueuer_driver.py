"""PgQueuer: setup, one by one, in bulk, and a worker that takes batches of 500."""

import os
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.queries import Queries
from tally import Tally, timed

PAYLOAD = b"x" * 100


async def main(action: str, count: int) -> None:
    async with asyncpg.create_pool(os.environ["BENCH_DSN"], min_size=2, max_size=10) as pool:
        driver = AsyncpgPoolDriver(pool)
        if action == "work":
            await work(driver)
            return
        queries = Queries(driver)
        start = time.perf_counter()
        if action == "setup":
            await queries.install()
        elif action == "one":
            for _ in range(count):
                await queries.enqueue("noop", PAYLOAD)
        else:
            for at in range(0, count, 1000):
                size = min(1000, count - at)
                await queries.enqueue(["noop"] * size, [PAYLOAD] * size, [0] * size)
        timed(time.perf_counter() - start)


async def work(driver: AsyncpgPoolDriver) -> None:
    tally, queue = Tally(), PgQueuer(driver)

    @queue.entrypoint("noop")
    async def noop(job: object) -> None:
        tally.done()

    await queue.run(batch_size=500, max_concurrent_tasks=1000)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2])))
