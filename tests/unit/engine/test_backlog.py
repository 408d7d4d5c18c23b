"""The backlog's memory is bounded, in whatever order jobs come."""

from __future__ import annotations

from datetime import timedelta

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.model.ids import flow_of
from duetime.store.port import JobRef, position_of

FLOW = flow_of(1)


def test_a_queue_that_is_full_gives_up_its_last_for_one_that_goes_before_its_first() -> None:
    backlog = Backlog(per_flow=10)
    for n in range(100):
        due = START - timedelta(seconds=n)
        backlog.offer([JobRef(1024 + n, 1, FLOW, 5, due, 0, None, due)], START)
    assert len(backlog) == 10
    assert backlog.incomplete == {FLOW}, "the store has more"
    assert [ref.id for ref in backlog.pop(FLOW, 100)] == [1024 + n for n in range(99, 89, -1)]
    backlog.offer([JobRef(1024, 1, FLOW, 5, START, 0, None, START)], START)
    assert [ref.id for ref in backlog.pop(FLOW, 100)] == [1024], "what was given up can come again"


def at(place: int, job_id: int = 0) -> JobRef:
    """A job that goes after those with a smaller place."""
    due = START - timedelta(hours=1) + timedelta(seconds=place)
    return JobRef(job_id or 1024 + place, 1, FLOW, 5, due, 0, None, due)


def read_to_the_full(backlog: Backlog, *places: int) -> None:
    """A queue of which the store has more than the places read."""
    backlog.incomplete.add(FLOW)
    assert backlog.running_low(small=False) == [FLOW]
    assert backlog.next_read(FLOW).after is None
    found = [at(place) for place in places]
    backlog.mark_read(FLOW, found[-1])
    backlog.offer(found, START)


def test_a_queue_that_is_full_gives_up_its_last_for_whatever_goes_before_it() -> None:
    backlog = Backlog(per_flow=10)
    read_to_the_full(backlog, *range(0, 100, 10))
    assert backlog.offer([at(5), at(85)], START) == {FLOW}
    assert len(backlog) == 10
    assert [ref.id - 1024 for ref in backlog.pop(FLOW, 100)] == [0, 5, 10, 20, 30, 40, 50, 60, 70, 80]
    assert position_of(at(80)) < (backlog.next_read(FLOW).after or ()) < position_of(at(85)), (
        "both that made way are read again"
    )


def test_what_goes_after_the_last_of_a_full_queue_waits_in_the_store() -> None:
    backlog = Backlog(per_flow=10)
    read_to_the_full(backlog, *range(0, 100, 10))
    assert backlog.offer([at(95)], START) == set()
    backlog.pop(FLOW, 100)
    assert backlog.next_read(FLOW).after == position_of(at(90)), "where reading goes on anyway"


def test_followers_that_come_one_by_one_do_not_take_the_reading_back_to_the_head() -> None:
    """Each goes before most of what is there, as the next of a lane does when the one before it has ended."""
    backlog = Backlog(per_flow=100)
    read_to_the_full(backlog, *range(0, 1000, 10))
    gone: list[int] = []
    for place in range(5, 245, 10):
        gone += [ref.id - 1024 for ref in backlog.pop(FLOW, 1)]
        backlog.offer([at(place)], START)
        backlog.offer([at(place + 1)], START)
    assert gone == sorted(gone)
    assert position_of(at(750)) < (backlog.next_read(FLOW).after or ()), "only what made way is read again"
