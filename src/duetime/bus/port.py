"""The contract of a bus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from duetime.model.run import LaunchedRun


class Bus(Protocol):
    """Carries launched runs to executors.

    Obligations:
    - A run is handed over only after its launch is committed; duplicates are harmless, because only
      the holder named in the launch can settle it.
    - `room` promises no more than executors can start soon: what is sent early is decided early,
      and that is unfair later.
    """

    def room(self) -> int:
        """How many more runs can be started soon."""
        ...

    def send(self, runs: Sequence[LaunchedRun]) -> None:
        """Hand committed launches over."""
        ...
