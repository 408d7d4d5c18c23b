"""Lanes in memory: the head of each lane is in its flow, and the jobs behind it wait until it ends. Pure."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterable
from datetime import datetime

from duetime.store.port import JobRef

Lane = tuple[int, str]
"""A user and one of its ordering keys."""


def lane_position(ref: JobRef) -> tuple[datetime, int]:
    """Returns the position of a job in its lane."""
    return ref.execute_at, ref.id


def goes_before(one: JobRef, other: JobRef) -> bool:
    """Whether `one` is before `other` in their lane."""
    return one.execute_at < other.execute_at or (one.id < other.id and one.execute_at == other.execute_at)


class Lanes:
    """The head of each lane with due jobs, and the jobs behind it. The store decides; memory saves asking it."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, str | None], list[JobRef]] = {}
        """Each begins with the head of the lane. The others follow in lane order."""

    def claim(self, ref: JobRef) -> JobRef | None:
        """Make a job the head of its lane. If the lane has a head already, returns that instead."""
        alone = [ref]
        line = self._lines.setdefault((ref.user_id, ref.lane), alone)
        return None if line is alone else line[0]

    def wait_behind(self, ref: JobRef) -> None:
        """Let a job wait behind the head of its lane."""
        line = self._lines[ref.user_id, ref.lane]
        if len(line) == 1 or goes_before(line[-1], ref):
            line.append(ref)
        else:
            insort(line, ref, lo=1, key=lane_position)

    def replace_head(self, ref: JobRef) -> None:
        """Make a job the head of its lane, instead of the present head."""
        self._lines.setdefault((ref.user_id, ref.lane), [ref])[0] = ref

    def leave(self, ref: JobRef) -> JobRef | None:
        """Remove a job that ended or moved. If it was the head of its lane, returns the new head, if any."""
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
        """Forget the jobs behind the head of this job's lane. Returns the forgotten jobs."""
        line = self._lines.get((ref.user_id, ref.lane), [])
        behind = line[1:]
        del line[1:]
        return behind

    def idle(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Returns those of these lanes that have no head."""
        lines = self._lines
        return [lane for lane in lanes if lane not in lines]

    def clear(self, launched: Container[int]) -> None:
        """Forget all jobs except heads that are in flight."""
        self._lines = {lane: line[:1] for lane, line in self._lines.items() if line[0].id in launched}
