"""Unmet labels: required labels that no living executor has."""

from __future__ import annotations

from collections.abc import Mapping

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.labels import meets, pool_of
from duetime.store.offer_port import Executor, OfferStore

REMEMBERED_SECONDS = 1.0


class UnmetLabels:
    """Finds unmet labels. Reads the executors at most once a second."""

    def __init__(self, store: OfferStore, clock: Clock) -> None:
        self._store = store
        self._executors = BriefCache(self._read, clock, seconds=REMEMBERED_SECONDS)

    async def of(self, own: Mapping[str, str], rule: Mapping[str, str]) -> dict[str, str] | None:
        """Returns the labels that a job and its user require, if no living executor has them all.

        Empty if they require none and no executor is alive; None if an executor fits.
        """
        pool = pool_of(own, rule)
        if any(meets(one.labels, pool) for one in await self._executors.of(0)):
            return None
        return {**own, **rule}

    async def _read(self, _: int) -> list[Executor]:
        return await self._store.executors()
