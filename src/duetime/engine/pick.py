"""Who goes next: weighted fair share between users, then priority, due instant and id within a user. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from heapq import heappop, heappush

from duetime.engine.backlog import Backlog
from duetime.engine.fair_share import FairShare
from duetime.engine.gates import UNTIL_ONE_ENDS, Gates
from duetime.model.flow import limited_definition
from duetime.model.ids import user_of_flow
from duetime.store.port import JobRef

Head = tuple[int, datetime, int, int]
"""The first of a queue: minus priority, due instant, id, and the queue; compares in the order of going."""


class Pick:
    """Takes jobs out of the backlog in fair order, past every gate that is open."""

    def __init__(self, backlog: Backlog, shares: FairShare, gates: Gates) -> None:
        self._backlog, self._shares, self._gates = backlog, shares, gates
        self._heads: dict[int, list[Head]] = {}
        self._entered: dict[int, Head] = {}
        """For each queue, the entry with which it stands in its user's heads."""
        self._closed: dict[int, datetime] = {}
        """Queues behind a gate, with the instant at which it opens."""
        self._closed_users: dict[int, datetime] = {}
        self.somebody_new = False
        """Whether a user who had nothing to send has something since the last take, beside others who have."""

    def clear(self) -> None:
        """Forget what waits; the backlog was cleared."""
        self._heads.clear()
        self._entered.clear()
        self._closed.clear()
        self._closed_users.clear()

    def wake(self, flows: Iterable[int]) -> None:
        """These queues have something due."""
        for flow in flows:
            if flow not in self._closed:
                self._enter(flow)

    def take(self, limit: int, now: datetime) -> list[JobRef]:
        """At most so many jobs, fairest first."""
        self._reopen(now)
        self.somebody_new = False
        taken: list[JobRef] = []
        shares, gates = self._shares, self._gates
        while len(taken) < limit and (user := shares.peek()) is not None:
            until = gates.user_closed_until(user, now)
            if until is not None:
                self._closed_users[user] = until
                shares.retire()
                continue
            ref = self._first_of(user, now)
            if ref is None:
                shares.retire()
                continue
            gates.passed(user, ref.flow)
            shares.charge()
            taken.append(ref)
        return taken

    def let_go(self, job_ids: Iterable[int]) -> None:
        """These runs are over, or never were: their places are free again."""
        for ref in self._backlog.forget(job_ids):
            self.ended(ref.flow)

    def ended(self, flow: int) -> None:
        """A run of this queue is over."""
        if self._gates.ended(flow):
            self._open_for(flow)

    def learned(self, definitions: set[int]) -> None:
        """The limits of these definitions are known now."""
        for flow in [flow for flow in self._closed if limited_definition(flow) in definitions]:
            self._open_for(flow)

    def reconsider(self, flow: int) -> None:
        """A gate of this queue may have opened, or will open at another instant."""
        self._open_for(flow)

    @property
    def waiting(self) -> bool:
        """Whether anybody who may send has work."""
        return self._shares.peek() is not None

    def next_opening(self) -> datetime | None:
        """The next instant at which a gate opens by itself."""
        instants = [*self._closed.values(), *self._closed_users.values()]
        earliest = min(instants, default=UNTIL_ONE_ENDS)
        return None if earliest == UNTIL_ONE_ENDS else earliest

    def _first_of(self, user: int, now: datetime) -> JobRef | None:
        heads, backlog = self._heads.get(user), self._backlog
        while heads:
            entry = heappop(heads)
            flow = entry[3]
            if self._entered.get(flow) != entry:
                continue
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
            ref = backlog.pop(flow)
            self._enter(flow)
            return ref
        self._heads.pop(user, None)
        return None

    def _enter(self, flow: int) -> None:
        first = self._backlog.head(flow)
        if first is None:
            return
        entry = (first[0], first[1], first[2], flow)
        if self._entered.get(flow) == entry:
            return
        user = user_of_flow(flow)
        heappush(self._heads.setdefault(user, []), entry)
        self._entered[flow] = entry
        if user not in self._closed_users and self._shares.activate(user):
            self.somebody_new = True

    def _open_for(self, flow: int) -> None:
        if self._closed.pop(flow, None) is not None:
            self._enter(flow)
        user = user_of_flow(flow)
        if self._closed_users.pop(user, None) is not None and self._heads.get(user):
            self._shares.activate(user)

    def _reopen(self, now: datetime) -> None:
        for flow in [flow for flow, until in self._closed.items() if until <= now]:
            del self._closed[flow]
            self._enter(flow)
        for user in [user for user, until in self._closed_users.items() if until <= now]:
            del self._closed_users[user]
            if self._heads.get(user):
                self._shares.activate(user)
