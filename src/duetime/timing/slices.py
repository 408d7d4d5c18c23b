"""Long computations in slices: a generator pauses after each slice of work, so that an event loop can go on. Pure."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")
Steps = Generator[None, None, T]
"""A computation that yields after each slice of work and returns its result."""

SLICE = 200
"""How many candidates, one for each source of a timing, are examined in a slice: some milliseconds."""


def at_once(steps: Steps[T]) -> T:
    """The result of a computation, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value
