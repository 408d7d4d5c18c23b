"""B9: how long questions about a long history take."""

from __future__ import annotations

import time
from datetime import timedelta
from urllib.parse import urlencode

from duetime.api.server.cursors import encode_cursor
from duetime.bench.api import JOBS, ApiLoad, RequestRefused, admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY
from duetime.bench.feed import line
from duetime.bench.fill import DAYS, fill_history
from duetime.bench.percentiles import percentile

NAME = "b9"
TITLE = "History queries"


async def run(bench: Bench) -> None:
    """Asks as a user that owns half of all rows."""
    rows, times = bench.size(20_000_000, 1_000_000), bench.size(50, 2)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api, server.database() as database:
        await api.call("POST", JOBS, line())
        bench.say(f"filling history with {rows:,} rows")
        start = time.perf_counter()
        await fill_history(database, await api.id(), rows, bench.say)
        bench.note(f"{rows:,} rows over {DAYS} days, filled in {time.perf_counter() - start:.0f} s.")
        middle = await database.fetchval(
            "SELECT id FROM history WHERE user_id = $1 ORDER BY id OFFSET $2 LIMIT 1", await api.id(), rows // 4
        )
        now = await database.fetchval("SELECT now()")
        day = {"from": (now - timedelta(days=3)).isoformat(), "to": (now - timedelta(days=2)).isoformat()}
        questions = {
            "one job": f"/{middle}",
            "its runs": f"/{middle}/runs",
            "first page of 100": "?limit=100",
            "counts by state": "/stats",
            "dead ones": "?" + urlencode({"status": "dead"}),
            "one lane (rare)": "?" + urlencode({"ordering_key": "lane-7", "limit": 10}),
            "a day": "?" + urlencode(day),
            "a word that many have": "?" + urlencode({"q": "invoice"}),
            "a word that few have": "?" + urlencode({"q": f"number {rows // 4} ", "limit": 1}),
        }
        for _ in bench.each_round():
            for label, path in questions.items():
                bench.say(label)
                await _asked(bench, api, label, path, times)
            bench.say("deep pages")
            await _asked(bench, api, "a page in the middle", _deep(middle), times)


async def _asked(bench: Bench, api: ApiLoad, label: str, path: str, times: int) -> None:
    """Asks up to `times` times, for at most five seconds."""
    taken: list[float] = []
    while len(taken) < times and sum(taken) < 5:
        start = time.perf_counter()
        try:
            await api.call("GET", JOBS + path)
        except (RequestRefused, ConnectionError) as error:
            bench.note(f"'{label}' was not answered after {time.perf_counter() - start:.0f} s: {error}")
            return
        taken.append(time.perf_counter() - start)
    bench.milliseconds(f"{label}, p50", percentile(taken, 0.5))
    bench.milliseconds(f"{label}, p99", percentile(taken, 0.99))


def _deep(middle: int) -> str:
    """Returns the path of a page that starts in the middle of the list."""
    return "?" + urlencode({"limit": 100, "cursor": encode_cursor("jobs", middle)})
