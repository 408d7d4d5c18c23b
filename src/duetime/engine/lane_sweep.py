"""Lanes that nobody moved on: whoever should have done it died between its commit and the next step."""

from __future__ import annotations

import structlog

from duetime.engine.wake import Wake
from duetime.store.port import DueStore

log = structlog.get_logger()
AT_ONCE = 2000
"""Lanes looked at in one go: the cost of a turn is bounded, however many lanes there are."""
BEGINNING = (0, "")


class LaneSweep:
    """Goes round all lanes, some at a time, and makes heads ready that should be."""

    def __init__(self, store: DueStore, wake: Wake) -> None:
        self._store, self._wake = store, wake
        self._position = BEGINNING
        self.found = 0

    async def run_once(self) -> bool:
        """The next lanes; whether that was the last of the round."""
        lanes = await self._store.sweep_lanes(self._position, AT_ONCE)
        stuck = [(user_id, lane) for user_id, lane, is_stuck in lanes if is_stuck]
        if stuck:
            self.found += len(stuck)
            log.warning("lanes were left without a ready head: they go on", lanes=len(stuck))
            self._wake.stored(await self._store.promote(stuck))
        done = len(lanes) < AT_ONCE
        self._position = BEGINNING if done else (lanes[-1][0], lanes[-1][1])
        return done

    async def whole_round(self) -> None:
        """All lanes, now: after taking over from somebody who died."""
        self._position = BEGINNING
        while not await self.run_once():
            pass
