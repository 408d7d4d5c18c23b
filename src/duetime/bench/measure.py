"""Runs the chosen benchmarks, and writes the results as JSON, Markdown and SVG."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import uvloop
from rich.console import Console
from rich.table import Table

from duetime.bench import limit, machine, plot, table
from duetime.bench.bench import Benchmark
from duetime.bench.result import BenchRun
from duetime.bench.run import run_all
from duetime.bench.suite import (
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
    b11_lasting,
    c1_takeover,
    e1_outbox,
    f1_fairness,
    f2_flood,
    f3_lanes,
    f4_everything,
    f5_slots,
    flow1_workflows,
    i1_files,
    k1_kafka,
    k2_events,
    m1_signals,
    p1_page,
    w1_workers,
    w2_functions,
)
from duetime.bench.verdicts import verdicts

_SUITE: tuple[Benchmark, ...] = (
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
    b11_lasting,
    c1_takeover,
    e1_outbox,
    f1_fairness,
    f2_flood,
    f3_lanes,
    f4_everything,
    f5_slots,
    flow1_workflows,
    i1_files,
    k1_kafka,
    k2_events,
    m1_signals,
    k2_events,
    w1_workers,
    w2_functions,
    p1_page,
)
SUITE: Mapping[str, Benchmark] = {benchmark.NAME: benchmark for benchmark in _SUITE}
"""Every benchmark of Duetime alone, by name."""


def measure(
    chosen: Sequence[Benchmark], *, rounds: int | None, quick: bool, results: Path, out: Path | None
) -> BenchRun:
    """Runs benchmarks one after the other. Writes the results to `out`, by default below `results`."""
    started = datetime.now(UTC).replace(microsecond=0)
    out = out or results / f"{started:%Y%m%d-%H%M%S}{'-quick' if quick else ''}"
    run = BenchRun(machine.describe(), {}, quick, rounds or (1 if quick else 3), started.isoformat())
    console = Console(file=sys.stderr)
    try:
        uvloop.run(run_all(run, chosen, console))
    finally:
        run.verdicts = verdicts(run)
        _write(run, out)
        if run.verdicts:
            console.print(_verdict_table(run))
        console.print(f"The results are in {os.path.relpath(out)}")
    return run


def _verdict_table(run: BenchRun) -> Table:
    """Returns the claims and verdicts as a table, which is printed last."""
    title = "Claims" + (" (a quick run: not worth quoting)" if run.quick else "")
    shown = Table(title=title, title_justify="left")
    for column in ("what", "needed", "found", ""):
        shown.add_column(column, no_wrap=column != "what")
    shown.add_column("ours, against")
    for one in run.verdicts:
        verdict = "[yellow]not known" if one.met is None else "[green]met" if one.met else "[red]not met"
        figures = (text for text in (one.ours, one.theirs, one.why) if text)
        shown.add_row(one.what, one.needed, one.found, verdict, "\n".join(figures))
    return shown


def _write(run: BenchRun, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "results.json").write_bytes(msgspec.json.format(msgspec.json.encode(run)))
    (out / "results.md").write_text(table.markdown(run) + "\n![plot](plot.svg)\n")
    (out / "plot.svg").write_text(plot.svg(run))
