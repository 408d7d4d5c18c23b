"""Lanes in memory: of each, one job stands in its queue, and those behind it stand aside until it is over. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from datetime import datetime

from duetime.store.port import JobRef

Lane = tuple[int, str]
"""A user and one of its keys."""


def lane_position(ref: JobRef) -> tuple[datetime, int]:
    """Where a job stands in its lane."""
    return ref.execute_at, ref.id


def goes_before(one: JobRef, other: JobRef) -> bool:
    """Whether one of two jobs of a lane goes first."""
    return one.execute_at < other.execute_at or (one.id < other.id and one.execute_at == other.execute_at)


class Lanes:
    """Who stands for each lane in which somebody is due, and who is behind. The store decides; this saves asking it."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, str | None], list[JobRef]] = {}
        """Each begins with who stands; the others are in the order of the lane."""

    def claim(self, ref: JobRef) -> JobRef | None:
        """Let this one stand for its lane, unless another does: then who."""
        alone = [ref]
        line = self._lines.setdefault((ref.user_id, ref.lane), alone)
        return None if line is alone else line[0]

    def wait_behind(self, ref: JobRef) -> None:
        """Let this one wait behind who stands for its lane."""
        line = self._lines[ref.user_id, ref.lane]
        if len(line) == 1 or goes_before(line[-1], ref):
            line.append(ref)
        else:
            insort(line, ref, lo=1, key=lane_position)

    def replace_head(self, ref: JobRef) -> None:
        """Let this one stand for its lane instead of whoever did before."""
        self._lines.setdefault((ref.user_id, ref.lane), [ref])[0] = ref

    def leave(self, ref: JobRef) -> JobRef | None:
        """This one is over or moved; who stands for its lane now, if it was this one."""
        lane = (ref.user_id, ref.lane)
        line = self._lines.get(lane)
        if line is None:
            return None
        if line[0].id != ref.id:
            line[1:] = [one for one in line[1:] if one.id != ref.id]
            return None
        if len(line) == 1:
            del self._lines[lane]
            return None
        del line[0]
        return line[0]

    def drop_behind(self, ref: JobRef) -> list[JobRef]:
        """Forget who is aside in the lane of this job; who it was."""
        line = self._lines.get((ref.user_id, ref.lane), [])
        aside = line[1:]
        del line[1:]
        return aside

    def idle(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Those of these lanes for which nobody stands."""
        lines = self._lines
        return [lane for lane in lanes if lane not in lines]

    def clear(self, launched: Container[int]) -> None:
        """Forget everybody but those who are in flight."""
        self._lines = {lane: line[:1] for lane, line in self._lines.items() if line[0].id in launched}
