"""Procrastinate: setup, one by one, in bulk, and a worker."""

import asyncio
import os
import sys
import time

import procrastinate
from tally import Tally, timed

PAYLOAD = "x" * 100
tally = Tally()
app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=os.environ["BENCH_DSN"], min_size=2, max_size=10)
)


@app.task(name="noop")
async def noop(payload: str) -> None:
    tally.done()


async def main(action: str, count: int) -> None:
    async with app.open_async():
        start = time.perf_counter()
        if action == "work":
            await app.run_worker_async(concurrency=30)
        elif action == "setup":
            await app.schema_manager.apply_schema_async()
        elif action == "one":
            for _ in range(count):
                await noop.defer_async(payload=PAYLOAD)
        else:
            for at in range(0, count, 1000):
                await noop.batch_defer_async(*[{"payload": PAYLOAD}] * min(1000, count - at))
        timed(time.perf_counter() - start)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
