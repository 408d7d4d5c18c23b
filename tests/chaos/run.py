"""`python -m tests.chaos.run`: a long run under faults with a report; `--soak HOURS` adds the growth of resources."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections import Counter
from pathlib import Path
from random import SystemRandom

import msgspec
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from chaos.cells import of_cells
from chaos.checker import INVARIANTS, Violation, check
from chaos.checker.figures import Figures, Lateness, figures
from chaos.cluster import Cluster, running_cluster
from chaos.load import Mix
from chaos.nemesis import ALL_FAULTS, SEED, Planned, plan, seed_or
from chaos.resources import Slope, TableSize, slopes, watch_tables
from chaos.scenario import Outcome, run
from chaos.sink import running_chaos_sink
from chaos.wallclock import library

EXAMPLES = """examples:
  python -m tests.chaos.run --nodes 4 --seconds 60 --rate 1000 --schedules 1000 --lanes 100
  python -m tests.chaos.run --no-faults
  python -m tests.chaos.run --seed 7 --faults kill,sleep --logs /tmp/logs
  python -m tests.chaos.run --soak 4 --rate 20 --gap 20,40"""


def options() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos.run",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--nodes", type=int, default=4, help="how many nodes (4)")
    parser.add_argument("--cells", type=int, default=1, help="how many databases (1); the last of several fails over")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long load and faults last (60)")
    parser.add_argument("--rate", type=float, default=1000.0, help="jobs a second (1000)")
    parser.add_argument("--schedules", type=int, default=1000, help="how many schedules (1000)")
    parser.add_argument("--together", action="store_true", help="those of a period fall due within one second of it")
    parser.add_argument("--periods", default="20,30,60", help="their periods in seconds, in turn (20,30,60)")
    parser.add_argument(
        "--lanes", type=int, default=100, help="how many lanes a fifth of the jobs are spread over (100)"
    )
    parser.add_argument("--to-sink", type=float, default=0.3, help="the part of plain jobs that goes to the sink (0.3)")
    parser.add_argument("--gap", default="3,5", help="seconds from one fault to the next (3,5)")
    parser.add_argument("--faults", default=",".join(ALL_FAULTS), help=f"which faults: {', '.join(ALL_FAULTS)}")
    parser.add_argument("--no-faults", action="store_true", help="the same load without any fault, to compare with")
    parser.add_argument("--seed", type=int, help=f"replay the same plan of faults (also {SEED}); any if not given")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the history there, as JSON")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="write the nodes' logs there")
    parser.add_argument("--soak", type=float, metavar="HOURS", help="so many hours, with the slopes of resources")
    return parser.parse_args()


async def go(asked: argparse.Namespace) -> int:
    """Run and report. Returns the exit code."""
    seed = asked.seed if asked.seed is not None else seed_or(SystemRandom().randrange(1_000_000))
    seconds = asked.soak * 3600 if asked.soak else asked.seconds
    low, high = (float(word) for word in asked.gap.split(","))
    kinds = [] if asked.no_faults else [kind.strip() for kind in asked.faults.split(",") if kind.strip()]
    unknown = set(kinds) - {*ALL_FAULTS, "fail over"}
    if unknown:
        print(f"There is no fault {', '.join(sorted(unknown))}: there are {', '.join(ALL_FAULTS)}.")  # noqa: T201
        return 2
    if library() is None:
        kinds = [kind for kind in kinds if kind != "skew"]
        _say("no C compiler here: wall clocks are left alone")
    kinds = [kind for kind in kinds if kind != "fail over"]
    planned = plan(seed, seconds - 3.0, asked.nodes, kinds, every=(low, high)) if kinds else []
    if planned and asked.cells > 1:
        planned.append(Planned(round(seconds / 4, 3), "restart database", 0, 2.0))
        planned.append(Planned(round(seconds / 2, 3), "fail over", 0, 2.0))
    mix = Mix(
        rate=asked.rate,
        lanes=asked.lanes,
        schedules=asked.schedules,
        every=tuple(int(word) for word in asked.periods.split(",")),
        together=asked.together,
        to_sink=asked.to_sink,
    )
    _say(f"seed {seed} ({SEED}={seed} replays it): {len(planned)} faults in {seconds:.0f} s on {asked.nodes} nodes")
    tables: list[TableSize] = []
    with running_chaos_sink() as sink:
        async with running_cluster(asked.nodes, kind=of_cells(asked.cells)) as cluster:
            watching = asyncio.ensure_future(watch_tables(cluster, tables, 60.0 if asked.soak else 5.0))
            outcome = await run(cluster, sink, mix, planned, seconds, seed, say=_say)
            watching.cancel()
            rejoined = sum(node.process.output.count("lease lost") for node in cluster.nodes)
            if asked.logs:
                keep_logs(cluster, asked.logs)
    found = check(outcome.history)
    if asked.keep:
        asked.keep.write_bytes(msgspec.json.encode(outcome.history))
    _say(f"nodes that lost their lease and joined again: {rejoined} times")
    report(outcome, figures(outcome.history), found)
    if asked.soak:
        report_slopes(slopes(outcome.history.samples, tables))
    return 1 if found else 0


def keep_logs(cluster: Cluster, directory: Path) -> None:
    """Write one log file for each node, over all of its starts."""
    directory.mkdir(parents=True, exist_ok=True)
    for node in cluster.nodes:
        (directory / f"node{node.number}.log").write_text(node.process.output)


def report(outcome: Outcome, seen: Figures, found: list[Violation]) -> None:
    """Print the report."""
    history = outcome.history
    counts = Counter(violation.invariant for violation in found)
    _say(f"jobs on record: {seen.jobs} ({', '.join(f'{n} {state}' for state, n in sorted(seen.ended.items()))})")
    _say(f"answers: {', '.join(f'{n} {code}' for code, n in outcome.answers.most_common())}")
    told = Counter(asked.answer for asked in history.asked)
    _say(f"jobs as told to clients: {', '.join(f'{n} {answer}' for answer, n in told.most_common())}")
    _say(f"at the sink: {len(history.arrivals)} requests, {seen.zombie_arrivals} from runs that were taken over")
    _say(f"lateness away from faults: {_lateness(seen.lateness_apart)}; of all: {_lateness(seen.lateness_all)}")
    _say(f"  of what was stored before it was due: {_lateness(seen.lateness_apart_ahead)}")
    _say(f"drained {outcome.drained_in:.1f} s after the last healing; stale writes rejected: {seen.stale_writes}")
    _say(f"most memory of a node: {seen.most_memory >> 20} MB")
    for one in seen.recoveries:
        _say(f"  {one.kind:>16}: {one.lasted:5.1f} s, struck {one.happened:4d} times, felt for {one.felt:5.1f} s more")
    for name in INVARIANTS:
        _say(f"  {name:<28} {counts[name.split()[0]] or 'holds'}")
    for violation in found[:20]:
        _say(str(violation))
    _say("good" if not found else f"{len(found)} violations")


def report_slopes(found: list[Slope]) -> None:
    """Print the growth of resources."""
    for one in found:
        _say(
            f"  {one.what:<24} {one.first:>14,.0f} → {one.last:>14,.0f} {one.per_hour:>+16,.1f} an hour "
            f"({one.minutes} min)"
        )


def _lateness(seen: Lateness | None) -> str:
    return "none" if seen is None else f"p50 {seen.p50} ms, p99 {seen.p99} ms, most {seen.most} ms of {seen.count}"


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(uvloop.run(go(options())))
