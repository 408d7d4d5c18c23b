"""Weighted fair share between users. Pure.

Start-time fair queueing: every user has a virtual start tag; the smallest goes; serving one job moves
the user's tag on by 1/weight. Virtual time is the tag of whoever was served last, so a user who was
idle starts at the present and has banked nothing. What goes in one batch goes at once, so a turn may be as long
as the user's share of the batch, and the rest goes one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush, heapreplace
from itertools import count
from math import ceil, inf

DEFAULT_WEIGHT = 1.0
EQUAL = 1e-9
"""Sums of shares that differ by less came out of rounding."""


class FairShare:
    """Virtual time over the users that have work."""

    def __init__(self) -> None:
        self._weights: Mapping[int, float] = {}
        self._virtual = 0.0
        self._finish: dict[int, float] = {}
        self._heap: list[tuple[float, int, int]] = []
        self._active: set[int] = set()
        self._weight = 0.0
        """Of all who are active together."""
        self._level = -inf
        """A tag that everybody reaches in the batch that is being made up, at least."""
        self._order = count()

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """New weights; they count from the next job on."""
        self._weights = weights
        self._weight = sum(map(self._weight_of, self._active))

    def activate(self, user: int) -> bool:
        """A user has work; whether it had none before, and others have. Repeats are harmless."""
        if user in self._active:
            return False
        self._active.add(user)
        self._weight += self._weight_of(user)
        start = max(self._virtual, self._finish.get(user, 0.0))
        heappush(self._heap, (start, next(self._order), user))
        return len(self._active) > 1

    def peek(self) -> int | None:
        """The user whose turn it is."""
        return self._heap[0][2] if self._heap else None

    def begin(self) -> None:
        """A batch begins."""
        self._level = -inf

    def allowance(self, most: int) -> int:
        """How many jobs the user whose turn it is may send in a row, of a batch with so many places left.

        Until it is somebody else's turn, or up to a level that it reaches in this batch anyhow: nobody is further
        behind, so the places left, but for one for each user that rounding may take, bring this one at least as far
        as they would bring everybody from where it is.
        """
        heap = self._heap
        if len(heap) == 1:
            return most
        start, _, user = heap[0]
        rival = min(heap[1], heap[2])[0] if len(heap) > 2 else heap[1][0]
        weight = self._weight_of(user)
        until_next = ceil((rival - start) * weight - EQUAL)
        if start >= self._level - EQUAL:
            self._level = start + max(0, most - len(heap)) / self._weight
        return max(1, min(most, max(until_next, int((self._level - start) * weight + EQUAL))))

    def charge(self, jobs: int = 1) -> None:
        """The user whose turn it was sent so many; its next turn is its share's distance away."""
        start, _, user = self._heap[0]
        share = 1.0 / self._weight_of(user)
        finish = start + share * jobs
        self._virtual = finish - share
        self._finish[user] = finish
        heapreplace(self._heap, (finish, next(self._order), user))

    def retire(self) -> None:
        """The user whose turn it was has nothing to send now."""
        _, _, user = heappop(self._heap)
        self._active.discard(user)
        self._weight -= self._weight_of(user)
        if not self._active:
            # With nobody waiting, debts and time start anew: numbers stay small, departed users are forgotten.
            self._virtual = self._weight = 0.0
            self._finish.clear()

    def _weight_of(self, user: int) -> float:
        return self._weights.get(user, DEFAULT_WEIGHT)
