"""The backlog beside a store that has more than it may keep: nothing is forgotten, and a queue goes in its order."""

from __future__ import annotations

from datetime import timedelta

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from duetime.clock.manual import START
from duetime.engine.backlog import Backlog
from duetime.model.ids import flow_of
from duetime.store.port import JobRef, Wanted, place_of

FLOWS = (flow_of(1), flow_of(2))
ROOM = 3
MANY = 1000


class Reading(RuleBasedStateMachine):
    """Jobs come while queues are read, and are launched, come back, are moved and cancelled. All of them are due."""

    @initialize()
    def start(self) -> None:
        self.backlog = Backlog(per_flow=ROOM)
        self.store: dict[int, JobRef] = {}
        self.launched: dict[int, JobRef] = {}
        self.said: list[JobRef] = []
        """Every reference that there ever was."""
        self.asked: list[Wanted] = []
        self.seen: dict[int, list[JobRef]] = {}
        self.late: set[int] = set()
        self.next_id = 1

    @rule(flow=st.sampled_from(FLOWS), priority=st.integers(0, 2), due=st.integers(0, 3), count=st.integers(1, 4))
    def submit(self, flow: int, priority: int, due: int, count: int) -> None:
        for _ in range(count):
            at = START - timedelta(seconds=due)
            self._stored(JobRef(self.next_id, flow >> 32, flow, priority, at, 0, None, at))
            self.next_id += 1

    @rule(data=st.data(), priority=st.integers(0, 2), due=st.integers(0, 3))
    def edit(self, data: st.DataObject, priority: int, due: int) -> None:
        waiting = sorted(self.store.keys() - self.launched.keys())
        if waiting:
            ref = self.store[data.draw(st.sampled_from(waiting))]
            self._stored(ref._replace(priority=priority, due_at=START - timedelta(seconds=due)))

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        waiting = sorted(self.store.keys() - self.launched.keys())
        if waiting:
            job_id = data.draw(st.sampled_from(waiting))
            del self.store[job_id]
            self.backlog.forget([job_id])

    @rule()
    def ask(self) -> None:
        """A reading begins: what the store answers is what it has now."""
        if not self.asked:
            self.asked = [self.backlog.wanted(flow) for flow in self.backlog.running_low(shared=False)]
            self.seen = {one.flow: self._answer(one) for one in self.asked}

    @rule()
    def hear(self) -> None:
        """Its answer arrives."""
        for flow, limit, _ in self.asked:
            found = self.seen[flow]
            self.backlog.read(flow, found[-1] if len(found) >= limit else None)
            self.backlog.offer([ref for ref in found if self.store.get(ref.id) == ref], START)
        self.asked = []

    @rule()
    def lose(self) -> None:
        """The store was away."""
        self.asked = []

    @rule(flow=st.sampled_from(FLOWS), limit=st.integers(1, 4))
    def launch(self, flow: int, limit: int) -> None:
        if self.backlog.head(flow) is not None:
            for ref in self.backlog.pop(flow, limit):
                if self.store.get(ref.id) == ref:
                    self.launched[ref.id] = ref
                else:
                    assert ref.id in self.late, "what goes is what was stored last, but for late words"
                    self.backlog.forget([ref.id])

    @rule(data=st.data(), back=st.booleans())
    def end(self, data: st.DataObject, back: bool) -> None:
        """A run ends, or its job comes back to its queue for another attempt."""
        if self.launched:
            ref = self.launched.pop(data.draw(st.sampled_from(sorted(self.launched))))
            self.backlog.forget([ref.id])
            del self.store[ref.id]
            if back:
                self._stored(ref._replace(attempt=ref.attempt + 1))

    @rule(flow=st.sampled_from(FLOWS))
    def be_told(self, flow: int) -> None:
        """Another node stored something: a word of it comes."""
        self.backlog.incomplete.add(flow)
        self.backlog.read_from_heads([flow])
        self.asked = [one for one in self.asked if one.flow != flow]

    @rule(data=st.data())
    def hear_late(self, data: st.DataObject) -> None:
        """Word of a job comes as it once was: as `Due.heard` takes it in."""
        if self.said:
            ref = data.draw(st.sampled_from(self.said))
            self.late.add(ref.id)
            if self.backlog.differs(ref):
                self.be_told(ref.flow)
            else:
                self.backlog.offer([ref], START)

    @invariant()
    def nothing_is_forgotten(self) -> None:
        """Whatever waits is in memory, or its queue will be read from a place before it."""
        if not hasattr(self, "backlog"):
            return
        for ref in self.store.values():
            if ref.id not in self.launched and self.backlog._current.get(ref.id) != ref:
                assert ref.flow in self.backlog.incomplete, f"{ref} is forgotten"

    def teardown(self) -> None:
        """In the end everything goes, without any net."""
        if not hasattr(self, "backlog"):
            return
        self.hear()
        for _ in range(MANY):
            self.ask()
            self.hear()
            for flow in FLOWS:
                self.launch(flow, MANY)
            if not self.store.keys() - self.launched.keys():
                break
            for job_id in list(self.launched):
                self.backlog.forget([job_id])
                del self.store[job_id], self.launched[job_id]
        assert not self.store.keys() - self.launched.keys(), "these would never go"

    def _stored(self, ref: JobRef) -> None:
        self.store[ref.id] = ref
        self.said.append(ref)
        self.backlog.offer([ref], START)

    def _answer(self, wanted: Wanted) -> list[JobRef]:
        found = [ref for ref in self.store.values() if ref.flow == wanted.flow and ref.id not in self.launched]
        found = [ref for ref in found if wanted.after is None or place_of(ref) > wanted.after]
        return sorted(found, key=place_of)[: wanted.limit]


Reading.TestCase.settings = settings(max_examples=300, stateful_step_count=60, deadline=None)
TestReading = Reading.TestCase
