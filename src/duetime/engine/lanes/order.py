"""Turns: whose it is in a lane, where memory cannot tell and the store has to be asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import structlog

from duetime.engine.batch import NaturalBatch
from duetime.engine.intake.wake import Wake
from duetime.engine.lanes.in_memory import Lane, lane_position
from duetime.model.errors import StoreAway
from duetime.store.port import DueStore, JobRef

log = structlog.get_logger()
AT_ONCE = 1000
"""Lanes asked about with one statement."""


class LaneOrder:
    """Keeps who is ready in line with whose turn it is, and tells schedulers who is next.

    The first few of a lane are ready together, and their scheduler lets one go after the other. Where it went
    otherwise (one is to be tried again, came late, was moved, or is in flight by somebody else's doing) those who are
    not next are ready no longer, and whoever ends a job of that lane finds them here. If the store is away now, the
    lane sweep finds them later.
    """

    def __init__(self, store: DueStore, wake: Wake) -> None:
        self._store, self._wake = store, wake
        self._batch = NaturalBatch(self._promote, limit=lambda: AT_ONCE, width=lambda: 1, size=len)

    def ended(self, lanes: Sequence[Lane]) -> None:
        """Jobs of these lanes are over: whoever waits in them may be next."""
        if lanes:
            self._batch.put(lanes)

    async def retrying(self, behind: Sequence[JobRef]) -> None:
        """What these stood aside for is to be tried again: they wait, but for one that came late and is first now."""
        self._wake.stored(await self._hold_back(behind), arrived=False)

    async def drain(self) -> None:
        """Wait until every lane has gone on."""
        await self._batch.drain()

    async def _promote(self, batches: list[Sequence[Lane]]) -> None:
        lanes = list(chain.from_iterable(batches))
        try:
            self._wake.stored(await self._store.promote_waiting(lanes), arrived=False)
        except StoreAway:
            log.warning("lanes wait for the database", lanes=len(lanes))
        except Exception:
            log.exception("lanes could not go on: they are swept up later", lanes=len(lanes))

    async def refused(self, refs: Sequence[JobRef], behind: Sequence[JobRef]) -> None:
        """These could not be launched, nor can those behind them: somebody else's turn comes first."""
        out_of_turn = [ref for ref in refs if ref.lane is not None]
        if not out_of_turn:
            return
        ready = await self._hold_back([*out_of_turn, *behind])
        # What was refused and is first all the same was refused for another reason, and is found where it belongs.
        first = {(ref.user_id, ref.lane): ref for ref in sorted(ready, key=lane_position, reverse=True)}
        refused = {ref for ref in out_of_turn if first.get((ref.user_id, ref.lane)) == ref}
        self._wake.stored([ref for ref in ready if ref not in refused], arrived=False)

    async def _hold_back(self, refs: Sequence[JobRef]) -> list[JobRef]:
        """Let these wait, but for who is next; who that is in their lanes, looked for after the commit."""
        lanes = {(ref.user_id, ref.lane) for ref in refs if ref.lane is not None}
        try:
            await self._store.hold_back(refs)
            return await self._store.promote(list(lanes))
        except StoreAway:
            log.warning("lanes wait for the database", lanes=len(lanes))
            return []
