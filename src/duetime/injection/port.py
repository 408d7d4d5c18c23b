"""The contract of a source: a topic or a directory that jobs come from, read for as long as the node runs."""

from __future__ import annotations

from typing import Protocol


class InjectionSource(Protocol):
    """One source. Several nodes may have the same one: each record becomes a job once."""

    async def run(self) -> None:
        """Read until `stop`. Problems are logged, and it is tried again."""
        ...

    async def stop(self) -> None:
        """Read no further; what is being stored is finished."""
        ...

    async def sweep(self) -> None:
        """Forget what is remembered for no purpose any more. Called now and then."""
        ...
