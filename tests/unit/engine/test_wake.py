"""Who stores a job tells its owner, who needs no reading; nobody else does anything. Word may be late and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from duetime.clock.manual import START, ManualClock
from duetime.coordination.hint_text import join_hints
from duetime.coordination.port import EVERYTHING
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.gates import Gates
from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.intake.wake import IN_FULL, Wake
from duetime.model.ids import SHARDS, flow_of, shard_of
from duetime.store.port import JobRef, Wanted, position_of

LOOK_AHEAD = timedelta(seconds=2)


class Jobs:
    """A `DueStore` that counts what it is asked."""

    def __init__(self) -> None:
        self.rows: dict[int, JobRef] = {}
        self.asked: list[str] = []

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        self.asked.append("due")
        found = [one for one in self._held(held) if after < (one.due_at, one.id) and one.due_at <= until]
        return sorted(found, key=lambda one: (one.due_at, one.id))[:limit]

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        self.asked.append("backlog")
        found = list[JobRef]()
        for flow, limit, _ in wanted:
            due = [one for one in self._held(held) if one.flow == flow and one.due_at <= now]
            found += sorted(due, key=position_of)[:limit]
        return found

    async def due_flows(self, now: datetime) -> list[int]:
        self.asked.append("due_flows")
        return list({one.flow: None for one in self.rows.values() if one.due_at <= now})

    def _held(self, held: Sequence[bool]) -> list[JobRef]:
        return [one for one in self.rows.values() if held[shard_of(one.id)]]


class Line:
    """Hints between the nodes of one test: they arrive when the test says so."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.said: list[tuple[Node, dict[str, str]]] = []
        """Who said what, one burst after the other."""

    def texts(self) -> list[str]:
        return [join_hints(burst, 7000) for _, burst in self.said]

    def deliver(self) -> None:
        texts, said, self.said = self.texts(), self.said, []
        for (sender, _), text in zip(said, texts, strict=True):
            for node in self.nodes:
                if node is not sender:
                    node.listeners["stored"](text)


class Node:
    """A scheduler's memory, the part of `Ownership` that counts here, and its end of the line."""

    def __init__(self, store: Jobs, line: Line, clock: ManualClock, shards: Sequence[int]) -> None:
        self.store, self.clock, self._line = store, clock, line
        self.ownership = SimpleNamespace(held=[shard in shards for shard in range(SHARDS)])
        self.backlog, self.signals = Backlog(), 0
        self.pick = Pick(self.backlog, Gates(lambda _: None))
        self.due = LookAhead(store, self.ownership, self.backlog, self.pick, BatchSize(clock), LOOK_AHEAD)
        self.listeners: dict[str, Callable[[str], None]] = {}
        self.wake = Wake(clock, self.ownership, self, LOOK_AHEAD, due=self.due, signal=self._signal)
        line.nodes.append(self)

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        assert topic == "stored"
        self._line.said[-1][1][text] = short

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        self.listeners[topic] = heard

    def tell(self, *refs: JobRef) -> None:
        """Say that these were stored, in a burst of its own."""
        self._line.said.append((self, {}))
        self.wake.stored(refs)

    def put(self, *refs: JobRef) -> None:
        """Store them, and say so."""
        self.store.rows.update({one.id: one for one in refs})
        self.tell(*refs)

    def taken(self) -> list[JobRef]:
        self.pick.wake(self.backlog.ripen(self.clock.now()))
        return self.pick.pick(10_000, self.clock.now())

    def launched(self) -> list[JobRef]:
        """What is taken and stands as it is in the store, which refuses the rest."""
        taken = self.taken()
        refused = [one for one in taken if self.store.rows.get(one.id) != one]
        self.pick.release([one.id for one in refused])
        return [one for one in taken if one not in refused]

    async def fill(self) -> None:
        while self.due.wants_fill(self.clock.now()):
            await self.due.fill(self.clock.now())

    def _signal(self) -> None:
        self.signals += 1


@pytest.fixture
def store() -> Jobs:
    return Jobs()


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
async def nodes(store: Jobs, line: Line) -> list[Node]:
    """One that stores, one that owns what is stored, and one beside; each has looked, and has nothing to do."""
    clock = ManualClock()
    made = [Node(store, line, clock, range(n, SHARDS, 3)) for n in range(3)]
    for node in made:
        await node.fill()
    store.asked.clear()
    return made


def ref(number: int = 1, *, after: float = 0.0, user: int = 1, lane: str | None = None, attempt: int = 0) -> JobRef:
    """A job of the second node's."""
    due = START + timedelta(seconds=after)
    return JobRef(number * 3 * SHARDS + 1, user, flow_of(user), 5, due, attempt, lane, due)


async def test_an_owner_takes_what_it_hears_without_asking(nodes: list[Node], line: Line, store: Jobs) -> None:
    teller, owner, beside = nodes
    now, soon = ref(1, lane="a,b"), ref(2, after=1.5)
    teller.put(now, soon)
    line.deliver()
    assert owner.signals == 1
    assert owner.taken() == [now]
    assert not owner.due.wants_fill(owner.clock.now())
    owner.clock.advance(1.5)
    assert owner.taken() == [soon]
    assert store.asked == []
    assert (beside.signals, len(beside.backlog), beside.backlog.incomplete) == (0, 0, set())
    assert not beside.due.wants_fill(START)


async def test_what_is_far_off_is_not_told(nodes: list[Node], line: Line) -> None:
    nodes[0].put(ref(after=2.5))
    assert line.texts() == [""]


async def test_as_many_as_fit_are_said_in_full(nodes: list[Node], line: Line) -> None:
    nodes[0].put(*(ref(n) for n in range(1, IN_FULL + 1)))
    line.deliver()
    assert len(nodes[1].taken()) == IN_FULL


async def test_too_many_are_found_where_the_hint_says(nodes: list[Node], line: Line, store: Jobs) -> None:
    teller, owner, _ = nodes
    many = [ref(n, user=n % 2 + 1) for n in range(1, 1001)]
    coming = [ref(n, after=1.0) for n in range(1001, 1101)]
    teller.put(*many, *coming)
    (text,) = line.texts()
    assert set(text.split(",")) == {str(flow_of(2)), str(flow_of(1)), f"[{int(START.timestamp()) + 1}]"}
    line.deliver()
    await owner.fill()
    assert sorted(owner.taken()) == sorted(many)
    owner.clock.advance(1)
    assert sorted(owner.taken()) == sorted(coming)
    assert "due_flows" not in store.asked


async def test_everything_is_looked_for_everywhere(nodes: list[Node], line: Line, store: Jobs) -> None:
    teller, owner, _ = nodes
    lost = [ref(1), ref(2, user=2), ref(3, after=1.0)]
    store.rows.update({one.id: one for one in lost})
    line.said.append((teller, {}))
    teller.wake.lost()
    assert line.texts() == [EVERYTHING]
    line.deliver()
    await owner.fill()
    assert sorted(owner.taken()) == lost[:2]
    owner.clock.advance(1)
    assert owner.taken() == lost[2:]


async def test_a_repeated_word_changes_nothing(nodes: list[Node], line: Line, store: Jobs) -> None:
    teller, owner, _ = nodes
    teller.put(ref(1), ref(2, after=1.0))
    line.said *= 3
    line.deliver()
    assert owner.taken() == [ref(1)]
    teller.tell(ref(1))
    line.deliver()
    assert owner.taken() == [], "it is under way"
    assert not owner.due.wants_fill(START)
    assert store.asked == []


async def test_a_late_word_of_what_is_over_is_taken_once_and_refused(nodes: list[Node], line: Line) -> None:
    teller, owner, _ = nodes
    for _ in range(2):
        teller.tell(ref())
        line.deliver()
        assert owner.backlog.flows() == [ref().flow]
        assert owner.launched() == owner.launched() == []
        assert (len(owner.backlog), owner.backlog.launched) == (0, set())
    assert not owner.due.wants_fill(START)


@pytest.mark.parametrize(("before", "after"), [(1.0, 0.0), (0.0, 1.0), (1.0, 1.5), (1.5, 1.0), (-1.0, 0.0)])
@pytest.mark.parametrize("late", [False, True])
async def test_of_two_words_the_store_says_which_counts(
    nodes: list[Node], line: Line, before: float, after: float, late: bool
) -> None:
    """A job is moved, and word of it comes in the order of saying or the other way round."""
    teller, owner, _ = nodes
    teller.put(ref(after=before))
    teller.put(ref(after=after))
    if late:
        line.said.reverse()
    line.deliver()
    launched = list[JobRef]()
    while not launched:
        await owner.fill()
        launched = owner.launched()
        owner.clock.advance(0.25)
    assert launched == [ref(after=after)]
    assert owner.clock.now() == START + timedelta(seconds=max(after, 0.0) + 0.25)


async def test_an_earlier_attempt_never_takes_the_place_of_a_later_one(
    nodes: list[Node], line: Line, store: Jobs
) -> None:
    teller, owner, _ = nodes
    teller.put(ref(after=1.0, attempt=1))
    teller.tell(ref())
    line.deliver()
    assert owner.taken() == []
    owner.clock.advance(1)
    assert owner.taken() == [ref(after=1.0, attempt=1)]
    assert store.asked == []


async def test_word_of_a_retry_before_word_of_the_end(nodes: list[Node], line: Line) -> None:
    """The end is heard last: what was said of the retry before is found by a look."""
    teller, owner, _ = nodes
    teller.put(ref())
    line.deliver()
    assert owner.taken() == [ref()]
    teller.put(ref(attempt=1))
    line.deliver()
    owner.pick.release([ref().id])
    await owner.fill()
    assert owner.taken() == [ref(attempt=1)]


async def test_what_was_said_before_a_shard_was_taken_is_read_then(nodes: list[Node], line: Line) -> None:
    teller, owner, beside = nodes
    teller.put(ref())
    owner.ownership.held[1] = False
    line.deliver()
    assert owner.taken() == beside.taken() == []
    beside.ownership.held[1] = True
    beside.due.restart()
    await beside.fill()
    assert beside.taken() == [ref()]
