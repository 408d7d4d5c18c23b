"""`python -m bench [NAMES…]`: measures Duetime, and its peers at the same work."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench import peers
from duetime.bench.measure import SUITE, measure

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Runs the chosen benchmarks. Returns 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = ", ".join([*SUITE, *(f"peer-{name}" for name in peers.NAMES)])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to run (default: all but peers): {names}")
    parser.add_argument("--rounds", type=int, help="how often to run each (default: 3, or 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything works")
    parser.add_argument("--peers", action="store_true", help="also measure the peers, each installed first")
    parser.add_argument("--out", type=Path, help="where to write the results (default: bench/results/DATE)")
    given = parser.parse_args()
    available = {**SUITE, **{f"peer-{name}": peers.benchmark(name, RESULTS / "peers") for name in peers.NAMES}}
    wanted: list[str] = given.names or list(SUITE)
    unknown = [name for name in wanted if name not in available]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(available)}")
    if given.peers:
        wanted = wanted + [name for name in available if name not in SUITE and name not in wanted]
    chosen = [available[name] for name in wanted]
    run = measure(chosen, rounds=given.rounds, quick=given.quick, results=RESULTS, out=given.out)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
