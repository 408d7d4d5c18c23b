"""A queue that is being drained is read on from where it was, also with the net cast; and nothing stays forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from duetime.clock.manual import START
from duetime.engine.due.look_ahead import BEHIND, BEHIND_AT_ONCE
from duetime.model.ids import SHARDS, flow_of
from duetime.store.port import JobRef
from harness.draining import Draining

MANY = 1000
"""More than memory holds here."""


@pytest.fixture
async def draining() -> Draining:
    """One user's backlog, of which the first pages were read and the first few have gone."""
    made = Draining()
    made.put(MANY)
    await made.drain(150)
    assert made.backlog.incomplete
    assert not made.backlog.is_unread(flow_of(1))
    made.store.wanted.clear()
    return made


def run_low(draining: Draining, *, look: bool = False) -> None:
    """Let jobs go until the queue is to be read: on, or from its head because somebody said that it has something."""
    if look:
        draining.due.look_at([flow_of(1)])
    while not draining.due.wants_fill(draining.clock.now()):
        draining.end(draining.launch(5))
    assert draining.backlog.head(flow_of(1))


async def test_the_net_reads_no_queue_from_its_head_that_is_being_drained(draining: Draining) -> None:
    gone = await draining.drain(150)
    await draining.sweep()
    gone += await draining.drain()
    assert len(gone) == len(set(gone)) == MANY - 150
    at_heads = [wanted for wanted in draining.store.wanted if wanted.after is None]
    assert [wanted.limit for wanted in at_heads] == [BEHIND]
    read_on = sum(wanted.limit for wanted in draining.store.wanted if wanted.after is not None)
    assert read_on < 1.5 * MANY, "what memory has is not read again"


async def test_also_a_queue_that_ran_dry_is_read_on_from_where_it_was(draining: Draining) -> None:
    while refs := draining.launch(100):
        draining.end(refs)
    await draining.sweep()
    left = len(draining.tables.jobs)
    assert len(await draining.drain()) == left
    assert [wanted.limit for wanted in draining.store.wanted if wanted.after is None] == [BEHIND]


async def test_queues_are_read_on_while_the_net_is_out(draining: Draining) -> None:
    """However long the store takes to find the queues."""
    went = list[int]()

    async def meanwhile() -> None:
        went.extend(await draining.drain(500))

    draining.line.meanwhile = meanwhile
    await draining.sweep()
    assert len(went) == 500
    assert len(await draining.drain()) == MANY - 150 - 500
    assert not draining.refused


async def test_queues_that_run_low_are_read_before_what_comes_due(draining: Draining) -> None:
    run_low(draining)
    draining.clock.advance(1.5)
    draining.line.asked.clear()
    await draining.due.fill(draining.clock.now())
    assert draining.line.asked == ["backlog", "due"]


def stored_without_a_word(draining: Draining) -> list[int]:
    return [job.id for job in draining.put(3, priority=9)]


def stored_in_the_past(draining: Draining) -> list[int]:
    return [job.id for job in draining.put(3, after=-3600)]


def taken_back(draining: Draining) -> list[int]:
    """As after a launch whose answer was lost, or by another node."""
    refs = draining.launch(3)
    draining.take_back(refs)
    return [ref.id for ref in refs]


def rescued(draining: Draining) -> list[int]:
    """The executor went away: whoever found out let the job go again, and died before it said so."""
    refs = draining.launch(3)
    for ref in refs:
        draining.tables.jobs[ref.id].attempt += 1
    draining.take_back(refs)
    return [ref.id for ref in refs]


def made_ready(draining: Draining) -> list[int]:
    """The heads of lanes, whose turn came."""
    heads = [job for job in draining.tables.jobs.values() if job.lane is not None]
    for head in heads:
        head.ready = True
    return [head.id for head in heads]


def moved_to_an_earlier_instant(draining: Draining) -> list[int]:
    """One that memory has as coming, and one of which it knows nothing yet."""
    moved = [job for job in draining.tables.jobs.values() if job.due_at > START]
    for job in moved:
        job.due_at = START - timedelta(hours=1)
    return [job.id for job in moved]


def given_another_place(draining: Draining) -> list[int]:
    """Jobs that wait, in memory or in the store alone, are to go before the others now."""
    waiting = sorted(job.id for job in draining.tables.jobs.values() if job.ready and job.due_at < START)
    moved = [waiting[20], waiting[-1]]
    for job_id in moved:
        draining.tables.jobs[job_id].priority = 9
    return moved


@pytest.mark.parametrize(
    "happens",
    [
        stored_without_a_word,
        stored_in_the_past,
        taken_back,
        rescued,
        made_ready,
        moved_to_an_earlier_instant,
        given_another_place,
    ],
)
async def test_the_net_finds_what_is_behind_the_place_read_to(happens: Callable[[Draining], list[int]]) -> None:
    """No word came of it. The queue is never empty, and is not read from its head."""
    draining = Draining()
    draining.put(MANY)
    draining.put(1, after=-3600, lane="a", ready=False)
    draining.put(1, after=-3600, lane="b", ready=False)
    draining.put(1, after=8)
    draining.put(1, after=3600)
    draining.clock.advance(6.5)
    await draining.drain(150)
    draining.store.wanted.clear()
    forgotten = happens(draining)
    assert forgotten
    went = await draining.drain(100)
    assert not set(went) & set(forgotten), "nobody knows of them"
    draining.store.wanted.clear()
    await draining.sweep()
    assert set(await draining.drain(len(forgotten))) == set(forgotten), "they come first, at once"
    assert [wanted.limit for wanted in draining.store.wanted if wanted.after is None] == [BEHIND]


async def test_what_was_forgotten_is_found_however_much_it_is(draining: Draining) -> None:
    forgotten = {job.id for job in draining.put(MANY, priority=9)}
    await draining.sweep()
    went = await draining.drain()
    assert len(went) == len(set(went)) == 2 * MANY - 150
    assert forgotten <= set(went[: MANY + 200]), "after what memory had of the others, at the most"


async def test_a_queue_of_which_nothing_is_known_is_read_from_its_head(draining: Draining) -> None:
    forgotten = [job.id for job in draining.put(3, user=2)]
    assert not set(await draining.drain(100)) & set(forgotten)
    await draining.sweep()
    assert set(forgotten) <= set(await draining.drain(6))


async def test_with_many_queues_each_is_looked_at_in_its_turn() -> None:
    draining = Draining()
    users = range(1, 2 * BEHIND_AT_ONCE + 2)
    for user in users:
        draining.put(2, user=user)
    await draining.fill()
    forgotten = {job.id for user in users for job in draining.put(1, user=user, priority=9)}
    looks = list[int]()
    for _ in range(3):
        draining.store.wanted.clear()
        await draining.sweep()
        looks.append(sum(wanted.limit == BEHIND for wanted in draining.store.wanted))
    assert looks == [BEHIND_AT_ONCE, BEHIND_AT_ONCE, 1]
    assert forgotten == {ref.id for ref in draining.launch(len(users))}


async def test_where_something_may_have_been_missed_every_queue_is_read_from_its_head(draining: Draining) -> None:
    forgotten = {job.id for job in draining.put(3, priority=9)}
    draining.due.look_everywhere()
    await draining.fill()
    went = await draining.drain(203)
    assert forgotten <= set(went)


async def test_a_net_that_is_out_while_shards_change_hands_does_not_stand_for_the_look_that_is_due(
    draining: Draining,
) -> None:
    """What it found is from before the change."""

    async def meanwhile() -> None:
        draining.due.restart()
        draining.put(1, user=2)

    while not draining.due.wants_sweep(draining.clock.now()):
        draining.clock.advance(1)
    draining.line.meanwhile = meanwhile
    await draining.due.sweep(draining.clock.now())
    await draining.fill()
    assert {ref.user_id for ref in draining.launch(2)} == {1, 2}


async def test_what_ends_while_its_queue_is_read_from_its_head_does_not_come_back(draining: Draining) -> None:
    ended = list[JobRef]()

    async def meanwhile() -> None:
        ended.extend(draining.launch(20))
        draining.end(ended)

    run_low(draining, look=True)
    left = len(draining.tables.jobs)
    draining.line.meanwhile = meanwhile
    await draining.fill()
    assert len(ended) == 20
    assert len(await draining.drain()) == left - 20
    assert not draining.refused, "nothing took a turn that could not go"


@pytest.mark.parametrize("later", [0, 3600])
async def test_a_job_that_is_to_go_again_does_not_go_by_what_was_read_before(draining: Draining, later: int) -> None:
    run_low(draining, look=True)
    again = list[JobRef]()

    async def meanwhile() -> None:
        (ref,) = draining.launch(1)
        job = draining.tables.jobs[ref.id]
        job.attempt, job.due_at = 1, job.due_at + timedelta(seconds=later)
        draining.take_back([ref])
        draining.due.offer([job.ref()], draining.clock.now())
        again.append(job.ref())

    draining.line.meanwhile = meanwhile
    await draining.fill()
    assert (draining.launch(1) == again) == (later == 0)
    await draining.drain()
    assert not draining.refused


@pytest.mark.parametrize(("known", "told"), [(True, True), (False, True), (True, False)])
async def test_a_job_that_is_moved_while_its_queue_is_read_goes_from_its_new_place(
    draining: Draining, known: bool, told: bool
) -> None:
    """The answer has it where it was, and comes after the word of it, or after the net that found it."""
    run_low(draining, look=known)
    here = sorted(draining.backlog._current)
    job = draining.tables.jobs[here[3] if known else here[-1] + 3 * SHARDS]
    assert (job.id in here) == known

    async def meanwhile() -> None:
        job.priority = 9
        if told:
            draining.due.offer([job.ref()], draining.clock.now())
        else:
            await draining.due.sweep(draining.clock.now())

    draining.line.meanwhile = meanwhile
    await draining.fill()
    assert [ref.id for ref in draining.launch(1)] == [job.id]
    assert not draining.refused


@pytest.mark.parametrize("told", [False, True])
async def test_shares_are_kept_in_every_window_whatever_is_read_meanwhile(told: bool) -> None:
    """Answers are late by several batches; the net is cast, and words come of more in queues that are being drained."""
    weights = {1: 1.0, 2: 2.0, 3: 4.0}
    draining = Draining(per_flow=800, weights=weights)
    for user in weights:
        draining.put(4000, user=user)
    windows, window, under_way = list[Counter[int]](), Counter[int](), list[JobRef]()

    def batch() -> None:
        nonlocal window, under_way
        draining.clock.advance(0.1)
        refs = draining.launch(64)
        window.update(ref.user_id for ref in refs)
        if window.total() >= 1000:
            windows.append(window)
            window = Counter()
        draining.end(under_way)
        under_way = refs

    async def batches() -> None:
        for _ in range(3):
            batch()

    await draining.fill()
    while len(windows) < 6:
        now = draining.clock.now()
        draining.line.meanwhile = batches
        if draining.due.wants_sweep(now):
            await draining.due.sweep(now)
        elif draining.due.wants_fill(now):
            await draining.due.fill(now)
        else:
            batch()
            if told and draining.clock.now() - START > timedelta(seconds=1):
                draining.due.look_at([flow_of(user) for user in weights])
    assert "due_flows" in draining.line.asked[1:]
    total = sum(weights.values())
    for window in windows:
        for user, weight in weights.items():
            assert window[user] == pytest.approx(window.total() * weight / total, rel=0.05)
    assert not draining.refused
