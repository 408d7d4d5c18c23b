"""Procrastinate: setup, one by one, in bulk, and a worker."""

import os
import sys
import time

import procrastinate
import uvloop
from tally import Tally, argument, chunks, each, timed

PAYLOAD = "x" * 100
tally = Tally()
app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(conninfo=os.environ["BENCH_DSN"], min_size=2, max_size=10)
)


@app.task(name="noop")
async def noop(payload: str) -> None:
    tally.done()


async def main(action: str, count: int, width: int) -> None:
    async with app.open_async():
        start = time.perf_counter()
        if action == "work":
            await app.run_worker_async(concurrency=10)
        elif action == "setup":
            await app.schema_manager.apply_schema_async()
        elif action == "one":
            await each(count, width, lambda: noop.defer_async(payload=PAYLOAD))
        else:
            await chunks(count, width, lambda n: noop.batch_defer_async(*[{"payload": PAYLOAD}] * n))
        timed(time.perf_counter() - start)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], argument(2), argument(3)))
