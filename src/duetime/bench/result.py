"""What a run brings: figures with their spread, curves, and words."""

from __future__ import annotations

from statistics import median
from typing import Literal

from msgspec import Struct, field

Better = Literal["higher", "lower", "none"]


class Figure(Struct):
    """One figure over all rounds."""

    name: str
    unit: str
    better: Better
    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The middle round."""
        return median(self.values)


class Curve(Struct):
    """Points of a line."""

    name: str
    x: str
    y: str
    points: list[tuple[float, float]]
    log_x: bool = False


class BenchOutcome(Struct):
    """All that one benchmark found."""

    name: str
    title: str
    figures: list[Figure] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str | None = None
    failed: str | None = None
    seconds: float = 0.0

    def median(self, figure: str) -> float | None:
        """A figure's median, if it was measured."""
        return next((one.median for one in self.figures if one.name == figure and one.values), None)


class ClaimVerdict(Struct, frozen=True):
    """One thing that Duetime is held to, and whether this run bears it out."""

    what: str
    met: bool | None
    """Neither, when it was not measured."""
    needed: str
    found: str
    ours: str
    """The median, the spread and the name of our figure."""
    theirs: str
    """And of the figure that it is compared with, if it is one."""
    why: str = ""
    """Why it was not measured."""


class BenchRun(Struct):
    """A whole run: where, how, and what came of it."""

    machine: dict[str, str]
    postgres: dict[str, str]
    quick: bool
    rounds: int
    started_at: str
    outcomes: list[BenchOutcome] = field(default_factory=list)
    verdicts: list[ClaimVerdict] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether a benchmark could not be carried through."""
        return any(outcome.failed for outcome in self.outcomes)
