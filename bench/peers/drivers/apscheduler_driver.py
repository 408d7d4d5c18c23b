"""APScheduler: one by one into its SQL store, and a scheduler that runs what is due."""

import asyncio
import os
import sys
import time
from datetime import UTC, datetime

from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from tally import Tally, timed

PAYLOAD = "x" * 100
tally = Tally()


async def noop(payload: str) -> None:
    tally.done()


async def main(action: str, count: int) -> None:
    url = os.environ["BENCH_DSN"].replace("postgresql://", "postgresql+psycopg://")
    scheduler = AsyncIOScheduler(jobstores={"default": SQLAlchemyJobStore(url=url)})
    tally.begin()
    scheduler.start(paused=action != "work")
    if action == "work":
        await asyncio.Event().wait()
    start = time.perf_counter()
    for _ in range(count):
        scheduler.add_job(
            "apscheduler_driver:noop",
            "date",
            run_date=datetime.now(UTC),
            args=[PAYLOAD],
            misfire_grace_time=None,
        )
    timed(time.perf_counter() - start)


if __name__ == "__main__":
    sys.modules["apscheduler_driver"] = sys.modules["__main__"]
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
