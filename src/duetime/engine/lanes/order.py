"""Lane order where memory does not know the next job of a lane, and the store must be asked."""

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
"""How many lanes one statement promotes."""


class LaneOrder:
    """Keeps the ready jobs in line with lane order, and wakes schedulers with the next jobs.

    The first few jobs of a lane are ready together, and their scheduler launches one after the other. Where the order
    turns out different (a job is retried, was stored late, was moved, or was launched by another node), the jobs that
    are not next are held back. The node that ends a job of that lane promotes them here. If the store is away now, the
    lane sweep finds them later.
    """

    def __init__(self, store: DueStore, wake: Wake) -> None:
        self._store, self._wake = store, wake
        self._batch = NaturalBatch(self._promote, limit=lambda: AT_ONCE, width=lambda: 1, size=len)

    def ended(self, lanes: Sequence[Lane]) -> None:
        """Promote the next jobs of these lanes soon: a job of each has ended."""
        if lanes:
            self._batch.put(lanes)

    async def retrying(self, behind: Sequence[JobRef]) -> None:
        """Hold back the jobs behind one that is retried, except a job that was stored late and is first now."""
        self._wake.stored(await self._hold_back(behind), arrived=False)

    async def drain(self) -> None:
        """Wait until all lanes that had an end are promoted."""
        await self._batch.drain()

    async def _promote(self, batches: list[Sequence[Lane]]) -> None:
        lanes = list(chain.from_iterable(batches))
        try:
            self._wake.stored(await self._store.promote_waiting(lanes), arrived=False)
        except StoreAway:
            log.warning("lanes wait for the database", lanes=len(lanes))
        except Exception:
            log.exception("lanes were not promoted: the lane sweep finds them later", lanes=len(lanes))

    async def refused(self, refs: Sequence[JobRef], behind: Sequence[JobRef]) -> None:
        """Hold back jobs whose launch was refused, and the jobs behind them: another job of their lane is first."""
        out_of_order = [ref for ref in refs if ref.lane is not None]
        if not out_of_order:
            return
        ready = await self._hold_back([*out_of_order, *behind])
        # A job that was refused although it is first was refused for another reason, and is found in the usual way.
        first = {(ref.user_id, ref.lane): ref for ref in sorted(ready, key=lane_position, reverse=True)}
        refused = {ref for ref in out_of_order if first.get((ref.user_id, ref.lane)) == ref}
        self._wake.stored([ref for ref in ready if ref not in refused], arrived=False)

    async def _hold_back(self, refs: Sequence[JobRef]) -> list[JobRef]:
        """Make these not ready, except the next of each lane. Returns the next jobs, promoted after that commit."""
        lanes = {(ref.user_id, ref.lane) for ref in refs if ref.lane is not None}
        try:
            await self._store.hold_back(refs)
            return await self._store.promote(list(lanes))
        except StoreAway:
            log.warning("lanes wait for the database", lanes=len(lanes))
            return []
