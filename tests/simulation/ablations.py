"""Ablations: switches off each safeguard, and finds the invariant that then fails.

`python -m simulation.ablations`, with `src` and `tests` on the path, writes the table of docs/guarantees.md, between
its two markers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from simulation.memory.tables import Safeguards
from simulation.world import Mode, run_seed

PAGE = Path(__file__).parents[2] / "docs" / "guarantees.md"
BEGIN, END = "<!-- ablations -->", "<!-- /ablations -->"
MOST = 400
"""How many seeds are tried for each ablation."""


class Ablation(NamedTuple):
    """A safeguard that can be switched off, and the invariant that must then fail."""

    name: str
    without: str
    """What the system does without the safeguard, in words."""
    invariant: str
    mode: Mode
    safeguards: Safeguards = Safeguards()
    first_seed: int = 0
    """The first seed to try: close to one in which the invariant is known to fail."""


class Caught(NamedTuple):
    """The seed and the violation that revealed an ablation."""

    seed: int
    text: str


_S = Safeguards
ABLATIONS: tuple[Ablation, ...] = (
    Ablation("term check", "a launch ignores its shard's term and owner", "I7", "safety", _S(term=False), 500),
    Ablation("fence check", "a launch ignores whether its node has a lease", "I7", "safety", _S(fence=False), 60),
    Ablation("unique launch", "a job in flight can be launched again", "I3", "safety", _S(unique_launch=False)),
    Ablation("holder check", "anybody can settle a run", "I11", "safety", _S(holder=False), 30),
    Ablation(
        "attempt counted before start",
        "an attempt whose executor went away does not count",
        "I3",
        "safety",
        _S(counted_before_start=False),
        10,
    ),
    Ablation("lane index", "two of one lane can be in flight", "I12", "safety", _S(lane_index=False), 30),
    Ablation("lane order", "a launch ignores what is before it in its lane", "I12", "safety", _S(lane_order=False)),
    Ablation(
        "unique nominal instant",
        "a schedule can have two occurrences for one instant",
        "I3",
        "safety",
        _S(unique_nominal=False),
    ),
    Ablation("edit lock", "an edit or a cancel ignores the launch's lock", "I8", "safety", _S(edit_lock=False)),
    Ablation("idempotency key", "a key can be taken twice", "I1", "safety", _S(idempotency=False)),
    Ablation(
        "cancel kept when a launch is taken back",
        "a cancel that met a launch in doubt is forgotten with it",
        "I16",
        "safety",
        _S(kept_cancel=False),
    ),
    Ablation(
        "lease looked at before sending",
        "what was launched is sent however late the answer came",
        "I7",
        "safety",
        first_seed=40,
    ),
    Ablation("lease margin", "a node relies on its lease to the end by its own clock", "I7", "safety"),
    Ablation("rescue sweep", "nobody looks for runs whose executor is gone", "I14", "liveness"),
    Ablation("doubts", "launches whose answer was lost are not looked for by their instants", "I14", "liveness"),
    Ablation("lane sweep", "nobody looks for lanes left without a ready head", "I14", "liveness", first_seed=600),
)


def find_out(ablation: Ablation, most: int = MOST, cells: int = 1) -> Caught | None:
    """The first seed in which the invariant does not hold; None when it holds in all of them."""
    for seed in range(ablation.first_seed, ablation.first_seed + most):
        for found in run_seed(seed, ablation.mode, ablation.safeguards, ablation.name, cells).violations:
            if found.invariant == ablation.invariant:
                return Caught(seed, found.text)
    return None


def table() -> str:
    """The table as Markdown."""
    lines = ["| safeguard switched off | then | found out by |", "|---|---|---|"]
    return "\n".join(lines + [f"| {one.name} | {one.without} | {one.invariant} |" for one in ABLATIONS])


def written() -> str:
    """The table as it is in the page."""
    return PAGE.read_text("utf-8").split(BEGIN)[1].split(END)[0].strip()


def write(text: str) -> None:
    """Write the table into the page."""
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}", "utf-8")


def main() -> int:
    """Try every ablation and print the results. Writes the table if every ablation was revealed."""
    caught = [(one, find_out(one)) for one in ABLATIONS]
    for one, found in caught:
        said = "NOT found out" if found is None else f"{one.invariant} at seed {found.seed}: {found.text}"
        sys.stdout.write(f"{one.name}: {said}\n")
    if not all(found for _, found in caught):
        return 1
    write(table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
