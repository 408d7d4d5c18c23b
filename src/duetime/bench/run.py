"""Runs benchmarks one after the other, with a progress line."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from duetime.bench.bench import Bench, Benchmark, Skipped
from duetime.bench.result import BenchOutcome, BenchRun


async def run_all(run: BenchRun, benchmarks: Sequence[Benchmark], console: Console) -> None:
    """Runs each benchmark. After a failure the others still run."""
    columns = (
        TextColumn("[bold]{task.fields[name]}"),
        BarColumn(20),
        TimeElapsedColumn(),
        TextColumn("{task.fields[doing]}"),
    )
    # Redrawn only when the text changes: a thread that redraws would disturb what is measured.
    with Progress(*columns, console=console, auto_refresh=False) as progress:
        task = progress.add_task("", total=len(benchmarks), name="", doing="")
        for module in benchmarks:
            outcome = BenchOutcome(module.NAME, module.TITLE)
            run.outcomes.append(outcome)

            def say(text: str, name: str = module.NAME) -> None:
                progress.update(task, name=name, doing=text, refresh=True)

            bench = Bench(outcome, quick=run.quick, rounds=run.rounds, say=say)
            start = time.perf_counter()
            await _run_one(bench, module)
            outcome.seconds = time.perf_counter() - start
            run.postgres = bench.postgres or run.postgres
            console.print(_line(outcome))
            progress.advance(task)
            progress.refresh()


async def _run_one(bench: Bench, module: Benchmark) -> None:
    try:
        await module.run(bench)
    except Skipped as reason:
        bench.outcome.skipped = str(reason)
    except Exception:  # the report shows the error, and the other benchmarks run
        bench.outcome.failed = traceback.format_exc()


def _line(outcome: BenchOutcome) -> str:
    if outcome.skipped:
        return f"[yellow]{outcome.name}: skipped: {outcome.skipped}"
    if outcome.failed:
        return f"[red]{outcome.name}: failed\n{outcome.failed}".replace("[/", "\\[/")
    shown = [f"{figure.name} {figure.median:,.3g} {figure.unit}" for figure in outcome.figures[:3]]
    return f"[green]{outcome.name}[/] in {outcome.seconds:.0f} s: " + "; ".join(shown)
