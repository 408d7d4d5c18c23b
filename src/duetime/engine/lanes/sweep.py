"""Finds lanes that were not promoted because a node died between its commit and the promotion."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from duetime.engine.intake.wake import Wake
from duetime.store.port import DueStore

log = structlog.get_logger()
AT_ONCE = 2000
"""Lanes looked at in one page: the cost of a run is bounded, however many lanes there are."""
BEGINNING = (0, "")


class LaneSweep:
    """Visits all lanes with a job that is not ready, page by page, and promotes those whose head should be ready.

    The node that ends the last ready job of a lane promotes the next ones a moment later, so at any moment some lanes
    under load have no ready head. Only a lane with the same head at the second look was left behind.
    """

    def __init__(self, store: DueStore, wake: Wake) -> None:
        self._store, self._wake = store, wake
        self._position = BEGINNING
        self._suspects: dict[tuple[int, str], int] | None = None
        """Lanes of this page without a ready head at the first look, with their heads; None before the first look."""
        self.found = 0

    async def run_once(self) -> bool:
        """Look at the next page of lanes, or at the same page again. Returns whether it was the last of the round."""
        lanes = await self._store.sweep_lanes(self._position, AT_ONCE)
        suspects, self._suspects = self._suspects, None
        headless = _headless(lanes)
        if suspects is None and headless:
            self._suspects = headless
            return False
        await self._promote([lane for lane, head in headless.items() if suspects and suspects.get(lane) == head])
        return self._advance(lanes)

    async def whole_round(self) -> None:
        """Look at all lanes now, once: this node may have acquired shards of a node that died."""
        self._position, self._suspects = BEGINNING, None
        while True:
            lanes = await self._store.sweep_lanes(self._position, AT_ONCE)
            await self._promote(list(_headless(lanes)))
            if self._advance(lanes):
                return

    async def _promote(self, left: Sequence[tuple[int, str]]) -> None:
        if left:
            self.found += len(left)
            log.warning("lanes were left without a ready head: they are promoted", lanes=len(left))
            self._wake.stored(await self._store.promote(left))

    def _advance(self, lanes: Sequence[tuple[int, str, int | None]]) -> bool:
        done = len(lanes) < AT_ONCE
        self._position = BEGINNING if done else lanes[-1][:2]
        return done


def _headless(lanes: Sequence[tuple[int, str, int | None]]) -> dict[tuple[int, str], int]:
    return {(user_id, lane): head for user_id, lane, head in lanes if head is not None}
