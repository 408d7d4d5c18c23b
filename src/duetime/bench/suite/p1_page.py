"""P1: how long the questions of the page take on a long history, and what open pages cost."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime, timedelta
from urllib.parse import urlencode

from duetime.bench.api import JOBS, ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import line
from duetime.bench.fill import DAYS, fill_activity, fill_history, fill_pending
from duetime.bench.percentiles import percentile
from duetime.bench.server import Server

NAME = "p1"
TITLE = "Views of the page"
API = "/api/v1"
SLOWEST = "slowest view, p95"
WINDOWS = ("15m", "1h", "3h", "24h", "7d")
REMEMBERED = 1.1
"""Answers are shared for a second: the same question is asked again after that."""
POLL, SELDOM = 2.0, 10.0
OWN = {
    POLL: ["me/overview"],
    SELDOM: ["me/planned?minutes=60", "me/jobs?limit=7", "me/dead-letters/groups"],
}
"""What the overview of a user's own jobs asks for, and how often."""
OF_ALL = {
    POLL: ["cluster/overview"],
    SELDOM: ["me/overview", "cluster/planned?minutes=60", "cluster", "cluster/shares"],
}
"""What the overview of an administrator asks for."""


async def run(bench: Bench) -> None:
    """Asks as an admin that owns half of all rows."""
    rows, pending = bench.size(20_000_000, 200_000), bench.size(1_000_000, 10_000)
    async with bench.server() as server, admin_of(server) as api, server.database() as database:
        await api.call("POST", JOBS, line())
        start, user = time.perf_counter(), await api.id()
        await fill_history(database, user, rows, bench.say)
        await fill_pending(database, user, pending, bench.say)
        await fill_activity(database, user)
        bench.note(
            f"{rows:,} rows of history over {DAYS} days and {pending:,} waiting jobs, filled in "
            f"{time.perf_counter() - start:.0f} s."
        )
        now = await database.fetchval("SELECT now()")
        for _ in bench.each_round():
            slowest = 0.0
            for label, paths in _questions(now).items():
                bench.say(label)
                slowest = max(slowest, await _asked(bench, api, label, paths, bench.size(4, 1)))
            bench.milliseconds(SLOWEST, slowest)
            for pages in (1, 50):
                for whose, asked in (("", OWN), (" of all users", OF_ALL)):
                    bench.say(f"{pages} open overviews{whose}")
                    used = await _open(server, api, pages, asked, bench.size(20, 4))
                    bench.figure(f"{pages} open{whose}", used * 100, "% of a core", "lower")


def _questions(now: datetime) -> dict[str, list[str]]:
    """The questions of each view. Several of one kind differ, so that none is answered from memory."""
    week = {"from": (now - timedelta(days=7)).isoformat(), "to": (now + timedelta(days=7)).isoformat()}
    day = {"from": (now - timedelta(days=3)).isoformat(), "to": (now - timedelta(days=2)).isoformat()}
    return {
        "overview": [f"{API}/me/overview?window={one}" for one in WINDOWS],
        "overview of all": [f"{API}/cluster/overview?window={one}" for one in WINDOWS],
        "planned": [f"{API}/me/planned?minutes={60 + one}" for one in range(5)],
        "calendar": [f"{API}/me/calendar?" + urlencode(week)],
        "shares": [f"{API}/cluster/shares?window={one}" for one in WINDOWS],
        "jobs": [f"{JOBS}?limit=100"],
        "jobs, dead": [f"{JOBS}?status=dead&limit=100"],
        "jobs, lost and skipped": [f"{JOBS}?status=lost&status=skipped&limit=100"],
        "jobs of a day": [f"{JOBS}?limit=100&" + urlencode(day)],
        "jobs with a rare word": [f"{JOBS}?limit=100&q=nowhere"],
        "jobs of a host": [f"{JOBS}?limit=100&host=https%3A%2F%2Fexample.com"],
        "count of a filter": [f"{JOBS}/count?status=created", f"{JOBS}/count?q=nowhere"],
        "dead letters": [f"{API}/me/dead-letters?limit=100"],
        "dead letters by error": [f"{API}/me/dead-letters/groups"],
        "lanes": [f"{API}/me/lanes"],
        "schedules": [f"{API}/me/schedules"],
        "cluster": [f"{API}/cluster"],
    }


async def _asked(bench: Bench, api: ApiLoad, label: str, paths: list[str], times: int) -> float:
    """Asks each question some times, as long as its answer is not remembered. Returns the p95."""
    taken: list[float] = []
    for number in range(times if len(paths) > 1 else 3 * times):
        if number:
            await asyncio.sleep(REMEMBERED)
        for path in paths:
            start = time.perf_counter()
            await api.call("GET", path)
            taken.append(time.perf_counter() - start)
    bench.milliseconds(f"{label}, p50", percentile(taken, 0.5))
    p95 = percentile(taken, 0.95)
    bench.milliseconds(f"{label}, p95", p95)
    return p95


async def _open(server: Server, api: ApiLoad, pages: int, asked: dict[float, list[str]], seconds: int) -> float:
    """Returns what open overviews of one user cost, beside an idle server: cores."""
    idle = await _cores(server, seconds / 2)
    twins = [api.twin() for _ in range(pages)]
    end = time.perf_counter() + seconds

    async def poll(twin: ApiLoad, number: int) -> None:
        following = {every: time.perf_counter() + every * number / pages for every in asked}
        while (at := min(following.values())) < end:
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            for every in [one for one, due in following.items() if due <= at]:
                following[every] += every
                for path in asked[every]:
                    await twin.call("GET", f"{API}/{path}")

    polls = asyncio.gather(*(poll(twin, number) for number, twin in enumerate(twins)))
    busy = await _cores(server, seconds - 1)
    await polls
    for twin in twins:
        twin.close()
    return max(0.0, busy - idle)


async def _cores(server: Server, seconds: float) -> float:
    before, start = server.usage(), time.perf_counter()
    await asyncio.sleep(seconds)
    after, passed = server.usage(), time.perf_counter() - start
    used = after.python_cpu + after.postgres_cpu - before.python_cpu - before.postgres_cpu
    return used / passed
