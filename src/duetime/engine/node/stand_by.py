"""Standing by: a spare keeps at hand what a takeover would otherwise have to read first."""

from __future__ import annotations

from datetime import timedelta

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.engine.intake.definitions import Definitions

AT_HAND = 10_000
LATELY = timedelta(days=1)


class StandBy:
    """Reads the definitions that were used lately, while this node owns nothing."""

    def __init__(self, census: Census, definitions: Definitions, ownership: Ownership, clock: Clock) -> None:
        self._census, self._definitions, self._ownership, self._clock = census, definitions, ownership, clock

    async def run_once(self) -> None:
        """Those that are not at hand yet."""
        if not self._ownership.count:
            since = (self._clock.now() - LATELY).date()
            await self._definitions.by_ids(set(await self._census.recent_definitions(since, AT_HAND)))
