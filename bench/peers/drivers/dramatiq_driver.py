"""Dramatiq: one by one, and its own worker processes."""

import os
import sys
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from tally import Tally, timed

PAYLOAD = "x" * 100
tally = Tally()
dramatiq.set_broker(RedisBroker(url=f"unix://{os.environ['BENCH_REDIS']}"))


@dramatiq.actor
def noop(payload: str) -> None:
    tally.done()


if __name__ == "__main__":
    action, count = sys.argv[1], int(sys.argv[2])
    if action == "work":
        command = [sys.executable, "-m", "dramatiq", "dramatiq_driver", "-p", str(count), "-t", "8"]
        here = os.path.dirname(os.path.abspath(__file__))
        environment = os.environ | {"PYTHONPATH": here, "dramatiq_queue_prefetch": "200"}
        os.execve(sys.executable, command, environment)
    start = time.perf_counter()
    if action == "one":
        for _ in range(count):
            noop.send(PAYLOAD)
    timed(time.perf_counter() - start)
