"""`python -m duetime_client.work module:app`: worker processes without the server's packages."""

from __future__ import annotations

import argparse
import sys

import msgspec

from ..errors import DuetimeError
from .command.order import WorkOrder
from .command.run import run_workers
from .command.serve import USAGE, serve
from .durations import seconds_of


def main() -> None:
    """Reads the command line, works, and exits with a code that tells how it ended."""
    if sys.argv[1:] == ["--child"]:
        sys.exit(serve(msgspec.json.decode(sys.stdin.buffer.read(), type=WorkOrder)))
    parser = argparse.ArgumentParser(prog="duetime-work", description="Runs the tasks of an app.")
    parser.add_argument("app", metavar="MODULE:APP", help="where the app is")
    parser.add_argument("--queue", action="append", default=[], help="take only from this queue; may be repeated")
    parser.add_argument("--slots", type=int, default=16, help="how many functions run at the same time (default: 16)")
    parser.add_argument("--processes", type=int, default=1, help="how many worker processes (default: 1)")
    parser.add_argument("--name", help="the name of the worker (default: host and process id)")
    parser.add_argument("--label", action="append", default=[], metavar="NAME=VALUE", help="a label; may be repeated")
    parser.add_argument("--grace", default="10s", help="how long a stop waits for functions (default: 10s)")
    parser.add_argument("--reload", action="store_true", help="start again when a Python file changes")
    parser.add_argument("--no-schedules", action="store_true", help="register no schedules")
    parser.add_argument("--log-level", default="info", choices=["debug", "info", "warning", "error"])
    given = parser.parse_args()
    try:
        order = WorkOrder(
            app=given.app,
            queues=given.queue,
            slots=given.slots,
            processes=given.processes,
            name=given.name,
            labels=dict(one.split("=", 1) for one in given.label),
            grace=seconds_of(given.grace),
            reload=given.reload,
            schedules=not given.no_schedules,
            log_level=given.log_level,
        )
    except (DuetimeError, ValueError) as error:
        parser.exit(USAGE, f"{error}\n")
    sys.exit(run_workers(order))


if __name__ == "__main__":
    main()
