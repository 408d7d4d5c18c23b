"""What is known to be due or about to be: small references in memory, bounded; the store has the rest. Pure."""

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
"""How many due jobs of one queue are kept in memory; a queue with more is read on when it runs low."""
SMALL = 400
"""The same while somebody comes for a moment: small reads, so that nobody waits long behind one."""
IN_ALL, LEAST = 60_000, 100
"""How many of all queues with more, and how many of each even if they are many."""
UPCOMING = 15_000
"""How many jobs not yet due are kept in memory; what finds no room is read again later."""
RIPE_AT_ONCE = 1000
"""How many of these come into their queues in one turn, if so many come due together: others are heard in between."""


class Backlog:
    """Jobs waiting for their instant, and jobs whose instant has come, by queue.

    A reference that is superseded (its job was edited) stays where it is and is passed over when it surfaces:
    `_current` tells which one counts.
    """

    def __init__(self, per_flow: int = PER_FLOW, upcoming: int = UPCOMING) -> None:
        self._most, self._small, self._per_flow, self._room = per_flow, min(SMALL, per_flow), per_flow, upcoming
        self._current: dict[int, JobRef] = {}
        """Of each job that waits, the reference that counts."""
        self._order = count()
        """Tells entries of one job apart: references themselves do not compare, a lane may be missing."""
        self._upcoming: list[tuple[datetime, int, int, JobRef]] = []
        self._flows: dict[int, FlowBacklog] = {}
        self._lanes = Lanes()
        self._launched: dict[int, JobRef] = {}
        """Those taken out and not settled yet."""
        self.incomplete: set[int] = set()
        """Queues of which the store has more due than memory."""
        self._read_to: dict[int, Position] = {}
        """How far each of them was read, from its head on and without a gap."""
        self._dropped: dict[int, Position] = {}
        """The first place of each of them, if any, that found no room since it was last asked for."""
        self._readings: list[ChangesDuringRead] = []
        """Those under way."""
        self.missed: datetime | None = None
        """The earliest instant of a coming job that found no room."""

    def clear(self) -> None:
        """Forget everything but what is in flight."""
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
        """While the store is asked; whoever asked offers what it answered together with this.

        Without it, what is launched and ends during a reading from a queue's head comes back as if it waited, takes
        its user's turn once more, and is refused by the store: the user loses that much of its share.
        """
        reading = ChangesDuringRead()
        self._readings.append(reading)
        try:
            yield reading
        finally:
            self._readings.remove(reading)

    def stored(self, refs: Sequence[JobRef]) -> None:
        """These were stored from here, and are offered next: what is being read may be from before that."""
        for reading in self._readings:
            reading.stored.update(ref.id for ref in refs)

    def offer(self, refs: Iterable[JobRef], now: datetime, reading: ChangesDuringRead | None = None) -> set[int]:
        """Take references in; the queues that have something due because of it. Repeats are harmless.

        One for an earlier attempt than the one known was read before that attempt began, and came late.
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
        """Whether memory has another reference for the same job, and not one of a later attempt."""
        known = self._known(ref.id)
        return known is not None and known != ref and known.attempt <= ref.attempt

    def ripen(self, now: datetime) -> set[int]:
        """Move what has come due into its queue, some at a time, the earliest first; the queues concerned."""
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
        """The next instant at which something comes due."""
        upcoming = self._upcoming
        while upcoming and self._current.get(upcoming[0][1]) is not upcoming[0][3]:
            heappop(upcoming)
        return upcoming[0][0] if upcoming else None

    def head(self, flow: int) -> Entry | None:
        """The first of a queue."""
        queue = self._flows.get(flow)
        if queue is None:
            return None
        current = self._current
        while queue:
            entry = queue.head()
            if current.get(entry[2]) is entry[4]:
                return entry
            queue.pop(1)
        del self._flows[flow]
        return None

    def holds_at_most(self, flow: int, most: int) -> bool:
        """Whether no more than so many of a queue are due, here and in the store."""
        return flow not in self.incomplete and len(self._flows.get(flow, ())) <= most

    def oldest(self) -> datetime | None:
        """The earliest due instant among the first of each queue: how far behind this is, at a glance."""
        heads = (self.head(flow) for flow in list(self._flows))
        return min((head[1] for head in heads if head is not None), default=None)

    def pop(self, flow: int, limit: int = 1, before: tuple[int, datetime, int, int] | None = None) -> list[JobRef]:
        """Take the first of a queue out, to be launched: so many at most, and only what goes before a place."""
        taken: list[JobRef] = []
        queue, current, launched = self._flows[flow], self._current, self._launched
        while len(taken) < limit and (entries := queue.pop(limit - len(taken), before)):
            for _, _, job_id, _, ref in entries:
                known = current.pop(job_id, None)
                if known is ref:
                    launched[job_id] = ref
                    taken.append(ref)
                elif known is not None:
                    current[job_id] = known
        return taken

    def release(self, job_ids: Iterable[int]) -> tuple[list[int], set[int]]:
        """These are settled; the queue of each that had been taken out, and queues in which others may go now."""
        gone: list[int] = []
        woken: set[int] = set()
        current, launched, readings = self._current, self._launched, self._readings
        for job_id in job_ids:
            ref = launched.pop(job_id, None)
            if ref is not None:
                gone.append(ref.flow)
            elif (ref := current.pop(job_id, None)) is None:
                continue
            if readings:
                self._end(ref)
            if ref.lane is not None:
                self._leave(ref, woken)
        return gone, woken

    def drop_behind(self, job_ids: Iterable[int]) -> list[JobRef]:
        """These will not let those behind them in their lanes go: forget who stands aside for them; who it was."""
        refs = [ref for ref in map(self._known, job_ids) if ref is not None and ref.lane is not None]
        scattered = [one for ref in refs for one in self._lanes.drop_behind(ref)]
        for one in scattered:
            del self._current[one.id]
            self._end(one)
        return scattered

    def attempt(self, job_id: int) -> int | None:
        """The attempt for which a job is taken out; None when it is not."""
        ref = self._launched.get(job_id)
        return None if ref is None else ref.attempt + 1

    def idle_lanes(self, lanes: Iterable[Lane]) -> list[Lane]:
        """Those of these lanes for which nobody stands."""
        return self._lanes.idle(lanes)

    def flows(self) -> list[int]:
        """The queues that have something due in memory."""
        return list(self._flows)

    def running_low(self, *, small: bool) -> list[int]:
        """Queues to read on."""
        if not self.incomplete:
            return []
        self._per_flow = min(self._small if small else self._most, max(LEAST, IN_ALL // len(self.incomplete)))
        # Who shares must not run dry while the store is asked; and what is read from the head is read twice.
        eighths = 2 if len(self.incomplete) == 1 else 4
        low, low_at_head = self._per_flow * (eighths + 2) // 8, self._per_flow * eighths // 8
        flows, read_to = self._flows, self._read_to
        return [
            flow for flow in self.incomplete if len(flows.get(flow, ())) <= (low if flow in read_to else low_at_head)
        ]

    def next_read(self, flow: int) -> Wanted:
        """What to read of a queue: on from where the last reading ended, or from the first that was dropped since."""
        read_to, dropped = self._read_to.get(flow), self._dropped.pop(flow, None)
        if read_to is None:
            return Wanted(flow, self._per_flow)
        if dropped is not None and dropped <= read_to:
            read_to = self._read_to[flow] = (*dropped[:2], dropped[2] - 1)
        return Wanted(flow, max(LEAST, self._per_flow - len(self._flows.get(flow, ()))), read_to)

    def mark_read(self, flow: int, last: JobRef | None) -> None:
        """A queue was read up to here; None: to its end."""
        if last is not None:
            self._read_to[flow] = position_of(last)
            return
        self._read_to.pop(flow, None)
        if flow not in self._dropped:
            self.incomplete.discard(flow)

    def is_unread(self, flow: int) -> bool:
        """Whether nothing is known of a queue: neither in memory nor how far it was read."""
        return self.head(flow) is None and flow not in self._read_to

    def is_read_past(self, ref: JobRef) -> bool:
        """Whether a job stands where its queue was read already."""
        read_to = self._read_to.get(ref.flow)
        return read_to is None or position_of(ref) <= read_to

    def read_from_heads(self, flows: Iterable[int] | None = None) -> None:
        """Something may be where these queues, or all, were read already: let them be read from their heads again."""
        for flow in list(self._read_to) if flows is None else flows:
            self._read_to.pop(flow, None)

    @property
    def launched(self) -> Collection[int]:
        """Ids taken out and not settled yet."""
        return self._launched.keys()

    @property
    def has_room(self) -> bool:
        """Whether coming jobs find room."""
        return len(self._upcoming) < self._room

    def __len__(self) -> int:
        """References in memory, superseded ones included."""
        return len(self._upcoming) + sum(len(queue) for queue in self._flows.values())

    def _known(self, job_id: int) -> JobRef | None:
        return self._launched.get(job_id) or self._current.get(job_id)

    def _wait(self, ref: JobRef) -> None:
        if len(self._upcoming) >= self._room:
            self.missed = ref.due_at if self.missed is None else min(self.missed, ref.due_at)
            return
        self._current[ref.id] = ref
        heappush(self._upcoming, (ref.due_at, ref.id, next(self._order), ref))

    def _enter_lane(self, ref: JobRef) -> bool:
        """As `_enter_flow`, for a job in a lane; false also when another of the lane goes first."""
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
        """Put a job that is due into its queue; false when there is no room."""
        job_id, flow = ref.id, ref.flow
        queue = self._flows.get(flow)
        if queue is None:
            queue = self._flows[flow] = FlowBacklog()
        entry = (-ref.priority, ref.due_at, job_id, next(self._order), ref)
        if len(queue) >= self._per_flow:
            self.incomplete.add(flow)
            if entry > queue.last():
                self._drop(entry)
                return False
            last = queue.drop_last()
            if self._current.get(last[2]) is last[4]:
                self._drop(last)
        self._current[job_id] = ref
        queue.add(entry)
        return True

    def _wait_behind(self, ref: JobRef) -> None:
        """Keep a job until it is its lane's turn. If it stands in its queue, this must be another reference."""
        self._current[ref.id] = ref
        self._lanes.wait_behind(ref)

    def _leave(self, ref: JobRef, woken: set[int]) -> None:
        """This is not in its lane any more: let the next one stand; the queue that it stands in is woken."""
        following = self._lanes.leave(ref)
        if following is not None and self._enter_flow(following):
            woken.add(following.flow)

    def _end(self, ref: JobRef) -> None:
        """This does not count any more: readings under way may still bring it."""
        for reading in self._readings:
            reading.end(ref)

    def _drop(self, entry: Entry) -> None:
        """There was no room for this one, nor for those behind it in its lane: queues have to be read from there."""
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
        """Memory gave this one up: its queue has to be read from there."""
        place = position_of(ref)
        self.incomplete.add(ref.flow)
        self._dropped[ref.flow] = min(place, self._dropped.get(ref.flow, place))
