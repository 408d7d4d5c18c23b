"""Compares our figures with the limit and with the peers of the same run."""

from __future__ import annotations

from duetime.bench.limit import NAME as LIMIT
from duetime.bench.limit import WHOLE_WAY
from duetime.bench.result import BenchOutcome, BenchRun

OURS = {"b3": ("1 process", "2 processes"), "b4": ("rate held",), "b6": ("drained",)}
AGAINST_PEERS = {
    "drained, 1 process": ("b3", "1 process"),
    "drained, 2 processes": ("b3", "2 processes"),
    "bulk": ("b2", "NDJSON, 1 connection"),
    "bulk, 2 at a time": ("b2", "NDJSON, 2 connections"),
    "one by one": ("b1", "1 client"),
    "one by one, 64 at a time": ("b1", "64 clients"),
}


def ratios(run: BenchRun) -> list[tuple[str, str]]:
    """Returns what is compared, and the ratio."""
    found = {outcome.name: outcome for outcome in run.outcomes}
    return _of_limit(found) + _of_peers(found)


def _of_limit(found: dict[str, BenchOutcome]) -> list[tuple[str, str]]:
    limit = found[LIMIT].median(WHOLE_WAY) if LIMIT in found else None
    if not limit:
        return []
    lines = []
    for name, figures in OURS.items():
        for figure in figures:
            ours = found[name].median(figure) if name in found else None
            if ours:
                lines.append((f"{name}, {figure} / the limit", f"{ours / limit:.0%}"))
    return lines


def _of_peers(found: dict[str, BenchOutcome]) -> list[tuple[str, str]]:
    lines = []
    for name, outcome in found.items():
        if not name.startswith("peer-"):
            continue
        for theirs, (benchmark, figure) in AGAINST_PEERS.items():
            other = outcome.median(theirs)
            ours = found[benchmark].median(figure) if benchmark in found else None
            if ours and other:
                lines.append(
                    (f"{benchmark}, {figure} / {name.removeprefix('peer-')}, {theirs}", f"{ours / other:.2f} ×")
                )
    return lines
