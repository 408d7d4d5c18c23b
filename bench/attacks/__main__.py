"""`python -m bench.attacks [NAMES…]`: what each attack costs another user's timers, and how much memory it takes.

Each attack gets a fresh `duetime up` and a process of its own. The timers are jobs that are due at an even rate; their
lateness (launched minus due) comes from the API. The load comes from the same machine and uses its part of it, so run
this on a quiet one, and compare with the quiet run of the same table.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from bench.attacks.kinds import ATTACKS
from bench.attacks.raw import AttackedServer
from duetime.bench.api import JOBS, ApiLoad, admin_of
from duetime.bench.feed import evenly_due
from duetime.bench.percentiles import percentile
from duetime.bench.server import Server, temporary_directory

QUIET = "quiet"
LEAD = 3.0
"""Seconds between submitting the timers and the first one, in which the attack begins."""
PATIENCE = 120.0
READERS = 4


class Measured(Struct, frozen=True):
    """What was seen during one attack."""

    name: str
    p50: float
    p99: float
    worst: float
    memory: float
    """MB, the peak of the largest Python process."""
    health: float
    """The longest answer to `/healthz`, in milliseconds; infinite if one failed."""
    lease_kept: bool
    early: int


async def main() -> int:
    """Measures the quiet run and each attack, and prints a table. Returns 1 if a lease was lost."""
    parser = argparse.ArgumentParser(prog="python -m bench.attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which attacks (default: all): {', '.join(ATTACKS)}")
    parser.add_argument("--rate", type=int, default=200, help="timers a second (default: 200)")
    parser.add_argument("--seconds", type=int, default=20, help="how long each attack takes (default: 20)")
    parser.add_argument("--set", action="append", default=[], help="a setting of the server, as KEY=VALUE")
    parser.add_argument("--wage", nargs=4, metavar=("NAME", "HOST", "PORT", "TOKEN"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.wage:
        name, host, port, token = given.wage
        await ATTACKS[name](AttackedServer(host, int(port), token))
    unknown = [name for name in given.names if name not in ATTACKS]
    if unknown:
        parser.error(f"there is no attack {', '.join(unknown)}; there are {', '.join(ATTACKS)}")
    options = [word for setting in given.set for word in ("--set", setting)]
    console, rows = Console(), list[Measured]()
    for name in (QUIET, *(given.names or ATTACKS)):
        console.print(f"[dim]{name} …")
        rows.append(await _measure(name, given.rate, given.seconds, tuple(options)))
        console.print(_line(rows[-1]))
    console.print(_table(rows))
    return 0 if all(row.lease_kept for row in rows) else 1


async def _measure(name: str, rate: int, seconds: int, options: tuple[str, ...]) -> Measured:
    with temporary_directory() as directory:
        server = Server(directory / "data", options)
        try:
            await server.start()
            async with admin_of(server) as admin:
                return await _attack(name, rate, seconds, server, admin)
        finally:
            await server.stop()


async def _attack(name: str, rate: int, seconds: int, server: Server, admin: ApiLoad) -> Measured:
    timers, attacker = await admin.user("timers"), await admin.user("attacker")
    before = await _owner(admin)
    _reset_peak(server.pid)
    start, count = datetime.now(UTC) + timedelta(seconds=LEAD), rate * seconds
    ids = list[int]()
    for first in range(0, count, 5000):
        body = evenly_due(first, min(5000, count - first), start, rate)
        ids += (await timers.call("POST", JOBS + "/bulk", body, kind="x-ndjson"))["ids"]
    async with _waged(name, server, attacker.token):
        health = await _watch_health(server.url, LEAD + seconds)
    memory = server.usage().python_rss
    deadline = time.monotonic() + PATIENCE
    while await timers.finished() < count and time.monotonic() < deadline:  # noqa: ASYNC110 - another process ends them
        await asyncio.sleep(0.5)
    late = await _lateness(timers, ids)
    kept = before == await _owner(admin) and "lease lost" not in server.output
    attacker.close()
    timers.close()
    early = sum(one < 0 for one in late)
    return Measured(name, percentile(late, 0.5), percentile(late, 0.99), max(late), memory, health, kept, early)


@asynccontextmanager
async def _waged(name: str, server: Server, token: str) -> AsyncGenerator[None]:
    if name == QUIET:
        yield
        return
    parts = urlsplit(server.url)
    given = (name, parts.hostname or "", str(parts.port), token)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.attacks", "--wage", *given, cwd=Path(__file__).parents[2], preexec_fn=_many_files
    )
    try:
        yield
        if process.returncode is not None:
            print(f"{name}: the attack ended by itself with {process.returncode}", file=sys.stderr)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _many_files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _watch_health(url: str, seconds: float) -> float:
    """Asks for health every half second, each time on a new connection. Returns the longest answer."""
    end, longest = time.monotonic() + seconds, 0.0
    while time.monotonic() < end:
        start = time.monotonic()
        probe = ApiLoad(url)
        try:
            await asyncio.wait_for(probe.call("GET", "/healthz"), 10)
            longest = max(longest, (time.monotonic() - start) * 1000)
        except Exception as error:
            print(f"health: {error!r}", file=sys.stderr)
            longest = float("inf")
        finally:
            probe.close()
        await asyncio.sleep(0.5)
    return longest


async def _owner(admin: ApiLoad) -> list[tuple[object, ...]]:
    nodes = (await admin.call("GET", "/api/v1/cluster"))["nodes"]
    return sorted((node["id"], node["lowest_term"], node["highest_term"]) for node in nodes)


async def _lateness(timers: ApiLoad, ids: list[int]) -> list[float]:
    """The lateness of the first launch of each timer, in milliseconds. One without a launch counts as very late."""
    late = list[float]()

    async def read(own: ApiLoad, some: list[int]) -> None:
        for job_id in some:
            runs = await own.call("GET", f"{JOBS}/{job_id}/runs")
            launched = runs[0]["lateness_ms"] if runs else None
            late.append(PATIENCE * 1000 if launched is None else launched)
        own.close()

    await asyncio.gather(*(read(timers.twin(), ids[n::READERS]) for n in range(READERS)))
    return late


def _reset_peak(pid: int) -> None:
    """Lets the peak of the process's memory begin at what it has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _line(row: Measured) -> str:
    return f"{row.name}: p50 {row.p50:.1f} ms, p99 {row.p99:.1f} ms, {row.memory:.0f} MB"


def _table(rows: list[Measured]) -> Table:
    table = Table("attack", "p50 ms", "p99 ms", "× quiet", "worst ms", "early", "memory MB", "health ms", "lease")
    quiet = rows[0].p99
    for row in rows:
        table.add_row(
            row.name,
            f"{row.p50:.1f}",
            f"{row.p99:.1f}",
            f"{row.p99 / quiet:.1f}" if quiet else "",
            f"{row.worst:.0f}",
            str(row.early),
            f"{row.memory:.0f}",
            f"{row.health:.0f}",
            "kept" if row.lease_kept else "LOST",
        )
    return table


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
