"""The backlog beside a store that has more than it may keep: nothing is forgotten, queues and lanes go in order."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.engine.lanes.in_memory import lane_position
from duetime.model.ids import flow_of, user_of_flow
from duetime.store.port import JobRef, Wanted, position_of

FLOWS = (flow_of(1), flow_of(1, 7), flow_of(2))
ROOM, FEW = 3, 2
MANY = 1000


class Reading(RuleBasedStateMachine):
    """Jobs come while queues are read, and are launched, come back, are moved and cancelled. All of them are due.

    Of some no word comes: those are found by looks at the first few of each queue. Jobs of one lane go one after the
    other. The store knows whose turn it is, and which of them wait until they are told; the rest is as `Turns` does it.
    """

    @initialize()
    def start(self) -> None:
        self.backlog = Backlog(per_flow=ROOM)
        self.store: dict[int, JobRef] = {}
        self.launched: dict[int, JobRef] = {}
        self.said: list[JobRef] = []
        """Every reference that there ever was."""
        self.asked: list[Wanted] = []
        self.seen: dict[int, list[JobRef]] = {}
        self.reading = ExitStack()
        self.told: set[int] = set()
        """Queues of which a word came while they were read."""
        self.peeked: dict[int, list[JobRef]] = {}
        self.peeking = ExitStack()
        self.unheard: set[int] = set()
        """Jobs of whose last change no word came."""
        self.late: set[int] = set()
        """Jobs of which a word came late, or none: it is known that what memory has of them may be out of date."""
        self.waiting: set[int] = set()
        """Jobs of lanes that are not ready: nobody reads them."""
        self.next_id = 1

    @rule(
        flow=st.sampled_from(FLOWS),
        priority=st.integers(0, 2),
        due=st.integers(0, 3),
        count=st.integers(1, 4),
        lane=st.sampled_from([None, None, "a", "b"]),
        heard=st.sampled_from([True, True, True, False]),
    )
    def submit(self, flow: int, priority: int, due: int, count: int, lane: str | None, heard: bool) -> None:
        for _ in range(count):
            at = START - timedelta(seconds=due)
            ref = JobRef(self.next_id, user_of_flow(flow), flow, priority, at, 0, lane, at)
            self.next_id += 1
            before = [one for one in self._lane(ref) if lane_position(one) < lane_position(ref)]
            if all(one.id not in self.waiting and _is_like(one, ref) for one in before):
                self._stored(ref, heard)
            else:
                self.store[ref.id] = ref
                self.waiting.add(ref.id)
                self._promote(ref)

    @rule(
        data=st.data(),
        priority=st.integers(0, 2),
        due=st.integers(0, 3),
        heard=st.sampled_from([True, True, True, False]),
    )
    def edit(self, data: st.DataObject, priority: int, due: int, heard: bool) -> None:
        waiting = sorted(self.store.keys() - self.launched.keys())
        if waiting:
            ref = self.store[data.draw(st.sampled_from(waiting))]
            ref = ref._replace(priority=priority, due_at=START - timedelta(seconds=due))
            if ref.id in self.waiting:
                self.store[ref.id] = ref._replace(execute_at=ref.due_at)
                self.late.add(ref.id)
            else:
                self._stored(ref if ref.lane is None else ref._replace(execute_at=ref.due_at), heard)
            self._promote(ref)

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        waiting = sorted(self.store.keys() - self.launched.keys())
        if waiting:
            job_id = data.draw(st.sampled_from(waiting))
            ref = self.store.pop(job_id)
            self.waiting.discard(job_id)
            self.backlog.release([job_id])
            self.late.add(job_id)
            self._promote(ref)

    @rule()
    def ask(self) -> None:
        """A reading begins: what the store answers is what it has now."""
        if not self.asked:
            self.asked = [self.backlog.next_read(flow) for flow in self.backlog.running_low(small=False)]
            self.seen = {one.flow: self._answer(one) for one in self.asked}
            self.under_way = self.reading.enter_context(self.backlog.reading())
            self.told.clear()

    @rule()
    def hear(self) -> None:
        """Its answer arrives."""
        self.reading.close()
        for flow, limit, _ in self.asked:
            found = self.seen[flow]
            if flow not in self.told:
                self.backlog.mark_read(flow, found[-1] if len(found) >= limit else None)
            self.backlog.offer(found, START, self.under_way)
        self.asked = []

    @rule()
    def lose(self) -> None:
        """The store was away."""
        self.reading.close()
        self.asked = []

    @rule()
    def peek(self) -> None:
        """The first few of each queue are asked for, beside whatever else is being read."""
        if not self.peeked:
            self.peeked = {flow: self._answer(Wanted(flow, FEW)) for flow in FLOWS}
            self.glance = self.peeking.enter_context(self.backlog.reading())

    @rule()
    def find(self) -> None:
        """Their answer arrives: as `Due` takes it in."""
        self.peeking.close()
        for flow, found in self.peeked.items():
            behind = [ref for ref in found if self.backlog.is_read_past(ref)]
            if self.backlog.offer(behind, START, self.glance) and len(behind) >= FEW:
                self.be_told(flow)
        self.peeked = {}

    @rule(flow=st.sampled_from(FLOWS), limit=st.integers(1, 4))
    def launch(self, flow: int, limit: int) -> None:
        if self.backlog.head(flow) is not None:
            popped = self.backlog.pop(flow, limit)
            lanes = [(ref.user_id, ref.lane) for ref in (*popped, *self.launched.values()) if ref.lane is not None]
            assert len(lanes) == len(set(lanes)), "two of one lane at a time"
            for ref in popped:
                if self.store.get(ref.id) != ref:
                    assert ref.id in self.late, f"{ref} is not what was stored last, and no word of it came late"
                    self._refused(ref)
                elif ref.lane is None or self._lane(ref)[0] == ref:
                    self.launched[ref.id] = ref
                else:
                    self._refused(ref)

    @rule(data=st.data(), back=st.booleans())
    def end(self, data: st.DataObject, back: bool) -> None:
        """A run ends, or its job comes back to its queue for another attempt."""
        if self.launched:
            job_id = data.draw(st.sampled_from(sorted(self.launched)))
            if back:
                ref = self.launched.pop(job_id)
                behind = self.backlog.drop_behind([job_id])
                self.backlog.release([job_id])
                self._stored(ref._replace(attempt=ref.attempt + 1), heard=True)
                self._hold_back(behind)
                if behind:
                    self._promote(ref)
            else:
                self._over(job_id)

    @rule(flow=st.sampled_from(FLOWS))
    def be_told(self, flow: int) -> None:
        """Another node stored something: a word of it comes."""
        self.backlog.incomplete.add(flow)
        self.backlog.read_from_heads([flow])
        self.told.add(flow)

    @rule(data=st.data())
    def hear_late(self, data: st.DataObject) -> None:
        """Word of a job comes as it once was: as `Due.heard` takes it in."""
        if self.said:
            ref = data.draw(st.sampled_from(self.said))
            self.late.add(ref.id)
            if self.backlog.differs(ref):
                self.be_told(ref.flow)
            else:
                self.backlog.offer([JobRef(*ref)], START)

    @invariant()
    def nothing_is_forgotten(self) -> None:
        """Whatever waits is in memory, or its queue will be read from a place before it."""
        if not hasattr(self, "backlog"):
            return
        for ref in self.store.values():
            if ref.id in self.launched or ref.id in self.unheard:
                continue
            if ref.id in self.waiting:
                lane = self._lane(ref)
                stands = not self.backlog.idle_lanes([(ref.user_id, ref.lane)])
                moves = stands or any(one.id in self.launched for one in lane)
                assert moves or lane[0].id not in self.waiting, f"nobody lets {lane[0]} go"
                continue
            if self.backlog._current.get(ref.id) != ref:
                assert ref.flow in self.backlog.incomplete, f"{ref} is forgotten"

    def teardown(self) -> None:
        """In the end everything goes."""
        if not hasattr(self, "backlog"):
            return
        for _ in range(MANY):
            self.hear()
            self.ask()
            if self.unheard:
                self.find()
                self.peek()
            for flow in FLOWS:
                self.launch(flow, MANY)
            if not self.store.keys() - self.launched.keys():
                break
            for job_id in list(self.launched):
                self._over(job_id)
        assert not self.store.keys() - self.launched.keys(), "these would never go"

    def _stored(self, ref: JobRef, heard: bool) -> None:
        self.store[ref.id] = ref
        if not heard:
            self.unheard.add(ref.id)
            self.late.add(ref.id)
            return
        self.unheard.discard(ref.id)
        self.said.append(ref)
        self.backlog.stored([ref])
        self.backlog.offer([JobRef(*ref)], START)

    def _over(self, job_id: int) -> None:
        ref = self.launched.pop(job_id)
        del self.store[job_id]
        self.backlog.release([job_id])
        goes_on = ref.lane is not None and not self.backlog.idle_lanes([(ref.user_id, ref.lane)])
        if not goes_on and any(one.id in self.waiting for one in self._lane(ref)):
            self._promote(ref)

    def _refused(self, ref: JobRef) -> None:
        behind = self.backlog.drop_behind([ref.id])
        self.backlog.release([ref.id])
        if ref.lane is not None:
            self._hold_back([ref, *behind])
            self._promote(ref, but=ref)

    def _hold_back(self, refs: list[JobRef]) -> None:
        for ref in refs:
            lane = self._lane(ref)
            taken = any(one.id in self.launched and one.id != ref.id for one in lane)
            if ref.id in self.store and (taken or lane[0].id != ref.id):
                self.waiting.add(ref.id)

    def _promote(self, ref: JobRef, but: JobRef | None = None) -> None:
        lane = self._lane(ref)
        if not lane or any(one.id in self.launched for one in lane):
            return
        behind = [one for one in lane[1:4] if _is_like(lane[0], one)] if lane[0].id in self.waiting else []
        for one in (lane[0], *behind):
            self.waiting.discard(one.id)
            if one != but or one != lane[0]:
                self.unheard.discard(one.id)
                self.said.append(one)
                self.backlog.stored([one])
                self.backlog.offer([JobRef(*one)], START)

    def _lane(self, ref: JobRef) -> list[JobRef]:
        if ref.lane is None:
            return []
        lane = [one for one in self.store.values() if (one.user_id, one.lane) == (ref.user_id, ref.lane)]
        return sorted(lane, key=lane_position)

    def _answer(self, wanted: Wanted) -> list[JobRef]:
        out = self.launched.keys() | self.waiting
        found = [ref for ref in self.store.values() if ref.flow == wanted.flow and ref.id not in out]
        found = [ref for ref in found if wanted.after is None or position_of(ref) > wanted.after]
        return [JobRef(*ref) for ref in sorted(found, key=position_of)[: wanted.limit]]


def _is_like(before: JobRef, ref: JobRef) -> bool:
    return (before.flow, before.priority) == (ref.flow, ref.priority) and before.due_at <= ref.due_at


Reading.TestCase.settings = settings(max_examples=300, stateful_step_count=60, deadline=None)
TestReading = Reading.TestCase
