"""Standby: a spare node keeps in memory what it would otherwise have to read first after acquiring shards."""

from __future__ import annotations

from datetime import timedelta

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.engine.intake.definitions import Definitions

MAX_DEFINITIONS = 10_000
RECENT = timedelta(days=1)


class StandBy:
    """Reads the definitions that were used recently, while this node owns no shard."""

    def __init__(self, census: Census, definitions: Definitions, ownership: Ownership, clock: Clock) -> None:
        self._census, self._definitions, self._ownership, self._clock = census, definitions, ownership, clock

    async def run_once(self) -> None:
        """Read those that are not in memory yet."""
        if not self._ownership.count:
            since = (self._clock.now() - RECENT).date()
            await self._definitions.by_ids(set(await self._census.recent_definitions(since, MAX_DEFINITIONS)))
