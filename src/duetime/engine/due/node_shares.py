"""Shares between users across the cells of one node: one virtual time, whichever cell a user's jobs wait in. Pure.

Every cell picks from its own backlog, and so has its own heap of users. The tags are shared: a job that a user
launches in one cell moves the user's tag in all of them, so a user with jobs in two cells gets its weight once.

A cell whose next user is ahead of the next user of another cell, by more than a part of a batch, yields: it picks
nothing until the other cell has caught up, and wakes then. A cell does not wait for a cell that launches nothing,
because its database is slow or away. Such a cell saves up nothing: its users are behind by at most as much when it
launches again.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapreplace

from duetime.engine.due.contests import PoolContests
from duetime.engine.due.fair_share import EQUAL, FairShare
from duetime.engine.due.slot_share import USER_PART, SlotShare, SlotsOfPool

PATIENCE = 0.1
"""For how many seconds a cell waits for another one that launches nothing."""
BATCH = 1000
"""The largest batch."""
AHEAD = 0.25
"""How far one cell may be ahead of another, in batches of all users together."""


class Side:
    """One cell among those that share a pool: whether it counts now, and how it is woken."""

    def __init__(self, answers: Callable[[], bool], seconds: Callable[[], float], wake: Callable[[], None]) -> None:
        """`answers`: whether the cell's database is there. `seconds` is a monotonic clock."""
        self.answers, self.seconds, self.wake = answers, seconds, wake
        self.yielding = False
        self.moved_at = float("-inf")
        """When it last launched a job, or got due jobs while it had none."""

    @property
    def counts(self) -> bool:
        """Whether other cells wait for this one."""
        return self.answers() and self.seconds() - self.moved_at <= PATIENCE


class SharedTags:
    """The virtual time of one pool, and the cells that share it."""

    def __init__(self) -> None:
        self.virtual = 0.0
        self.tags: dict[int, float] = {}
        self.views: list[CellFairShare] = []

    @property
    def slack(self) -> float:
        """How far cells may differ: a part of a batch, shared by the weights of all users."""
        weight = sum(view.weight for view in self.views)
        return AHEAD * max((view.batch for view in self.views), default=BATCH) / max(weight, EQUAL)

    def least_elsewhere(self, view: CellFairShare) -> float | None:
        """Returns the smallest tag that waits in other cells that count; None where no user waits."""
        heads = [
            head
            for other in self.views
            if other is not view and other.side.counts and (head := other.head()) is not None
        ]
        return min(heads, default=None)

    def moved(self, view: CellFairShare) -> None:
        """Wake the cells that yield and need not any more."""
        for other in self.views:
            if other.side.yielding and other is not view and not other.must_yield():
                other.side.yielding = False
                other.side.wake()


class CellFairShare(FairShare):
    """`FairShare` of one cell. Its tags are those of the node."""

    def __init__(self, shared: SharedTags, side: Side) -> None:
        super().__init__()
        self._shared, self.side, self.batch = shared, side, BATCH
        self._begun = False
        shared.views.append(self)

    def activate(self, user: int) -> bool:
        """Add a user with due jobs in this cell. Returns whether it had none here before."""
        if user in self._active:
            return False
        shared = self._shared
        if not self._active:
            self.side.moved_at = self.side.seconds()
        if not any(user in view.users for view in shared.views):
            shared.tags[user] = max(shared.virtual, shared.tags.get(user, 0.0))
        self._enter(user, shared.tags[user])
        return True

    @property
    def users(self) -> set[int]:
        """The users with due jobs in this cell."""
        return self._active

    def begin(self) -> None:
        """Begin a batch."""
        super().begin()
        self._begun = True

    def peek(self) -> int | None:
        """Returns the user that is next; None also while this cell yields to another."""
        if self.head() is None:
            return None
        self.side.yielding = self.must_yield()
        return None if self.side.yielding else self._heap[0][2]

    def head(self) -> float | None:
        """Returns the smallest tag in this cell. Entries whose user launched in another cell are corrected."""
        heap, tags = self._heap, self._shared.tags
        least = self._shared.virtual - 2 * self._shared.slack
        while heap:
            start, order, user = heap[0]
            tag = tags[user]
            if tag < least:
                tag = tags[user] = least
            if tag <= start:
                return tag
            heapreplace(heap, (tag, order, user))
        return None

    def must_yield(self) -> bool:
        """Whether the next user is too far ahead of one that waits in another cell.

        A cell that yields waits until it is ahead by half as much, so that its next batch is not a small one.
        """
        if len(self._shared.views) == 1 or (mine := self.head()) is None:
            return False
        least = self._shared.least_elsewhere(self)
        return least is not None and mine > least + self._shared.slack * (0.5 if self.side.yielding else 1.0)

    def allowance(self, most: int) -> int:
        """Returns how many jobs the next user may launch in a row: also not too far ahead of other cells."""
        if self._begun:
            self._begun, self.batch = False, max(1, min(BATCH, most))
        allowed, least = super().allowance(most), self._shared.least_elsewhere(self)
        if least is None:
            return allowed
        start, _, user = self._heap[0]
        ahead = least + self._shared.slack - start
        return max(1, min(allowed, int(ahead * self._weight_of(user)) + 1))

    def charge(self, jobs: int = 1) -> None:
        """Charge the next user for the jobs that it launches, in all cells."""
        shared, user = self._shared, self._heap[0][2]
        super().charge(jobs)
        shared.virtual = max(shared.virtual, self._virtual)
        shared.tags[user] = self._finish[user]
        self.side.moved_at = self.side.seconds()
        shared.moved(self)

    def retire(self) -> None:
        """Remove the next user: it has nothing to launch in this cell now."""
        super().retire()
        shared = self._shared
        if not any(view.users for view in shared.views):
            shared.virtual = 0.0
            shared.tags.clear()
        shared.moved(self)


class CellSlotShare(SlotShare):
    """`SlotShare` of one cell. The slots, and what users are charged for them, are those of the node."""

    def __init__(self, pool: SlotsOfPool, side: Side, seconds: Callable[[], float], part: float = USER_PART) -> None:
        super().__init__(seconds, part, pool)
        self.side = side

    def activate(self, user: int) -> bool:
        """Add a user with due jobs in this cell. Returns whether it had none here before."""
        if not self.wanted:
            self.side.moved_at = self.side.seconds()
        return super().activate(user)

    def peek(self) -> int | None:
        """Returns the user that is next, if one may hold another slot; None also while this cell yields to another."""
        user = super().peek()
        self.side.yielding = user is not None and self._must_yield(user)
        return None if self.side.yielding else user

    def charge(self, jobs: int = 1) -> None:
        """Give the next user slots."""
        super().charge(jobs)
        self.side.moved_at = self.side.seconds()
        for other in self._pool.views:
            if isinstance(other, CellSlotShare) and other is not self and other.side.yielding:
                other.side.yielding = False
                other.side.wake()

    def _must_yield(self, user: int) -> bool:
        account = self._pool.accounts[user]
        least = min((head for other in self._pool.views if (head := self._head_of(other)) is not None), default=None)
        return least is not None and account.tag > least + account.mean / self._weight_of(user)

    def _head_of(self, other: SlotShare) -> float | None:
        if other is self or not isinstance(other, CellSlotShare) or not other.side.counts:
            return None
        return other.least_tag()


class NodeShares:
    """The shares of all pools of a node. Each cell gets its own view of each pool."""

    def __init__(self, part: float = USER_PART) -> None:
        self._part = part
        self._tags: dict[str, SharedTags] = {}
        self._slots: dict[str, SlotsOfPool] = {}
        self._sides: list[Side] = []

    def look(self) -> None:
        """Let cells that yield look again: the cell that they wait for may launch nothing. To be called regularly."""
        for side in self._sides:
            if side.yielding:
                side.wake()

    def of_cell(
        self, answers: Callable[[], bool], seconds: Callable[[], float], wake: Callable[[], None]
    ) -> Callable[[str], PoolContests]:
        """Returns what makes a cell's contests for a pool."""
        made: dict[str, PoolContests] = {}

        def contests(pool: str) -> PoolContests:
            if pool not in made:
                tags = self._tags.setdefault(pool, SharedTags())
                slots = self._slots.setdefault(pool, SlotsOfPool())
                sides = Side(answers, seconds, wake), Side(answers, seconds, wake)
                self._sides += sides
                made[pool] = PoolContests(
                    CellFairShare(tags, sides[0]), CellSlotShare(slots, sides[1], seconds, self._part)
                )
            return made[pool]

        return contests
