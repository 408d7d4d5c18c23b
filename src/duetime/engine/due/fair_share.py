"""Weighted fair share between users. Pure.

Start-time fair queueing: every user has a virtual start tag, and the user with the smallest tag is next. Each job
moves its user's tag on by 1/weight. Virtual time is the tag of the user served last, so a user that was idle starts at
the present and has saved up nothing. The jobs of one batch launch together, so a user may get its share of the batch in
a row. The rest of the batch is shared out job by job.
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
        """The sum over all active users."""
        self._level = -inf
        """A tag that every user at least reaches in the batch that is being filled."""
        self._order = count()

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """Replace the weights. The new ones count from the next job on."""
        self._weights = weights
        self._weight = sum(map(self._weight_of, self._active))

    def activate(self, user: int) -> bool:
        """Add a user with due jobs. Returns whether it had none before. Repeats are harmless."""
        if user in self._active:
            return False
        self._enter(user, max(self._virtual, self._finish.get(user, 0.0)))
        return True

    def has_others(self, user: int) -> bool:
        """Whether other users have due jobs."""
        return len(self._active) > (user in self._active)

    @property
    def weight(self) -> float:
        """The weights of the users with due jobs together."""
        return self._weight

    def peek(self) -> int | None:
        """Returns the user that is next."""
        return self._heap[0][2] if self._heap else None

    def begin(self) -> None:
        """Begin a batch."""
        self._level = -inf

    def allowance(self, most: int) -> int:
        """Returns how many jobs the next user may launch in a row, of a batch with room for `most` more.

        It may launch until another user is next, or up to a level that it reaches in this batch anyhow. No user is
        further behind. So the room left, minus one job per user that rounding may cost, brings this user at least as
        far as it would bring all users from this user's tag.
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
        """Charge the next user for the jobs that it launches: its tag moves on by 1/weight for each."""
        start, _, user = self._heap[0]
        share = 1.0 / self._weight_of(user)
        finish = start + share * jobs
        self._virtual = finish - share
        self._finish[user] = finish
        heapreplace(self._heap, (finish, next(self._order), user))

    def retire(self) -> None:
        """Remove the next user: it has nothing to launch now."""
        _, _, user = heappop(self._heap)
        self._active.discard(user)
        self._weight -= self._weight_of(user)
        if not self._active:
            # Without active users, tags and time start at zero again: numbers stay small, idle users are forgotten.
            self._virtual = self._weight = 0.0
            self._finish.clear()

    def _enter(self, user: int, start: float) -> None:
        self._active.add(user)
        self._weight += self._weight_of(user)
        heappush(self._heap, (start, next(self._order), user))

    def _weight_of(self, user: int) -> float:
        return self._weights.get(user, DEFAULT_WEIGHT)
