"""Slots shared between users: by the time for which their runs hold them, with a part always left free. Pure.

Start-time fair queueing over slot time. A user's tag is the slot time it is charged for, divided by its weight; the
user with the smallest tag is next. A launch is charged in advance with the mean slot time of the user's recent runs.
What runs use beyond that is charged while they still run; what they did not use is refunded when they end. So a user
of long runs and a user of short ones get slot time by their weights, not launches.

A user that starts to wait gets the slot time that the next user has used so far, without what that user is charged in
advance. So it has saved up nothing, and does not wait for a refund that another user gets later.

A user may hold at most so many times the slots that are free. So slots are left for other users however many users hold
some, and a user that holds none finds one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from heapq import heapify, heappop, heappush
from itertools import count
from math import inf

from duetime.engine.due.fair_share import DEFAULT_WEIGHT
from duetime.engine.due.slot_account import HeapEntry, SlotAccount

USER_PART = 0.75
"""The part of all slots that one user can hold while no other user holds any."""
KEPT = 1000
"""How many accounts are kept unchecked. Those at rest are dropped when the number doubles between checks."""


class SlotsOfPool:
    """The slots that users hold in one pool, and what they are charged. The cells of a node share it."""

    __slots__ = ("accounts", "held", "most_accounts", "views", "virtual")

    def __init__(self) -> None:
        self.accounts: dict[int, SlotAccount] = {}
        self.most_accounts = KEPT
        self.virtual = 0.0
        """What the user served last had used, where no user is active."""
        self.held = 0
        """Of all users together."""
        self.views: list[SlotShare] = []


class SlotShare:
    """Virtual time over the users that wait for slots of one pool, and the slots that users hold there."""

    def __init__(
        self, seconds: Callable[[], float] = lambda: 0.0, part: float = USER_PART, pool: SlotsOfPool | None = None
    ) -> None:
        """`seconds` is a monotonic clock. `part` is the part of all slots that one user alone can hold; 1 for all."""
        self._seconds, self._pool = seconds, pool or SlotsOfPool()
        self._pool.views.append(self)
        self._times = part / (1.0 - part) if part < 1.0 else inf
        self._weights: Mapping[int, float] = {}
        self._equal = True
        self._heap: list[HeapEntry] = []
        self._entries: dict[int, HeapEntry] = {}
        """For each active user, the entry in the heap that counts."""
        self._order = count()
        self._active: set[int] = set()
        self._weight = 0.0
        self._beyond: set[int] = set()
        """Users with waiting jobs that hold too much of the slots."""
        self._free = 0
        self._heaviest = DEFAULT_WEIGHT
        """The largest weight among the users that hold slots."""
        self._now = 0.0
        """When the batch that is being filled began."""

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """Replace the weights. The new ones count from now on."""
        self._weights = weights
        self._equal = {DEFAULT_WEIGHT}.issuperset(weights.values())
        self._weight = sum(map(self._weight_of, self._active))

    @property
    def active(self) -> bool:
        """Whether a user that may hold another slot waits for one, as far as the last batch showed."""
        return bool(self._active)

    @property
    def wanted(self) -> bool:
        """Whether users wait for slots."""
        return bool(self._active or self._beyond)

    @property
    def weight(self) -> float:
        """The weights of these users together."""
        return self._weight

    @property
    def beyond(self) -> bool:
        """Whether a user waits because it holds too much of the slots."""
        return bool(self._beyond)

    @property
    def users_beyond(self) -> Collection[int]:
        """The users that wait because they hold too much of the slots."""
        return self._beyond

    @property
    def users(self) -> Collection[int]:
        """The users that wait and may hold another slot, as far as the last batch showed."""
        return self._active

    @property
    def in_use(self) -> bool:
        """Whether users hold slots."""
        return self._pool.held > 0

    def held(self, user: int) -> int:
        """Returns how many slots a user holds."""
        account = self._pool.accounts.get(user)
        return 0 if account is None else account.held

    def activate(self, user: int) -> bool:
        """Add a user with due jobs. Returns whether it had none before. Repeats are harmless."""
        if user in self._active or user in self._beyond:
            return False
        self._add(user)
        return True

    def has_others(self, user: int) -> bool:
        """Whether other users have due jobs."""
        return len(self._active) + len(self._beyond) > (user in self._active or user in self._beyond)

    def begin(self, free: int) -> None:
        """Begin a batch, with so many slots free."""
        self._free, self._now = free, self._seconds()
        self._heaviest = DEFAULT_WEIGHT if self._equal else self._heaviest_holder()
        if self._beyond:
            for user in [user for user in self._beyond if self._may_hold_another(user)]:
                self._beyond.discard(user)
                self._add(user)

    def peek(self) -> int | None:
        """Returns the user that is next, if one may hold another slot."""
        heap = self._heap
        while heap:
            entry = heap[0]
            user = entry[2]
            if not self._counts(entry):
                heappop(heap)
                continue
            account = self._pool.accounts[user]
            account.accrue(self._weight_of(user), self._now)
            if account.tag > entry[0]:
                heappop(heap)
                self._push(user, account)
            elif self._may_hold_another(user):
                return user
            else:
                self.retire()
                self._beyond.add(user)
        return None

    def allowance(self, most: int) -> int:
        """Returns how many slots the next user may fill in a row: one, since each moves its tag and its bound."""
        return min(1, most)

    def charge(self, jobs: int = 1) -> None:
        """Give the next user slots: its tag moves on by the mean of its runs for each."""
        user = self._heap[0][2]
        account, weight = self._pool.accounts[user], self._weight_of(user)
        self._pool.virtual = account.base(weight)
        advance = account.mean * jobs
        account.held += jobs
        self._pool.held += jobs
        account.advance += advance
        account.tag += advance / weight
        self._free -= jobs
        heappop(self._heap)
        self._push(user, account)

    def retire(self) -> None:
        """Remove the next user: it has nothing to launch now."""
        _, _, user = heappop(self._heap)
        del self._entries[user]
        self._active.discard(user)
        self._weight = self._weight - self._weight_of(user) if self._active else 0.0

    def ended(self, user: int, runs: int) -> None:
        """Let runs of a user end: their slots are free, and their true slot time counts."""
        account, weight = self._account(user), self._weight_of(user)
        runs = min(runs, account.held)
        account.accrue(weight, self._seconds())
        account.end(runs, weight)
        self._pool.held -= runs
        for view in self._pool.views:
            view.refunded(user, account)

    def refunded(self, user: int, account: SlotAccount) -> None:
        """Put a user that waits here where its tag belongs now: it may have fallen."""
        if user in self._entries:
            self._push(user, account)
            if len(self._heap) > 2 * len(self._active) + KEPT:
                self._heap = [entry for entry in self._heap if self._counts(entry)]
                heapify(self._heap)

    def _add(self, user: int) -> None:
        account, weight = self._account(user), self._weight_of(user)
        account.accrue(weight, self._seconds())
        account.tag = max(account.tag, self._present())
        self._active.add(user)
        self._weight += weight
        self._push(user, account)

    def _present(self) -> float:
        """Returns what the next user has used so far, per weight."""
        users = [user for view in self._pool.views if (user := view.first()) is not None]
        return min((self._pool.accounts[one].base(self._weight_of(one)) for one in users), default=self._pool.virtual)

    def first(self) -> int | None:
        """Returns the user with the smallest tag that may hold another slot, as far as the last batch showed."""
        heap = self._heap
        while heap and not self._counts(heap[0]):
            heappop(heap)
        return heap[0][2] if heap else None

    def least_tag(self) -> float | None:
        """Returns the smallest tag of the users that wait here and may hold another slot."""
        user = self.first()
        return None if user is None else self._pool.accounts[user].tag

    def _counts(self, entry: HeapEntry) -> bool:
        return self._entries.get(entry[2]) is entry

    def _push(self, user: int, account: SlotAccount) -> None:
        self._entries[user] = entry = (account.tag, next(self._order), user)
        heappush(self._heap, entry)

    def _account(self, user: int) -> SlotAccount:
        account = self._pool.accounts.get(user)
        if account is None:
            if len(self._pool.accounts) >= self._pool.most_accounts:
                self._drop_accounts_at_rest()
            account = self._pool.accounts[user] = SlotAccount(self._present(), self._seconds())
        return account

    def _drop_accounts_at_rest(self) -> None:
        """Drop the accounts that a new one would equal, except for the mean. While no user waits, no tag counts."""
        in_use = {user for view in self._pool.views for user in (*view.users, *view.users_beyond)}
        present = self._present() if in_use else inf
        self._pool.accounts = {
            user: account
            for user, account in self._pool.accounts.items()
            if account.held or user in in_use or account.tag > present
        }
        self._pool.most_accounts = max(KEPT, 2 * len(self._pool.accounts))

    def _heaviest_holder(self) -> float:
        holders = (self._weight_of(user) for user, account in self._pool.accounts.items() if account.held)
        return max(holders, default=DEFAULT_WEIGHT)

    def _may_hold_another(self, user: int) -> bool:
        held = self.held(user)
        if not held or self._times == inf:
            return True
        weight = self._weight_of(user)
        return held < self._times * self._free * weight / max(weight, self._heaviest)

    def _weight_of(self, user: int) -> float:
        return self._weights.get(user, DEFAULT_WEIGHT)
