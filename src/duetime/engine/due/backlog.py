"""Jobs that are due, or due soon: a bounded number of small references in memory. The store has the rest. Pure."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime
from heapq import heappop, heappush
from itertools import count

from duetime.engine.due.changes_during_read import ChangesDuringRead
from duetime.engine.due.flow_backlog import Entry, FlowBacklog
from duetime.engine.lanes.in_memory import Lane, Lanes, goes_before
from duetime.store.port import JobRef, Position, Wanted, position_of

PER_FLOW = 4000
"""How many due jobs of one flow are kept in memory. A flow with more is read on when it runs low."""
SMALL = 400
"""The same while batches are small: small reads, so that a light user's job does not wait long behind one."""
IN_ALL, LEAST = 60_000, 100
"""How many due jobs are kept of all flows with more together, and how many of each at least, even if these are many."""
UPCOMING = 15_000
"""How many jobs that are not yet due are kept in memory. A job that finds no room is read again later."""
RIPE_AT_ONCE = 1000
"""How many of these enter their flows in one round, if more come due together: other work runs between rounds."""


class Backlog:
    """Jobs that wait for their due instant, and due jobs by flow.

    A reference that is superseded (its job was edited) stays where it is, and is skipped when it reaches the front:
    `_current` has the reference that counts.
    """

    def __init__(self, per_flow: int = PER_FLOW, upcoming: int = UPCOMING) -> None:
        self._most, self._small, self._per_flow, self._room = per_flow, min(SMALL, per_flow), per_flow, upcoming
        self._current: dict[int, JobRef] = {}
        """For each waiting job, the reference that counts."""
        self._order = count()
        """Distinguishes entries of one job: references do not compare, because a lane may be missing."""
        self._upcoming: list[tuple[datetime, int, int, JobRef]] = []
        self._flows: dict[int, FlowBacklog] = {}
        self._lanes = Lanes()
        self._launched: dict[int, JobRef] = {}
        """Jobs that are picked and not settled."""
        self.incomplete: set[int] = set()
        """Flows that have more due jobs in the store than in memory."""
        self._read_to: dict[int, Position] = {}
        """How far each of these was read, from its head and without a gap."""
        self._dropped: dict[int, Position] = {}
        """The first position in each of these, if any, that found no room since the flow's last read began."""
        self._readings: list[ChangesDuringRead] = []
        """Reads of the store that are under way."""
        self.missed: datetime | None = None
        """The earliest due instant of an upcoming job that found no room."""

    def clear(self) -> None:
        """Forget all jobs except those in flight."""
        self._current.clear()
        self._upcoming.clear()
        self._flows.clear()
        self._lanes.clear(self._launched)
        self.incomplete.clear()
        self.missed = None
        self._read_to.clear()
        self._dropped.clear()

    @contextmanager
    def reading(self) -> Generator[ChangesDuringRead]:
        """Record what changes in memory while the store is read. Pass the record to `offer` with the store's answer.

        Without it, a job that launches and ends during a read from its flow's head comes back as if it waited. It is
        picked again, charged to its user, and refused by the store: the user loses that much of its share.
        """
        reading = ChangesDuringRead()
        self._readings.append(reading)
        try:
            yield reading
        finally:
            self._readings.remove(reading)

    def stored(self, refs: Sequence[JobRef]) -> None:
        """Note jobs that this process stored and offers next: the answer to a read under way may be older."""
        for reading in self._readings:
            reading.stored.update(ref.id for ref in refs)

    def offer(self, refs: Iterable[JobRef], now: datetime, reading: ChangesDuringRead | None = None) -> set[int]:
        """Add references. Returns the flows that have a due job because of it. Repeats are harmless.

        A reference for an earlier attempt than the known one is ignored: it was read before that attempt began.
        """
        if reading is not None and (reading.ended or reading.stored):
            refs = [ref for ref in refs if not reading.outdates(ref)]
        woken: set[int] = set()
        current, launched = self._current, self._launched
        for ref in refs:
            job_id = ref[0]
            known = current.get(job_id)
            if job_id in launched or (known is not None and (known == ref or known.attempt > ref.attempt)):
                continue
            if known is not None:
                del current[job_id]
                self._end(known)
                if known.lane is not None:
                    self._leave(known, woken)
            if ref.due_at > now:
                self._wait(ref)
            elif self._enter_flow(ref) if ref.lane is None else self._enter_lane(ref):
                woken.add(ref.flow)
        return woken

    def differs(self, ref: JobRef) -> bool:
        """Whether memory has another reference for the job, and not one of a later attempt."""
        known = self._known(ref.id)
        return known is not None and known != ref and known.attempt <= ref.attempt

    def ripen(self, now: datetime) -> set[int]:
        """Move jobs that have come due into their flows, some at a time, the earliest first. Returns these flows."""
        woken: set[int] = set()
        upcoming, current = self._upcoming, self._current
        for _ in range(min(RIPE_AT_ONCE, len(upcoming))):
            if upcoming[0][0] > now:
                break
            _, job_id, _, ref = heappop(upcoming)
            if current.get(job_id) is ref:
                del current[job_id]
                if self._enter_flow(ref) if ref.lane is None else self._enter_lane(ref):
                    woken.add(ref.flow)
        return woken

    def next_due(self) -> datetime | None:
        """Returns the next instant at which a job comes due."""
        upcoming = self._upcoming
        while upcoming and self._current.get(upcoming[0][1]) is not upcoming[0][3]:
            heappop(upcoming)
        return upcoming[0][0] if upcoming else None

    def head(self, flow: int) -> Entry | None:
        """Returns the head of a flow."""
        waiting = self._flows.get(flow)
        if waiting is None:
            return None
        current = self._current
        while waiting:
            entry = waiting.head()
            if current.get(entry[2]) is entry[4]:
                return entry
            waiting.pop(1)
        del self._flows[flow]
        return None

    def holds_at_most(self, flow: int, most: int) -> bool:
        """Whether a flow has at most `most` due jobs, in memory and in the store together."""
        return flow not in self.incomplete and len(self._flows.get(flow, ())) <= most

    def oldest(self) -> datetime | None:
        """Returns the earliest due instant among the heads of all flows: a quick measure of how late launches are."""
        heads = (self.head(flow) for flow in list(self._flows))
        return min((head[1] for head in heads if head is not None), default=None)

    def pop(self, flow: int, limit: int = 1, before: tuple[int, datetime, int, int] | None = None) -> list[JobRef]:
        """Pick the first jobs of a flow: at most `limit`, and only those before a position."""
        picked: list[JobRef] = []
        waiting, current, launched = self._flows[flow], self._current, self._launched
        while len(picked) < limit and (entries := waiting.pop(limit - len(picked), before)):
            for _, _, job_id, _, ref in entries:
                known = current.pop(job_id, None)
                if known is ref:
                    launched[job_id] = ref
                    picked.append(ref)
                elif known is not None:
                    current[job_id] = known
        return picked

    def release(self, job_ids: Iterable[int]) -> tuple[list[int], set[int]]:
        """Forget jobs that are settled, or were not launched.

        Returns the flow of each that was picked, and the flows that the next job of a lane has entered.
        """
        picked_from: list[int] = []
        woken: set[int] = set()
        current, launched, readings = self._current, self._launched, self._readings
        for job_id in job_ids:
            ref = launched.pop(job_id, None)
            if ref is not None:
                picked_from.append(ref.flow)
            elif (ref := current.pop(job_id, None)) is None:
                continue
            if readings:
                self._end(ref)
            if ref.lane is not None:
                self._leave(ref, woken)
        return picked_from, woken

    def drop_behind(self, job_ids: Iterable[int]) -> list[JobRef]:
        """Forget the jobs behind these in their lanes, which must not launch next. Returns the forgotten jobs."""
        refs = [ref for ref in map(self._known, job_ids) if ref is not None and ref.lane is not None]
        dropped = [one for ref in refs for one in self._lanes.drop_behind(ref)]
        for one in dropped:
            del self._current[one.id]
            self._end(one)
        return dropped

    def attempt(self, job_id: int) -> int | None:
        """Returns the attempt for which a job is picked; None if it is not picked."""
        ref = self._launched.get(job_id)
        return None if ref is None else ref.attempt + 1

    def idle_lanes(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Returns those of these lanes that have no head in memory."""
        return self._lanes.idle(lanes)

    def flows(self) -> list[int]:
        """Returns the flows that have a due job in memory."""
        return list(self._flows)

    def running_low(self, *, small: bool) -> list[int]:
        """Returns the flows to read on."""
        if not self.incomplete:
            return []
        self._per_flow = min(self._small if small else self._most, max(LEAST, IN_ALL // len(self.incomplete)))
        # A flow beside others must not run dry while the store is read; a read from the head repeats what memory has.
        eighths = 2 if len(self.incomplete) == 1 else 4
        low, low_at_head = self._per_flow * (eighths + 2) // 8, self._per_flow * eighths // 8
        flows, read_to = self._flows, self._read_to
        return [
            flow for flow in self.incomplete if len(flows.get(flow, ())) <= (low if flow in read_to else low_at_head)
        ]

    def next_read(self, flow: int) -> Wanted:
        """Returns what to read of a flow: on from where the last read ended, or from the first job dropped since."""
        read_to, dropped = self._read_to.get(flow), self._dropped.pop(flow, None)
        if read_to is None:
            return Wanted(flow, self._per_flow)
        if dropped is not None and dropped <= read_to:
            read_to = self._read_to[flow] = (*dropped[:2], dropped[2] - 1)
        return Wanted(flow, max(LEAST, self._per_flow - len(self._flows.get(flow, ()))), read_to)

    def mark_read(self, flow: int, last: JobRef | None) -> None:
        """Note that a flow was read up to this job; None: to its end."""
        if last is not None:
            self._read_to[flow] = position_of(last)
            return
        self._read_to.pop(flow, None)
        if flow not in self._dropped:
            self.incomplete.discard(flow)

    def is_unread(self, flow: int) -> bool:
        """Whether a flow has neither a due job in memory nor a position up to which it was read."""
        return self.head(flow) is None and flow not in self._read_to

    def is_read_past(self, ref: JobRef) -> bool:
        """Whether a job's position is in the part of its flow that was read already."""
        read_to = self._read_to.get(ref.flow)
        return read_to is None or position_of(ref) <= read_to

    def read_from_heads(self, flows: Iterable[int] | None = None) -> None:
        """Read these flows, or all, from their heads again: the part that was read already may have a new job."""
        for flow in list(self._read_to) if flows is None else flows:
            self._read_to.pop(flow, None)

    @property
    def launched(self) -> Collection[int]:
        """Ids of jobs that are picked and not settled."""
        return self._launched.keys()

    @property
    def has_room(self) -> bool:
        """Whether there is room for upcoming jobs."""
        return len(self._upcoming) < self._room

    def __len__(self) -> int:
        """References in memory, superseded ones included."""
        return len(self._upcoming) + sum(len(waiting) for waiting in self._flows.values())

    def _known(self, job_id: int) -> JobRef | None:
        return self._launched.get(job_id) or self._current.get(job_id)

    def _wait(self, ref: JobRef) -> None:
        if len(self._upcoming) >= self._room:
            self.missed = ref.due_at if self.missed is None else min(self.missed, ref.due_at)
            return
        self._current[ref.id] = ref
        heappush(self._upcoming, (ref.due_at, ref.id, next(self._order), ref))

    def _enter_lane(self, ref: JobRef) -> bool:
        """As `_enter_flow`, for a job in a lane. False also if another job of the lane is before it."""
        before = self._lanes.claim(ref)
        if before is None:
            return self._enter_flow(ref)
        if before.id in self._launched or goes_before(before, ref):
            self._wait_behind(ref)
            return False
        if not self._enter_flow(ref):
            return False
        self._lanes.replace_head(ref)
        if self._current.get(before.id) is before:
            self._wait_behind(JobRef._make(before))
        return True

    def _enter_flow(self, ref: JobRef) -> bool:
        """Put a due job into its flow. Returns false if there is no room."""
        job_id, flow = ref.id, ref.flow
        waiting = self._flows.get(flow)
        if waiting is None:
            waiting = self._flows[flow] = FlowBacklog()
        entry = (-ref.priority, ref.due_at, job_id, next(self._order), ref)
        if len(waiting) >= self._per_flow:
            self.incomplete.add(flow)
            if entry > waiting.last():
                self._drop(entry)
                return False
            last = waiting.drop_last()
            if self._current.get(last[2]) is last[4]:
                self._drop(last)
        self._current[job_id] = ref
        waiting.add(entry)
        return True

    def _wait_behind(self, ref: JobRef) -> None:
        """Keep a job until it is next in its lane. If it is in its flow, this must be another reference."""
        self._current[ref.id] = ref
        self._lanes.wait_behind(ref)

    def _leave(self, ref: JobRef, woken: set[int]) -> None:
        """Remove a job from its lane. The next one enters its flow, which is added to `woken`."""
        following = self._lanes.leave(ref)
        if following is not None and self._enter_flow(following):
            woken.add(following.flow)

    def _end(self, ref: JobRef) -> None:
        """Note that a reference does not count any more: reads under way may still return it."""
        for reading in self._readings:
            reading.end(ref)

    def _drop(self, entry: Entry) -> None:
        """Forget a job without room, and the jobs behind it in its lane. Their flows are read again from there."""
        ref = entry[4]
        self._current.pop(ref.id, None)
        self._read_again(ref)
        if ref.lane is not None:
            behind = self._lanes.drop_behind(ref)
            self._lanes.leave(ref)
            for one in behind:
                del self._current[one.id]
                self._read_again(one)

    def _read_again(self, ref: JobRef) -> None:
        """Note that memory has dropped a job: its flow is read again from there."""
        position = position_of(ref)
        self.incomplete.add(ref.flow)
        self._dropped[ref.flow] = min(position, self._dropped.get(ref.flow, position))
