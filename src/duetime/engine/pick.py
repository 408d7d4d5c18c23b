"""Who goes next: weighted fair share between users, then priority, due instant and id within a user. Pure.

Start-time fair queueing: every user has a virtual start tag; the smallest goes; serving one job moves
the user's tag on by 1/weight. Virtual time is the tag of whoever was served last, so a user who was
idle starts at the present and has banked nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import count

from duetime.engine.backlog import Backlog
from duetime.model.ids import user_of_flow
from duetime.store.port import JobRef

DEFAULT_WEIGHT = 1.0


class FairShare:
    """Virtual time over the users that have work."""

    def __init__(self) -> None:
        self._weights: Mapping[int, float] = {}
        self._virtual = 0.0
        self._finish: dict[int, float] = {}
        self._heap: list[tuple[float, int, int]] = []
        self._active: set[int] = set()
        self._order = count()

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """New weights; they count from the next job on."""
        self._weights = weights

    def activate(self, user: int) -> None:
        """A user has work. Repeats are harmless."""
        if user not in self._active:
            self._active.add(user)
            start = max(self._virtual, self._finish.get(user, 0.0))
            heappush(self._heap, (start, next(self._order), user))

    def peek(self) -> int | None:
        """The user whose turn it is."""
        return self._heap[0][2] if self._heap else None

    def charge(self) -> None:
        """The user whose turn it was got one job, and has its next turn after its share's distance."""
        start, _, user = heappop(self._heap)
        self._virtual = start
        finish = start + 1.0 / self._weights.get(user, DEFAULT_WEIGHT)
        self._finish[user] = finish
        heappush(self._heap, (finish, next(self._order), user))

    def retire(self) -> None:
        """The user whose turn it was has nothing to send now."""
        _, _, user = heappop(self._heap)
        self._active.discard(user)
        if not self._active:
            self._rebase()

    def _rebase(self) -> None:
        """With nobody waiting, debts and time start anew: floats stay small, departed users are forgotten."""
        self._virtual = 0.0
        self._finish.clear()
        self._heap.clear()
        heapify(self._heap)


class Pick:
    """Takes jobs out of the backlog in fair order."""

    def __init__(self, backlog: Backlog, shares: FairShare) -> None:
        self._backlog, self._shares = backlog, shares
        self._flows: dict[int, set[int]] = {}

    def wake(self, flows: Iterable[int]) -> None:
        """These queues have something due."""
        for flow in flows:
            user = user_of_flow(flow)
            self._flows.setdefault(user, set()).add(flow)
            self._shares.activate(user)

    def take(self, limit: int) -> list[JobRef]:
        """At most so many jobs, fairest first."""
        taken: list[JobRef] = []
        while len(taken) < limit and (user := self._shares.peek()) is not None:
            ref = self._first_of(user)
            if ref is None:
                self._shares.retire()
            else:
                taken.append(ref)
                self._shares.charge()
        return taken

    @property
    def waiting(self) -> bool:
        """Whether anybody has work."""
        return self._shares.peek() is not None

    def _first_of(self, user: int) -> JobRef | None:
        flows = self._flows.get(user)
        if not flows:
            return None
        backlog = self._backlog
        if len(flows) == 1:
            (flow,) = flows
            if backlog.head(flow) is not None:
                return backlog.pop(flow)
            del self._flows[user]
            return None
        heads = {flow: head for flow in flows if (head := backlog.head(flow)) is not None}
        if len(heads) < len(flows):
            self._flows[user] = set(heads)
        if not heads:
            del self._flows[user]
            return None
        return backlog.pop(min(heads, key=lambda flow: heads[flow][:3]))
