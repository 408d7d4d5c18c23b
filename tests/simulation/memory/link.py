"""How a caller reaches the store: what is done there happens at one instant, all of it or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Link(Protocol):
    """Carries one call to the store and its answer back."""

    async def call(self, name: str, work: Callable[[], T]) -> T:
        """Have the work done at the store; `StoreAway` when no answer came."""
        ...


class DirectLink:
    """No distance, no faults: for suites that look at the store itself."""

    async def call(self, name: str, work: Callable[[], T]) -> T:
        """Do it now."""
        return work()
