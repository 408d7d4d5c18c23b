"""Closed gates made visible: a scheduler publishes what holds its due jobs back, and learns which breakers to reset."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from duetime.engine.due.gates import Gates
from duetime.engine.due.host_watch import HostWatch
from duetime.engine.due.pick import Pick
from duetime.engine.node.context import NodeContext
from duetime.engine.signal import Signal
from duetime.model.gate import ClosedGate, GateKind
from duetime.model.ids import NodeId, user_of_flow
from duetime.store.port import GateStore

MOST = 1000
"""How many gates of a kind one scheduler publishes."""

_Key = tuple[GateKind, int, int, str]


class PublishGates:
    """Writes the closed gates when they have changed. While nothing is closed, it neither writes nor reads."""

    def __init__(
        self,
        store: GateStore,
        node: NodeContext,
        gates: Gates,
        pick: Pick,
        hosts: HostWatch,
        waiting_for_slots: Callable[[], set[tuple[str, int]]],
        more: Signal,
    ) -> None:
        """`waiting_for_slots` returns the pools without a slot for a user, or for user 0: for all.

        `more` is raised after a reset.
        """
        self._store, self._ownership, self._clock = store, node.ownership, node.clock
        self._gates, self._pick, self._hosts, self._more = gates, pick, hosts, more
        self._waiting_for_slots = waiting_for_slots
        self._node = NodeId(0)
        self._published: list[ClosedGate] = []
        self._full: set[tuple[str, int]] = set()
        self.nudge: Callable[[], None] = lambda: None
        """Runs this soon: a breaker has changed, or a person wants one reset."""
        hosts.changed = lambda: self.nudge()
        node.hints.listen("breakers", lambda _: self.nudge())

    async def run_once(self) -> None:
        """Publish what has changed, and carry out resets."""
        for flow in await self._publish():
            self._hosts.reset(flow, self._clock.now())
            self._more()

    async def _publish(self) -> list[int]:
        """Publish. Returns the flows of breakers to reset."""
        node, closed = self._ownership.node, self._closed(self._clock.now())
        if closed == self._published and (node == self._node or not closed):
            breakers = any(gate.kind == "breaker" for gate in closed)
            return await self._store.reset_requests(node) if breakers else []
        resets = await self._store.publish(node, closed)
        self._node, self._published = node, closed
        return resets

    def _closed(self, now: datetime) -> list[ClosedGate]:
        since = {(gate.kind, gate.user_id, gate.flow, gate.name): gate.since for gate in self._published}
        breakers = [
            ClosedGate("breaker", user_of_flow(flow), flow, one.host, one.since, self._next_probe(flow), one.failures)
            for flow, one in self._hosts.open.items()
        ]
        reached = [*self._limits_of_flows(now)[:MOST], *self._limits_of_users(now)[:MOST], *self._slots()]
        return [*breakers[:MOST], *(ClosedGate(*key, since.get(key, now)) for key in reached)]

    def _next_probe(self, flow: int) -> datetime | None:
        breaker = self._gates.breaker(flow)
        return None if breaker is None else breaker.next_probe

    def _limits_of_flows(self, now: datetime) -> list[_Key]:
        found: list[_Key] = []
        for flow in self._pick.closed_flows:
            bound = self._gates.reached_by_flow(flow, now)
            if bound is not None:
                found.append(("definition_limit", user_of_flow(flow), flow, bound))
        return sorted(found)

    def _limits_of_users(self, now: datetime) -> list[_Key]:
        found: list[_Key] = []
        for user in self._pick.closed_users:
            bound = self._gates.reached_by_user(user, now)
            if bound is not None:
                found.append(("user_limit", user, 0, bound))
        return sorted(found)

    def _slots(self) -> list[_Key]:
        """Returns the pools that are full now and were full the last time: for a moment, a busy pool always is."""
        before, self._full = self._full, self._waiting_for_slots()
        full: list[_Key] = [("slots", user, 0, pool) for pool, user in sorted(before & self._full)]
        return full[:MOST]
