"""Who goes next: weighted fair share between users, then priority, due instant and id within a user. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from heapq import heappop, heappush
from itertools import chain

from duetime.engine.due.backlog import Backlog
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.flow_backlog import Head
from duetime.engine.due.gates import UNTIL_ONE_ENDS, Gates
from duetime.engine.lanes.in_memory import Lane
from duetime.model.flow import limited_definition
from duetime.model.ids import user_of_flow
from duetime.model.labels import ANY
from duetime.model.policy import Limit
from duetime.store.port import JobRef

LITTLE = 16
"""Who has no more than so many under way and waiting comes for a moment: it is worth making way for."""


class _Contest:
    """Those who compete for one pool of executors: the users with work for it, and the heads of their queues."""

    def __init__(self, shares: FairShare) -> None:
        self.shares = shares
        self.heads: dict[int, list[Head]] = {}


class Pick:
    """Takes jobs out of the backlog in fair order, past every gate that is open. Shares are kept for each pool."""

    def __init__(
        self,
        backlog: Backlog,
        shares: FairShare,
        gates: Gates,
        pool_of: Callable[[int], str | None] = lambda flow: ANY,
    ) -> None:
        """`pool_of` answers from memory; None when a queue's definition has to be looked up first."""
        self._backlog, self._shares, self._gates, self._pool_of = backlog, shares, gates, pool_of
        self._weights: Mapping[int, float] = {}
        self._contests = {ANY: _Contest(shares)}
        self._entered: dict[int, tuple[Head, str]] = {}
        """For each queue, the entry with which it stands in its user's heads, and for which pool."""
        self._closed: dict[int, datetime] = {}
        """Queues behind a gate, with the instant at which it opens."""
        self._closed_users: dict[int, datetime] = {}
        self._under_way: dict[int, int] = {}
        """How many runs each user has."""
        self.light_user_arrived = False
        """Whether a user who had nothing to send has a little since the last take, beside others who have something."""

    def clear(self) -> None:
        """Forget what waits; the backlog was cleared."""
        for contest in self._contests.values():
            contest.heads.clear()
        self._entered.clear()
        self._closed.clear()
        self._closed_users.clear()

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """New weights of users; they count from the next job on."""
        self._weights = weights
        for contest in self._contests.values():
            contest.shares.set_weights(weights)

    def set_user_limits(self, limits: Mapping[int, Limit], now: datetime) -> bool:
        """New limits of users; whether somebody may go who waited by those of before."""
        changed = self._gates.set_user_limits(limits, now, lambda user: self._under_way.get(user, 0))
        waited = [user for user in changed if self._closed_users.pop(user, None) is not None]
        for user in waited:
            self._activate(user)
        return bool(waited)

    def regroup(self) -> None:
        """Queues may require something else than before: let each stand where it belongs."""
        self.clear()
        self.wake(self._backlog.flows())

    def wake(self, flows: Iterable[int], *, arrived: bool = True) -> None:
        """These queues have something due; `arrived` unless it only follows what went before."""
        for flow in flows:
            if flow not in self._closed and self._enter(flow) and arrived:
                self.light_user_arrived = self.light_user_arrived or self._has_little(flow)

    def pools(self) -> list[str]:
        """The pools that somebody has work for: those that require something first, for few can serve them."""
        if len(self._contests) > 1:
            for pool in [pool for pool, contest in self._contests.items() if pool != ANY and not contest.heads]:
                del self._contests[pool]
        return [*(pool for pool in self._contests if pool != ANY), ANY]

    def pick(self, limit: int, now: datetime, pool: str = ANY) -> list[JobRef]:
        """At most so many jobs for a pool, fairest first."""
        self._reopen(now)
        self.light_user_arrived = False
        taken: dict[int, list[JobRef]] = {}
        contest, left = self._contests.get(pool), limit
        if contest is None:
            return []
        shares, gates = contest.shares, self._gates
        shares.begin()
        while left > 0 and (user := shares.peek()) is not None:
            until = gates.user_closed_until(user, now)
            if until is not None:
                self._closed_users[user] = until
                shares.retire()
                continue
            several = gates.room_of_user(user, shares.allowance(left))
            refs = self._first_of(user, several, now, contest)
            if not refs:
                shares.retire()
                continue
            gates.passed(user, refs[0].flow, len(refs))
            shares.charge(len(refs))
            left -= len(refs)
            taken.setdefault(user, []).extend(refs)
        for user, refs in taken.items():
            self._under_way[user] = self._under_way.get(user, 0) + len(refs)
        return _evenly(list(taken.values()))

    def release(self, job_ids: Iterable[int]) -> None:
        """These runs are over, or never were: their places are free again, and who is next in their lanes may go."""
        gone, woken = self._backlog.release(job_ids)
        for flow, runs in Counter(gone).items():
            self._ended(flow, runs)
        if woken:
            self.wake(woken, arrived=False)

    def release_blocking(self, job_ids: Collection[int]) -> list[JobRef]:
        """As `release`, but nobody else of their lanes may go; who would have, as far as is known here."""
        scattered = self._backlog.drop_behind(job_ids)
        self.release(job_ids)
        return scattered

    def idle_lanes(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Those of these lanes of which nobody is on the way here: who waits in the others is asked for later."""
        return self._backlog.idle_lanes(lanes)

    def learned(self, definitions: set[int]) -> None:
        """The limits and requirements of these definitions are known now."""
        for flow in [flow for flow in self._closed if limited_definition(flow) in definitions]:
            self._open_for(flow)

    def reconsider(self, flow: int) -> None:
        """A gate of this queue may have opened, or will open at another instant."""
        self._open_for(flow)

    @property
    def waiting(self) -> bool:
        """Whether anybody who may send has work."""
        return any(contest.shares.peek() is not None for contest in self._contests.values())

    def next_opening(self) -> datetime | None:
        """The next instant at which a gate opens by itself."""
        instants = [*self._closed.values(), *self._closed_users.values()]
        earliest = min(instants, default=UNTIL_ONE_ENDS)
        return None if earliest == UNTIL_ONE_ENDS else earliest

    def _first_of(self, user: int, several: int, now: datetime, contest: _Contest) -> list[JobRef]:
        """The next jobs of a user: so many at most, all of one queue."""
        heads, backlog = contest.heads.get(user, []), self._backlog
        while (entry := self._first_head(heads)) is not None:
            heappop(heads)
            flow = entry[3]
            del self._entered[flow]
            first = backlog.head(flow)
            if first is None:
                continue
            if first[:3] != entry[:3]:
                self._enter(flow)
                continue
            until = self._gates.flow_closed_until(flow, now)
            if until is not None:
                self._closed[flow] = until
                continue
            refs = backlog.pop(flow, 1 if self._gates.limits_flow(flow) else several, self._first_head(heads))
            self._enter(flow)
            return refs
        contest.heads.pop(user, None)
        return []

    def _first_head(self, heads: list[Head]) -> Head | None:
        """The first of a user's queues; entries with which a queue stands no longer are dropped on the way."""
        while heads:
            standing = self._entered.get(heads[0][3])
            if standing is not None and standing[0] == heads[0]:
                return heads[0]
            heappop(heads)
        return None

    def _enter(self, flow: int) -> bool:
        """Let a queue stand for its user; whether the user had nothing to send before, and others have."""
        first = self._backlog.head(flow)
        if first is None:
            return False
        pool = self._pool_of(flow)
        if pool is None:
            self._gates.unknown.add(limited_definition(flow) or 0)
            self._closed[flow] = UNTIL_ONE_ENDS
            return False
        entry = (first[0], first[1], first[2], flow)
        if self._entered.get(flow) == (entry, pool):
            return False
        contest = self._contests.get(pool)
        if contest is None:
            contest = self._contests[pool] = _Contest(FairShare())
            contest.shares.set_weights(self._weights)
        user = user_of_flow(flow)
        heappush(contest.heads.setdefault(user, []), entry)
        self._entered[flow] = (entry, pool)
        return user not in self._closed_users and contest.shares.activate(user)

    def _has_little(self, flow: int) -> bool:
        return self._under_way.get(user_of_flow(flow), 0) <= LITTLE and self._backlog.holds_at_most(flow, LITTLE)

    def _ended(self, flow: int, runs: int) -> None:
        user = user_of_flow(flow)
        left = self._under_way.pop(user, runs) - runs
        if left:
            self._under_way[user] = left
        if self._gates.ended(flow, runs):
            self._open_for(flow)

    def _open_for(self, flow: int) -> None:
        if self._closed.pop(flow, None) is not None:
            self._enter(flow)
        user = user_of_flow(flow)
        if self._closed_users.pop(user, None) is not None:
            self._activate(user)

    def _activate(self, user: int) -> None:
        for contest in self._contests.values():
            if contest.heads.get(user):
                contest.shares.activate(user)

    def _reopen(self, now: datetime) -> None:
        for flow in [flow for flow, until in self._closed.items() if until <= now]:
            del self._closed[flow]
            self._enter(flow)
        for user in [user for user, until in self._closed_users.items() if until <= now]:
            del self._closed_users[user]
            self._activate(user)


def _evenly(parts: list[list[JobRef]]) -> list[JobRef]:
    """Each part in its own order, and all of them alike from the first to the last."""
    if len(parts) == 1:
        return parts[0]
    refs = list(chain.from_iterable(parts))
    places = [(n + 0.5) / length for length in map(len, parts) for n in range(length)]
    return [refs[n] for n in sorted(range(len(refs)), key=places.__getitem__)]
