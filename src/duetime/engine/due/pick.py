"""Which jobs launch next: weighted fair share between users; within a user priority, due instant and id. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from heapq import heappop, heappush
from itertools import chain
from math import ceil

from duetime.engine.due.backlog import Backlog
from duetime.engine.due.contests import Contest, Picked, PoolContests, Room
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.flow_backlog import Head
from duetime.engine.due.gates import UNTIL_ONE_ENDS, Gates
from duetime.engine.due.slot_share import SlotShare
from duetime.engine.lanes.in_memory import Lane
from duetime.model.flow import PART, limited_definition
from duetime.model.ids import user_of_flow
from duetime.model.labels import ANY
from duetime.model.policy import Limit
from duetime.store.port import JobRef

LITTLE = 16
"""A light user has at most this many jobs waiting and under way: few enough to keep batches small for them."""


class Pick:
    """Picks jobs from the backlog in fair order, through every gate that is open. Each pool has its own shares."""

    def __init__(
        self,
        backlog: Backlog,
        gates: Gates,
        pool_of: Callable[[int], str | None] = lambda flow: ANY,
        takes_slot: Callable[[int], bool] = lambda flow: False,
        contests: Callable[[str], PoolContests] = lambda pool: PoolContests(FairShare(), SlotShare()),
    ) -> None:
        """`pool_of` answers from memory: None if a flow's definition must be looked up first.

        `takes_slot` says whether the runs of a flow other than the plain one take a slot. `contests` makes the
        competitions for a pool.
        """
        self._backlog, self._gates, self._pool_of = backlog, gates, pool_of
        self._takes_slot, self._contests = takes_slot, contests
        self._weights: Mapping[int, float] = {}
        self._pools = {ANY: contests(ANY)}
        self._slots_held: dict[int, tuple[PoolContests, int]] = {}
        """For each picked job whose run takes a slot, the pool and the user, until the slot is free."""
        self._entered: dict[int, tuple[Head, str]] = {}
        """For each flow, its entry among its user's heads, and the pool."""
        self._closed: dict[int, datetime] = {}
        """Flows behind a closed gate, with the instant at which it opens."""
        self._closed_users: dict[int, datetime] = {}
        self._under_way: dict[int, int] = {}
        """How many jobs of each user are picked and not released."""
        self.light_user_arrived = False
        """Whether, since the last pick, a light user without due jobs got some while other users have due jobs."""

    def clear(self) -> None:
        """Forget the waiting jobs: the backlog was cleared."""
        for pool in self._pools.values():
            for contest in pool.contests:
                contest.heads.clear()
        self._entered.clear()
        self._closed.clear()
        self._closed_users.clear()

    def set_weights(self, weights: Mapping[int, float]) -> None:
        """Replace the users' weights. The new ones count from the next job on."""
        self._weights = weights
        for pool in self._pools.values():
            pool.instant.set_weights(weights)
            pool.slots.set_weights(weights)

    def set_user_limits(self, limits: Mapping[int, Limit], now: datetime) -> bool:
        """Replace the users' limits. Returns whether jobs that the old limits held back may launch now."""
        changed = self._gates.set_user_limits(limits, now, lambda user: self._under_way.get(user, 0))
        waited = [user for user in changed if self._closed_users.pop(user, None) is not None]
        for user in waited:
            self._activate(user)
        return bool(waited)

    def regroup(self) -> None:
        """Assign every flow to its pool again: required labels have changed."""
        self.clear()
        self.wake(self._backlog.flows())

    def wake(self, flows: Iterable[int], *, arrived: bool = True) -> None:
        """Let flows with due jobs compete; `arrived` unless these jobs only follow others in their lanes."""
        for flow in flows:
            if flow not in self._closed and self._enter(flow) and arrived:
                self.light_user_arrived = self.light_user_arrived or self._is_light(flow)

    def pools(self) -> list[str]:
        """Returns the pools with due jobs. Those that require labels are first: few executors can serve them."""
        if len(self._pools) > 1:
            for name in [name for name, pool in self._pools.items() if name != ANY and not pool.wanted]:
                del self._pools[name]
        return [*(name for name in self._pools if name != ANY), ANY]

    def pick(self, limit: int, now: datetime, pool: str = ANY) -> list[JobRef]:
        """Pick at most `limit` jobs for a pool, fairest first."""
        return self.batch(limit, now, pool, Room(limit, limit, limit)).jobs

    def batch(self, limit: int, now: datetime, pool: str, room: Room) -> Picked:
        """Pick at most `limit` jobs for a pool that has this room, fairest first.

        Jobs for slots and jobs without compete apart. Where a batch cannot have all of them, each part of it is as
        large as the weights of its users.
        """
        self._reopen(now)
        self.light_user_arrived = False
        competing = self._pools.get(pool)
        if competing is None:
            return Picked([], ())
        instant, slots = dict[int, list[JobRef]](), dict[int, list[JobRef]]()
        first = 0
        if competing.slots.wanted and room.slots > 0:
            competing.slots.begin(room.free)
            weight = competing.slots.weight
            part = weight / (weight + competing.instant.weight) if weight else 0.0
            first = self._fill(competing.for_slots, min(room.slots, ceil(limit * part)), now, slots)
        taken = first + self._fill(competing.for_instant, min(room.instant, limit - first), now, instant)
        if slots:
            self._fill(competing.for_slots, min(room.slots - first, limit - taken), now, slots)
        for picked in (instant, slots):
            for user, refs in picked.items():
                self._under_way[user] = self._under_way.get(user, 0) + len(refs)
        if not slots:
            return Picked(_evenly(list(instant.values())), ())
        taking_slots = list(chain.from_iterable(slots.values()))
        self._slots_held.update((ref.id, (competing, ref.user_id)) for ref in taking_slots)
        return Picked(_evenly([*slots.values(), *instant.values()]), [ref.id for ref in taking_slots])

    def _fill(self, contest: Contest, most: int, now: datetime, picked: dict[int, list[JobRef]]) -> int:
        """Pick at most so many jobs of one competition. Returns how many."""
        shares, gates, left = contest.shares, self._gates, most
        if isinstance(shares, FairShare):
            shares.begin()
        while left > 0 and (user := shares.peek()) is not None:
            until = gates.user_closed_until(user, now)
            if until is not None:
                self._closed_users[user] = until
                shares.retire()
                continue
            most_of_user = gates.room_of_user(user, shares.allowance(left))
            refs = self._first_of(user, most_of_user, now, contest)
            if not refs:
                shares.retire()
                continue
            gates.passed(user, refs[0].flow, len(refs))
            shares.charge(len(refs))
            left -= len(refs)
            picked.setdefault(user, []).extend(refs)
        return most - left

    def release(self, job_ids: Iterable[int]) -> None:
        """Free the limits of jobs that ended or were not launched, and let the next jobs of their lanes compete."""
        if self._slots_held:
            job_ids = list(job_ids)
            self.free_slots(job_ids)
        picked_from, woken = self._backlog.release(job_ids)
        for flow, runs in Counter(picked_from).items():
            self._ended(flow, runs)
        if woken:
            self.wake(woken, arrived=False)

    def free_slots(self, job_ids: Iterable[int]) -> None:
        """Free the slots of jobs whose runs ended, before these are settled. Repeats are harmless."""
        held = self._slots_held
        freed = [one for job_id in job_ids if (one := held.pop(job_id, None)) is not None] if held else []
        for (pool, user), runs in Counter(freed).items():
            pool.slots.ended(user, runs)

    def release_blocking(self, job_ids: Collection[int]) -> list[JobRef]:
        """As `release`, but drop the jobs behind these in their lanes. Returns them, as far as memory has them."""
        behind = self._backlog.drop_behind(job_ids)
        self.release(job_ids)
        return behind

    def idle_lanes(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Returns those of these lanes that have no head in memory. For the others, the store is asked later."""
        return self._backlog.idle_lanes(lanes)

    def learned(self, definitions: set[int]) -> None:
        """Reopen the flows of these definitions: their limits and required labels are known now."""
        for flow in [flow for flow in self._closed if limited_definition(flow) in definitions]:
            self._open_for(flow)

    def reconsider(self, flow: int) -> None:
        """Check a flow's gates again: one may have opened, or opens at another instant than before."""
        self._open_for(flow)

    @property
    def waiting(self) -> bool:
        """Whether a user that may launch has due jobs."""
        return any(pool.instant.peek() is not None or pool.slots.active for pool in self._pools.values())

    def waits_for_slots(self, pool: str, *, free: bool) -> bool:
        """Whether users wait for other slots than those of this process; `free`: some of these are free.

        Then only users that hold too much of all slots wait.
        """
        competing = self._pools.get(pool)
        return competing is not None and (competing.slots.beyond if free else competing.slots.wanted)

    @property
    def closed_flows(self) -> Collection[int]:
        """Flows with due jobs behind a closed gate of their own."""
        return self._closed.keys()

    @property
    def closed_users(self) -> Collection[int]:
        """Users with due jobs who have reached their limit."""
        return self._closed_users.keys()

    def waiting_for_slots(self) -> dict[str, Collection[int]]:
        """Returns the pools for whose slots users wait, each with the users that hold too much of its slots."""
        return {name: pool.slots.users_beyond for name, pool in self._pools.items() if pool.slots.wanted}

    def next_opening(self) -> datetime | None:
        """Returns the next instant at which a gate opens by itself."""
        instants = [*self._closed.values(), *self._closed_users.values()]
        earliest = min(instants, default=UNTIL_ONE_ENDS)
        return None if earliest == UNTIL_ONE_ENDS else earliest

    def _first_of(self, user: int, most: int, now: datetime, contest: Contest) -> list[JobRef]:
        """Pick the next jobs of a user: at most `most`, all of one flow."""
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
            refs = backlog.pop(flow, 1 if self._gates.limits_flow(flow) else most, self._first_head(heads))
            self._enter(flow)
            return refs
        contest.heads.pop(user, None)
        return []

    def _first_head(self, heads: list[Head]) -> Head | None:
        """Returns the first head of a user's flows. Drops outdated entries on the way."""
        while heads:
            entered = self._entered.get(heads[0][3])
            if entered is not None and entered[0] == heads[0]:
                return heads[0]
            heappop(heads)
        return None

    def _enter(self, flow: int) -> bool:
        """Enter a flow's head for its user. Returns whether the user had nothing to launch before while others have."""
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
        competing = self._pools.get(pool)
        if competing is None:
            competing = self._pools[pool] = self._contests(pool)
            competing.instant.set_weights(self._weights)
            competing.slots.set_weights(self._weights)
        user = user_of_flow(flow)
        contest = competing.for_slots if flow & PART and self._takes_slot(flow) else competing.for_instant
        heappush(contest.heads.setdefault(user, []), entry)
        self._entered[flow] = (entry, pool)
        return user not in self._closed_users and contest.shares.activate(user) and competing.has_others(user)

    def _is_light(self, flow: int) -> bool:
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
        for pool in self._pools.values():
            for contest in pool.contests:
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
    """Merge the parts: each keeps its order, and is spread evenly from the first to the last."""
    if len(parts) == 1:
        return parts[0]
    refs = list(chain.from_iterable(parts))
    fractions = [(n + 0.5) / length for length in map(len, parts) for n in range(length)]
    return [refs[n] for n in sorted(range(len(refs)), key=fractions.__getitem__)]
