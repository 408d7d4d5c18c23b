"""Who competes for a pool of executors: users for its slots, and users whose runs take no slot. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.flow_backlog import Head
from duetime.engine.due.slot_share import SlotShare
from duetime.store.port import JobRef


class Room(NamedTuple):
    """How many jobs a batch may have."""

    instant: int
    """Of those whose runs take no slot."""
    slots: int
    """Of those whose runs take a slot."""
    free: int
    """The slots that are free in the whole pool: a user may hold only so many times this number."""


class Picked(NamedTuple):
    """A batch."""

    jobs: list[JobRef]
    taking_slots: Sequence[int]
    """The ids of those whose runs take a slot."""


class Contest:
    """A competition: the users with due jobs, and the heads of their flows."""

    def __init__(self, shares: FairShare | SlotShare) -> None:
        self.shares = shares
        self.heads: dict[int, list[Head]] = {}


class PoolContests:
    """The competitions for one pool of executors: for its slots, and between jobs whose runs take no slot."""

    def __init__(self, instant: FairShare, slots: SlotShare) -> None:
        self.instant, self.slots = instant, slots
        self.for_instant, self.for_slots = Contest(instant), Contest(slots)
        self.contests = (self.for_slots, self.for_instant)

    @property
    def wanted(self) -> bool:
        """Whether users have due jobs for the pool, or hold slots there."""
        return bool(self.for_instant.heads or self.for_slots.heads or self.slots.in_use)

    def has_others(self, user: int) -> bool:
        """Whether other users have due jobs for the pool."""
        return self.instant.has_others(user) or self.slots.has_others(user)
