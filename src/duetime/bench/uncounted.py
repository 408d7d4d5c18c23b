"""`python -m duetime.bench.uncounted …`: Duetime without its counters, to measure what they cost.

Nothing switches metrics off, because they cost so little. Here the methods that count do nothing; what is left of them
is an empty call for each batch.
"""

from __future__ import annotations

import sys

from duetime.cli.main import main
from duetime.metrics.counts import Counts

METHODS = (
    "launched_here",
    "offered",
    "taken",
    "attempts",
    "ended_by_outcome",
    "ended_otherwise",
    "instants_skipped",
    "statement",
    "request",
)


def _count_nothing(*_: object) -> None:
    """Takes the place of a method that counts."""


if __name__ == "__main__":
    for name in METHODS:
        getattr(Counts, name)  # an error where the method has another name by now
        setattr(Counts, name, _count_nothing)
    sys.argv[0] = "duetime"
    main()
