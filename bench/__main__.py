"""`python -m bench [NAMES…]`: measure, and write results as JSON, Markdown and SVG."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import msgspec
import uvloop
from rich.console import Console

from bench import limit, machine, peers, plot, table
from bench.result import Run
from bench.run import run_all
from bench.suite import (
    b1_submit,
    b2_bulk,
    b3_drain,
    b4_sustained,
    b5_lateness,
    b6_burst,
    b7_schedules,
    b8_http,
    b9_history,
    b10_growth,
    f1_fairness,
    f2_flood,
    f3_lanes,
    f4_everything,
)

RESULTS = Path(__file__).parent / "results"
SUITE: tuple[ModuleType, ...] = (
    limit,
    b1_submit,
    b2_bulk,
    b3_drain,
    b4_sustained,
    b5_lateness,
    b6_burst,
    b7_schedules,
    b8_http,
    b9_history,
    b10_growth,
    f1_fairness,
    f2_flood,
    f3_lanes,
    f4_everything,
)


def main() -> int:
    """Run what was asked for; 1 if something failed."""
    known = {module.NAME: module for module in SUITE}
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = ", ".join([*known, *(f"peer-{name}" for name in peers.NAMES)])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run, all of ours if none: {names}")
    parser.add_argument("--rounds", type=int, help="rounds of each (3; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything works")
    parser.add_argument("--peers", action="store_true", help="the peers as well, each installed first")
    parser.add_argument("--out", type=Path, help="where the results go (bench/results/DATE)")
    given = parser.parse_args()
    rounds = given.rounds or (1 if given.quick else 3)
    chosen = _chosen(parser, given.names, known, with_peers=given.peers)
    started = datetime.now(UTC).replace(microsecond=0)
    out: Path = given.out or RESULTS / f"{started:%Y%m%d-%H%M%S}{'-quick' if given.quick else ''}"
    run = Run(machine.described(), {}, given.quick, rounds, started.isoformat())
    console = Console(file=sys.stderr)
    try:
        uvloop.run(run_all(run, chosen, console))
    finally:
        _write(run, out)
        console.print(f"Results are in {os.path.relpath(out)}")
    return 1 if any(outcome.failed for outcome in run.outcomes) else 0


def _chosen(
    parser: argparse.ArgumentParser, names: list[str], known: dict[str, ModuleType], *, with_peers: bool
) -> list[ModuleType]:
    available = known | {f"peer-{name}": peers.benchmark(name, RESULTS / "peers") for name in peers.NAMES}
    wanted = names or list(known)
    unknown = [name for name in wanted if name not in available]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(available)}")
    if with_peers:
        wanted = wanted + [name for name in available if name not in known and name not in wanted]
    return [available[name] for name in wanted]


def _write(run: Run, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_bytes(msgspec.json.format(msgspec.json.encode(run)))
    (out / "results.md").write_text(table.markdown(run) + "\n![plot](plot.svg)\n")
    (out / "plot.svg").write_text(plot.svg(run))


if __name__ == "__main__":
    sys.exit(main())
