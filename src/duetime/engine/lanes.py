"""Lanes in memory: of each, one job stands in its queue, and those behind it stand aside until it is over. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container
from datetime import datetime

from duetime.store.port import JobRef


def place_in_lane(ref: JobRef) -> tuple[datetime, int]:
    """Where a job stands in its lane."""
    return ref.execute_at, ref.id


class Lanes:
    """Who stands for each lane in which somebody is due, and who is behind. The store decides; this saves asking it."""

    def __init__(self) -> None:
        self._standing: dict[tuple[int, str | None], JobRef] = {}
        self._aside: dict[tuple[int, str | None], list[JobRef]] = {}

    def stand(self, ref: JobRef) -> JobRef | None:
        """Let this one stand for its lane, unless another does: then who."""
        one = self._standing.setdefault((ref.user_id, ref.lane), ref)
        if one.id != ref.id:
            return one
        if one is not ref:
            self.replace(ref)
        return None

    def replace(self, ref: JobRef) -> None:
        """Let this one stand for its lane, whoever did before."""
        self._standing[ref.user_id, ref.lane] = ref

    def has(self, user: int, lane: str) -> bool:
        """Whether somebody stands for a lane."""
        return (user, lane) in self._standing

    def step_aside(self, ref: JobRef) -> None:
        """Let this one wait for its turn."""
        aside = self._aside.setdefault((ref.user_id, ref.lane), [])
        if not aside or place_in_lane(aside[-1]) < place_in_lane(ref):
            aside.append(ref)
        else:
            insort(aside, ref, key=place_in_lane)

    def leave(self, ref: JobRef) -> JobRef | None:
        """This one is over or moved; who is next, if it stood for its lane. The next one does not stand yet."""
        lane = (ref.user_id, ref.lane)
        standing, aside = self._standing.pop(lane, None), self._aside.get(lane) if self._aside else None
        if standing is not None and standing.id != ref.id:
            self._standing[lane] = standing
            self._keep(lane, [one for one in aside or () if one.id != ref.id])
            return None
        if not aside:
            return None
        following = aside.pop(0)
        self._keep(lane, aside)
        return following

    def scatter(self, ref: JobRef) -> list[JobRef]:
        """Forget who is aside in the lane of this job; who it was."""
        return self._aside.pop((ref.user_id, ref.lane), [])

    def clear(self, launched: Container[int]) -> None:
        """Forget everybody but those who are in flight."""
        self._standing = {lane: one for lane, one in self._standing.items() if one.id in launched}
        self._aside.clear()

    def _keep(self, lane: tuple[int, str | None], aside: list[JobRef]) -> None:
        if aside:
            self._aside[lane] = aside
        else:
            self._aside.pop(lane, None)
