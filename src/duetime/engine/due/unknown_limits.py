"""Definitions whose limits and labels are not in memory: their flows wait until these are read."""

from __future__ import annotations

from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import Pick
from duetime.engine.intake.definitions import Definitions


class UnknownLimits:
    """Reads the definitions that gates did not find in memory, and reopens their flows."""

    def __init__(self, gates: Gates, definitions: Definitions, pick: Pick) -> None:
        self._gates, self._definitions, self._pick = gates, definitions, pick

    def claim(self) -> set[int]:
        """Returns the definitions to read. Each is returned once."""
        wanted, self._gates.unknown = self._gates.unknown, set[int]()
        return wanted

    async def read(self, definitions: set[int]) -> None:
        """Read definitions and reopen their flows. If the store is away, the gates ask for the definitions again."""
        try:
            await self._definitions.by_ids(definitions)
        finally:
            self._pick.learned(definitions)
