"""`python -m bench.compare BEFORE AFTER`: two versions of Duetime, measured in alternating short rounds.

`BEFORE` and `AFTER` are interpreters of environments with one version each, such as `../before/.venv/bin/python`. Both
servers run all the time, and one of them at a time gets load. So both see the same machine, which changes from minute
to minute. The processor time of a job differs less from round to round than the rate does.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from duetime.bench.api import ApiLoad, admin_of
from duetime.bench.server import Server, temporary_directory
from duetime.bench.suite.b1_submit import submitted

CLIENTS = 64
KINDS = {"plain": (False, False), "with keys": (True, False), "due at once": (False, True)}
"""Whether jobs have keys, and whether they are due at once."""


class Round(Struct, frozen=True):
    """One round of one server."""

    rate: float
    python: float
    """Microseconds of processor time a job."""
    postgres: float


async def main() -> int:
    """Measures, and prints a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=6, help="of each kind (default: 6)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round (default: 2)")
    given = parser.parse_args()
    rounds: dict[tuple[str, int], list[Round]] = {}
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            servers = [Server(directory / str(n) / "data", python=str(path.absolute())) for n, path in _numbered(given)]
            for server in servers:
                stack.push_async_callback(server.stop)
                await server.start()
            users = [await stack.enter_async_context(admin_of(server)) for server in servers]
            for user in users:
                await submitted(user, CLIENTS, 1.0, keys=False, due=True)
            for number in range(given.rounds):
                for kind in KINDS:
                    for at in (0, 1) if number % 2 else (1, 0):
                        found = await _round(servers[at], users[at], kind, given.seconds)
                        rounds.setdefault((kind, at), []).append(found)
    Console().print(_table(rounds))
    return 0


def _numbered(given: argparse.Namespace) -> list[tuple[int, Path]]:
    return list(enumerate((given.before, given.after)))


async def _round(server: Server, user: ApiLoad, kind: str, seconds: float) -> Round:
    keys, due = KINDS[kind]
    before = server.usage()
    count = len(await submitted(user, CLIENTS, seconds, keys=keys, due=due))
    after = server.usage()
    python, postgres = after.python_cpu - before.python_cpu, after.postgres_cpu - before.postgres_cpu
    return Round(count / seconds, python / count * 1e6, postgres / count * 1e6)


def _table(rounds: dict[tuple[str, int], list[Round]]) -> Table:
    table = Table("jobs", "before, jobs/s", "after, jobs/s", "ratio", "Python, µs/job", "PostgreSQL, µs/job")
    for kind in KINDS:
        before, after = rounds[kind, 0], rounds[kind, 1]
        ratio = median(now.rate / then.rate for then, now in zip(before, after, strict=True))
        table.add_row(
            kind,
            f"{median(one.rate for one in before):,.0f}",
            f"{median(one.rate for one in after):,.0f}",
            f"{ratio:.3f}",
            f"{median(one.python for one in before):.1f} → {median(one.python for one in after):.1f}",
            f"{median(one.postgres for one in before):.1f} → {median(one.postgres for one in after):.1f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
