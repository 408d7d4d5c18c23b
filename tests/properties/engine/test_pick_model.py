"""Pick against a slow and obvious model: order, limits, nobody starved, nothing forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import Pick
from duetime.model.ids import flow_of
from duetime.model.policy import Limit
from duetime.store.port import JobRef

USERS = (1, 2, 3)
CONCURRENCY = {1: 2, 2: 3}
"""Definition 1 may run two at a time, definition 2 three; definition 0 has no limits."""


class Picking(RuleBasedStateMachine):
    """Jobs come, go, are edited and end, in any order."""

    @initialize(weights=st.tuples(*[st.sampled_from([0.5, 1.0, 3.0])] * 3))
    def start(self, weights: tuple[float, float, float]) -> None:
        self.now = START
        self.weights = dict(zip(USERS, weights, strict=True))
        self.backlog = Backlog()
        gates = Gates(lambda one: Limit(max_concurrency=CONCURRENCY[one]))
        self.pick = Pick(self.backlog, gates)
        self.pick.set_weights(self.weights)
        self.waiting: dict[int, JobRef] = {}
        self.running: dict[int, JobRef] = {}
        self.next_id = 1

    @rule(
        user=st.sampled_from(USERS),
        definition=st.sampled_from([0, 0, 1, 2]),
        priority=st.integers(0, 9),
        due=st.integers(-5, 5),
        count=st.integers(1, 5),
    )
    def submit(self, user: int, definition: int, priority: int, due: int, count: int) -> None:
        for _ in range(count):
            at = self.now + timedelta(seconds=due)
            ref = JobRef(self.next_id, user, flow_of(user, definition), priority, at, 0, None, at)
            self.next_id += 1
            self.waiting[ref.id] = ref
            self.pick.wake(self.backlog.offer([ref], self.now))

    @rule(data=st.data(), due=st.integers(-5, 5), priority=st.integers(0, 9))
    def edit(self, data: st.DataObject, due: int, priority: int) -> None:
        if self.waiting:
            job_id = data.draw(st.sampled_from(sorted(self.waiting)))
            at = self.now + timedelta(seconds=due)
            ref = self.waiting[job_id]._replace(due_at=at, priority=priority)
            self.waiting[job_id] = ref
            self.pick.wake(self.backlog.offer([ref], self.now))

    @rule(seconds=st.integers(1, 4))
    def pass_time(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.pick.wake(self.backlog.ripen(self.now))

    @rule(limit=st.integers(1, 8))
    def take(self, limit: int) -> None:
        taken = self.pick.pick(limit, self.now)
        for ref in taken:
            assert self.waiting.pop(ref.id) == ref, "what goes is what was asked for last"
            assert ref.due_at <= self.now, "never early"
            self._first_of_its_user(ref)
            self.running[ref.id] = ref
            self._within_limits()
        if len(taken) < limit:
            assert not self._could_go(), "whoever could go, goes while there is room"

    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        if self.running:
            job_id = data.draw(st.sampled_from(sorted(self.running)))
            del self.running[job_id]
            self.pick.release([job_id])

    @rule()
    def hear_again(self) -> None:
        """The store is read again: repeats must not double anything."""
        self.pick.wake(self.backlog.offer([*self.waiting.values(), *self.running.values()], self.now))

    @invariant()
    def known(self) -> None:
        assert self.backlog.launched == set(getattr(self, "running", {}))

    def _count(self, flow: int) -> int:
        return sum(ref.flow == flow for ref in self.running.values())

    def _within_limits(self) -> None:
        for user in USERS:
            for definition, limit in CONCURRENCY.items():
                assert self._count(flow_of(user, definition)) <= limit

    def _open(self, flow: int) -> bool:
        limit = CONCURRENCY.get(flow & 0xFFFFFFFF)
        return limit is None or self._count(flow) < limit

    def _could_go(self) -> list[JobRef]:
        return [ref for ref in self.waiting.values() if ref.due_at <= self.now and self._open(ref.flow)]

    def _first_of_its_user(self, ref: JobRef) -> None:
        def order(one: JobRef) -> tuple[int, datetime, int]:
            return (-one.priority, one.due_at, one.id)

        rivals = [one for one in self._could_go() if one.user_id == ref.user_id]
        assert all(order(ref) < order(one) for one in rivals), "within a user: priority, due instant, id"


TestPicking = Picking.TestCase
TestPicking.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
