"""The bounds of what users can ask for. The API checks them, and the command line states them. Pure."""

from __future__ import annotations

from typing import Final, NamedTuple


class Bounds(NamedTuple):
    """The least and the most of a number. Both are allowed."""

    least: int
    most: int


class Rates(NamedTuple):
    """The lowest and the highest of a rate or a share. Both are allowed."""

    least: float
    most: float


PRIORITY: Final = Bounds(0, 9)
ATTEMPTS: Final = Bounds(1, 1000)
REDIRECTS: Final = Bounds(0, 10)
AT_ONCE: Final = Bounds(1, 1_000_000)
"""How many jobs a limit lets run or start at once."""
LAUNCH_RATE: Final = Rates(1e-6, 1e6)
"""No clock can keep a rate outside these bounds."""
WEIGHT: Final = Rates(1e-6, 1e6)
QUOTA: Final = Bounds(0, 2**53 - 1)
REQUEST_RATE: Final = Rates(0.001, 1e6)
OCCURRENCES: Final = Bounds(1, 2**53 - 1)
PREVIEWED: Final = Bounds(1, 1000)
PAGE: Final = Bounds(1, 1000)
DEFINITION_ID: Final = Bounds(1, 2**31 - 1)
REDRIVE_RATE: Final = Rates(0.001, 1e6)
REDRIVEN: Final = 1000
"""How many dead letters one call redrives or discards."""
MAX_TIMEOUT: Final = 86_400
"""The seconds that one attempt may take at most."""
