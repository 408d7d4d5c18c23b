"""Jobs in every state that the page shows: of one user, made over the API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

PASSWORD = "correct horse battery"
Call = Callable[..., Any]

ONE_ATTEMPT = {"max_attempts": 1}


def fill(call: Call, sink: Sink) -> None:
    """Creates the jobs and waits until they are in their states. In a thread: the browser has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(_fill(call, sink))).result()


async def _fill(call: Call, sink: Sink) -> None:
    ok = await sink.rule("/ok", SinkAnswer(200, '{"ok": true}', {"content-type": "application/json"}))
    gone = await sink.rule("/gone", SinkAnswer(410, "gone"))
    busy = await sink.rule("/busy", SinkAnswer(503, '{"error": "upstream_busy"}'))
    hang = await sink.rule("/hang", SinkAnswer(mode="hang"))
    http = lambda url: {"kind": "http", "url": url}  # noqa: E731
    call(
        "POST",
        "me/jobs/bulk",
        [
            *({"message": {"invoice": n}, "target": http(ok), "labels": {"team": "payments"}} for n in range(20)),
            *({"message": f"reminder {n}", "delay": f"{n + 5}m"} for n in range(30)),
            *({"message": {"order": n}, "target": http(gone), "retry": ONE_ATTEMPT} for n in range(6)),
            {"message": "invoice 42", "target": http(busy), "retry": {"max_attempts": 4, "base": 600}},
            {"message": "long", "target": http(hang), "timeout": 600},
            {"message": "first", "ordering_key": "customer-88", "target": http(gone), "retry": ONE_ATTEMPT},
            *({"message": f"later {n}", "ordering_key": "customer-88"} for n in range(3)),
            *({"message": "charge", "ordering_key": "customer-7", "delay": "1h"} for _ in range(2)),
        ],
    )
    schedules = [
        {"name": "nightly-report", "cron": "30 2 * * *", "zone": "Europe/Berlin", "message": "report"},
        {"name": "heartbeat", "every": "15s", "message": "beat {{nominal}}"},
        {"name": "month-end", "cron": "0 9 L * *", "zone": "America/New_York", "message": "close"},
    ]
    made = [call("POST", "me/schedules", body)["id"] for body in schedules]
    call("POST", f"me/schedules/{made[2]}/pause")

    def settled() -> bool:
        by = call("GET", "me/jobs/stats")
        return by["dead"] == 7 and by["running"] == 1 and by["succeeded"] >= 20

    await eventually(settled, 30, 0.2)
