"""Celery: one by one, and its own worker processes."""

import os
import sys
import time

from celery import Celery
from tally import Tally, timed

PAYLOAD = "x" * 100
POOL = os.environ.get("BENCH_POOL", "prefork")
tally = Tally()
app = Celery("bench", broker=f"redis+socket://{os.environ['BENCH_REDIS']}")
app.conf.update(task_ignore_result=True, worker_prefetch_multiplier=64, worker_hijack_root_logger=False)


@app.task(name="noop")
def noop(payload: str) -> None:
    tally.done()


if __name__ == "__main__":
    action, count = sys.argv[1], int(sys.argv[2])
    if action == "work":
        here = os.path.dirname(os.path.abspath(__file__))
        pool = ["-P", "prefork", "-c", str(count)] if POOL == "prefork" else ["-P", POOL, "-n", f"{os.getpid()}@bench"]
        command = [sys.executable, "-m", "celery", "-A", "celery_driver", "worker", "-l", "error", *pool]
        command += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        os.execve(sys.executable, command, os.environ | {"PYTHONPATH": here})
    start = time.perf_counter()
    if action == "one":
        for _ in range(count):
            noop.delay(PAYLOAD)
    timed(time.perf_counter() - start)
