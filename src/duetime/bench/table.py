"""Writes a run as Markdown."""

from __future__ import annotations

from duetime.bench.digits import number
from duetime.bench.ratios import ratios
from duetime.bench.result import BenchOutcome, BenchRun, ClaimVerdict, Figure


def markdown(run: BenchRun) -> str:
    """Returns the report."""
    lines = ["# Duetime, measured", ""]
    rounds = f"{run.rounds} round{'s' if run.rounds > 1 else ''}"
    lines += [f"{run.started_at}, {rounds}: the median, and from the minimum to the maximum."]
    if run.quick:
        lines += ["", "**A quick run: it shows that everything works. Its figures are not worth quoting.**"]
    lines += ["", "| machine | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in run.machine.items()]
    lines += [f"| PostgreSQL {name} | {value} |" for name, value in run.postgres.items()]
    if run.verdicts:
        lines += ["", "## Claims", "", "| what | needed | found | | ours | against |"]
        lines += ["|---|---:|---:|---|---|---|", *(_verdict(one) for one in run.verdicts)]
    compared = ratios(run)
    if compared:
        lines += ["", "## Ratios of this run", "", "| what | ratio |", "|---|---|"]
        lines += [f"| {what} | {ratio} |" for what, ratio in compared]
    for outcome in run.outcomes:
        lines += ["", *_section(outcome)]
    return "\n".join([*lines, ""])


def _verdict(one: ClaimVerdict) -> str:
    verdict = "not known" if one.met is None else "met" if one.met else "**not met**"
    against = f"{one.theirs} {one.why}".strip()
    return f"| {one.what} | {one.needed} | {one.found} | {verdict} | {one.ours} | {against} |"


def _section(outcome: BenchOutcome) -> list[str]:
    lines = [f"## {outcome.name}: {outcome.title}", ""]
    if outcome.skipped:
        lines += [f"Skipped: {outcome.skipped}", ""]
    if outcome.failed:
        lines += ["Failed:", "", "```", outcome.failed.rstrip(), "```", ""]
    if outcome.figures:
        lines += ["| figure | median | min – max | unit |", "|---|---:|---:|---|"]
        lines += [_row(figure) for figure in outcome.figures]
        lines += [""]
    lines += [f"- {note}" for note in outcome.notes]
    return lines


def _row(figure: Figure) -> str:
    low, high = min(figure.values), max(figure.values)
    return f"| {figure.name} | {number(figure.median)} | {number(low)} – {number(high)} | {figure.unit} |"
