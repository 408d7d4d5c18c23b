"""The contract of jobs that programs enqueue in transactions of their own. Obligations: see `store.port`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from duetime.model.enqueued import EnqueuedJob


class EnqueuedStore(Protocol):
    """Committed requests, each handed out until it is removed or refused."""

    async def claim(self, limit: int, seconds: float) -> list[EnqueuedJob]:
        """Claim the oldest requests that no living node has claimed, for some seconds. Returns them in order.

        A request whose claim has ended is handed out again: its node may have died.
        """
        ...

    async def remove(self, numbers: Sequence[int]) -> None:
        """Remove requests whose jobs are stored. A repeat has no effect."""
        ...

    async def refuse(self, reasons: Mapping[int, str]) -> None:
        """Keep requests that cannot be jobs, each with the reason, and hand them out no more."""
        ...
