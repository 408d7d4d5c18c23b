"""PgQueuer: setup, one by one, in bulk, and a worker that takes batches of 1,000."""

import os
import sys
import time

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.queries import Queries
from tally import Tally, argument, chunks, each, timed

PAYLOAD = b"x" * 100
BATCH = 1000


async def main(action: str, count: int, width: int) -> None:
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
            await each(count, width, lambda: queries.enqueue("noop", PAYLOAD))
        else:
            await chunks(count, width, lambda n: queries.enqueue(["noop"] * n, [PAYLOAD] * n, [0] * n))
        timed(time.perf_counter() - start)


async def work(driver: AsyncpgPoolDriver) -> None:
    tally, queue = Tally(), PgQueuer(driver)

    @queue.entrypoint("noop")
    async def noop(job: object) -> None:
        tally.done()

    await queue.run(batch_size=BATCH)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], argument(2), argument(3)))
