"""The results of a run: figures over all rounds, curves, notes and verdicts."""

from __future__ import annotations

from statistics import median
from typing import Literal

from msgspec import Struct, field

Better = Literal["higher", "lower", "none"]


class Figure(Struct):
    """One figure, with its value in each round."""

    name: str
    unit: str
    better: Better
    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return median(self.values)


class Curve(Struct):
    """A curve as points, with the names of its axes."""

    name: str
    x: str
    y: str
    points: list[tuple[float, float]]
    log_x: bool = False


class BenchOutcome(Struct):
    """The results of one benchmark."""

    name: str
    title: str
    figures: list[Figure] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: str | None = None
    failed: str | None = None
    seconds: float = 0.0

    def median(self, figure: str) -> float | None:
        """Returns the median of a figure; None if it was not measured."""
        return next((one.median for one in self.figures if one.name == figure and one.values), None)


class ClaimVerdict(Struct, frozen=True):
    """A claim about Duetime, and whether the run meets it."""

    what: str
    met: bool | None
    """None when it was not measured."""
    needed: str
    found: str
    ours: str
    """The median, the range and the name of our figure."""
    theirs: str
    """The same of the figure that ours is compared with, if there is one."""
    why: str = ""
    """Why it was not measured."""


class BenchRun(Struct):
    """A run: the machine, the settings, and the results of every benchmark."""

    machine: dict[str, str]
    postgres: dict[str, str]
    quick: bool
    rounds: int
    started_at: str
    outcomes: list[BenchOutcome] = field(default_factory=list)
    verdicts: list[ClaimVerdict] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether a benchmark failed."""
        return any(outcome.failed for outcome in self.outcomes)
