"""Judges claims by the figures of a run: met, not met, or not known and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from duetime.bench.claims import CLAIMS, Claim, FigureSource, Judge
from duetime.bench.digits import number
from duetime.bench.result import BenchOutcome, BenchRun, ClaimVerdict, Figure


def verdicts(run: BenchRun, claims: Sequence[Claim] = CLAIMS) -> list[ClaimVerdict]:
    """Returns a verdict for every claim whose benchmarks were all in the run."""
    found = {outcome.name: outcome for outcome in run.outcomes}
    asked = [claim for claim in claims if all(source.benchmark in found for source in _sources(claim))]
    return [_judged(claim, found) for claim in asked]


def _sources(claim: Claim) -> list[FigureSource]:
    return [claim.ours] if claim.against is None else [claim.ours, claim.against]


def _judged(claim: Claim, found: Mapping[str, BenchOutcome]) -> ClaimVerdict:
    ours = _figure(claim.ours, found)
    theirs = _figure(claim.against, found) if claim.against is not None else None
    needed = _needed(claim, ours)
    missing = [source for source in _sources(claim) if _figure(source, found) is None]
    if ours is None or missing:
        why = " ".join(_why(found[source.benchmark]) for source in missing)
        return ClaimVerdict(claim.what, None, needed, "", _shown(ours), _shown(theirs), why)
    value = _value(ours, claim.judge, at_least=claim.at_least)
    ratio = value if theirs is None else value / theirs.median
    met = ratio >= claim.factor if claim.at_least else ratio <= claim.factor
    shown = f"{ratio:.2f} ×" if theirs is not None else f"{number(value)} {ours.unit}".rstrip()
    return ClaimVerdict(claim.what, met, needed, shown, _shown(ours), _shown(theirs))


def _figure(source: FigureSource, found: Mapping[str, BenchOutcome]) -> Figure | None:
    """Returns the best measured figure of a source; None if its benchmark failed or was skipped."""
    outcome = found[source.benchmark]
    if outcome.failed or outcome.skipped:
        return None
    named = (figure for figure in outcome.figures if figure.name in source.figures)
    there = [figure for figure in named if figure.values]
    if not there:
        return None
    lower = there[0].better == "lower"
    return min(there, key=lambda one: one.median) if lower else max(there, key=lambda one: one.median)


def _value(figure: Figure, judge: Judge, *, at_least: bool) -> float:
    if judge == "median":
        return figure.median
    return min(figure.values) if at_least else max(figure.values)


def _needed(claim: Claim, ours: Figure | None) -> str:
    sign = "≥" if claim.at_least else "≤"
    if claim.against is not None:
        return f"{sign} {claim.factor:g} ×"
    return f"{sign} {number(claim.factor)} {ours.unit if ours else ''}".rstrip()


def _shown(figure: Figure | None) -> str:
    """Returns the median, the range and the name of a figure."""
    if figure is None:
        return ""
    extent = f"{number(min(figure.values))} – {number(max(figure.values))}"
    return f"{number(figure.median)} ({extent}) {figure.unit}".rstrip() + f", {figure.name}"


def _why(outcome: BenchOutcome) -> str:
    if outcome.skipped:
        return f"{outcome.name} was skipped: {outcome.skipped}"
    return f"{outcome.name} failed." if outcome.failed else f"{outcome.name} did not measure it."
