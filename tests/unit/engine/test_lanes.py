"""Lanes in memory: one stands in its queue, the others aside in their order; nobody is lost for want of room."""

from __future__ import annotations

from datetime import timedelta

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.engine.lanes.in_memory import Lanes
from duetime.model.ids import flow_of
from duetime.store.port import JobRef

FLOW, OTHER = flow_of(1), flow_of(1, 7)


def job(number: int, *, flow: int = FLOW, priority: int = 0, lane: str | None = "a") -> JobRef:
    """A job that is due, the later the greater its number."""
    due = START - timedelta(hours=1) + timedelta(seconds=number)
    return JobRef(number, 1, flow, priority, due, 0, lane, due)


def test_those_aside_follow_in_the_order_of_the_lane_however_they_came() -> None:
    lanes = Lanes()
    assert lanes.claim(job(1)) is None
    for number in (4, 2, 3):
        assert lanes.claim(job(number)) == job(1)
        lanes.wait_behind(job(number))
    assert lanes.leave(job(3)) is None, "it did not stand"
    assert lanes.leave(job(1)) == job(2)
    assert lanes.claim(job(5)) == job(2)
    assert lanes.leave(job(2)) == job(4)
    assert lanes.idle([(1, "a"), (1, "b"), (2, "a")]) == [(1, "b"), (2, "a")]
    assert lanes.leave(job(4)) is None
    assert lanes.idle([(1, "a")]) == [(1, "a")]


def test_one_of_a_lane_is_taken_at_a_time() -> None:
    backlog = Backlog()
    backlog.offer([job(1), job(2), job(3), job(4, lane="b"), job(5, lane=None)], START)
    assert [ref.id for ref in backlog.pop(FLOW, 10)] == [1, 4, 5]
    assert backlog.release([1]) == ([FLOW], {FLOW})
    assert [ref.id for ref in backlog.pop(FLOW, 10)] == [2]


def test_one_that_comes_late_and_goes_first_takes_the_place_of_who_stands() -> None:
    backlog = Backlog()
    backlog.offer([job(2), job(3)], START)
    backlog.offer([job(1)], START)
    assert [ref.id for ref in backlog.pop(FLOW, 10)] == [1]
    backlog.offer([job(0)], START)
    assert backlog.head(FLOW) is None, "who was launched stays"
    for number in (1, 0, 2):
        backlog.release([number])
        assert len(backlog.pop(FLOW, 10)) == 1


def test_who_finds_no_room_is_read_again_with_those_behind_it_in_whichever_queue() -> None:
    backlog = Backlog(per_flow=1)
    backlog.offer([job(1), job(2, flow=OTHER)], START)
    backlog.offer([job(3, priority=9, lane=None)], START)
    assert backlog.incomplete == {FLOW, OTHER}
    assert [ref.id for ref in backlog.pop(FLOW, 10)] == [3]
    backlog.offer([job(1), job(2, flow=OTHER)], START)
    assert [ref.id for ref in backlog.pop(FLOW, 10)] == [1]


def test_one_that_was_changed_stands_for_its_lane_where_there_is_little_room() -> None:
    backlog = Backlog(per_flow=1)
    backlog.offer([job(1), job(2)], START)
    backlog.offer([job(1, priority=2)], START)
    assert [ref.priority for ref in backlog.pop(FLOW, 10)] == [2]
    backlog.offer([job(3)], START)
    assert backlog.head(FLOW) is None, "it waits for the one that was launched"


def test_nobody_follows_one_that_is_to_be_tried_again() -> None:
    backlog = Backlog()
    backlog.offer([job(1), job(2), job(3)], START)
    backlog.pop(FLOW, 10)
    with backlog.reading() as reading:
        assert [ref.id for ref in backlog.drop_behind([1])] == [2, 3]
        backlog.release([1])
    assert backlog.offer([job(2), job(3)], START, reading) == set(), "what was read before that does not count"
    assert backlog.head(FLOW) is None
