"""B1: one job per request."""

from __future__ import annotations

import asyncio
import time

from duetime.bench.api import JOBS, ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import FAR_OFF, line
from duetime.bench.percentiles import percentile
from duetime.bench.wire import Wire, request

NAME = "b1"
TITLE = "Submit one by one over HTTP"


async def run(bench: Bench) -> None:
    """Measures 1 and 64 clients, with and without idempotency keys, with far-off jobs and jobs due at once."""
    seconds = 5.0 if not bench.quick else 0.4
    async with bench.server() as server, admin_of(server) as api:
        await submitted(api, 4, 0.2, keys=True, due=False)
        for _ in bench.each_round():
            for clients in (1, 64):
                for keys in (False, True):
                    label = f"{clients} client{'s' if clients > 1 else ''}{', with keys' if keys else ''}"
                    bench.say(label)
                    _report(bench, label, await submitted(api, clients, seconds, keys=keys, due=False), seconds)
            bench.say("64 clients, in and out")
            label = "64 clients, due at once (in and out)"
            _report(bench, label, await submitted(api, 64, seconds, keys=False, due=True), seconds)
    bench.note("Each is acknowledged after its commit. The client runs on the same cores.")


def _report(bench: Bench, label: str, latencies: list[float], seconds: float) -> None:
    bench.rate(label, len(latencies) / seconds)
    bench.milliseconds(f"{label}, p50", percentile(latencies, 0.5))
    bench.milliseconds(f"{label}, p99", percentile(latencies, 0.99))


async def submitted(api: ApiLoad, clients: int, seconds: float, *, keys: bool, due: bool) -> list[float]:
    """Submits jobs one by one. Returns how long each request took."""
    body = line(None if due else FAR_OFF)
    wires = [await Wire.open(api.url) for _ in range(clients)]
    stop, taken = time.perf_counter() + seconds, list[float]()
    plain = request("POST", JOBS, api.token, body)
    run_name = time.monotonic_ns()

    async def client(number: int, wire: Wire) -> None:
        n = 0
        while (start := time.perf_counter()) < stop:
            n += 1
            sent = plain
            if keys:
                key = f"Idempotency-Key: {run_name}-{number}-{n}\r\n"
                sent = request("POST", JOBS, api.token, body, more=key)
            status, answer = await wire.ask(sent)
            if status != 201:
                raise RuntimeError(f"A submission was answered with {status}: {answer[:300]!r}")
            taken.append(time.perf_counter() - start)
        wire.close()

    async with asyncio.TaskGroup() as group:
        for number, wire in enumerate(wires):
            group.create_task(client(number, wire))
    return taken
