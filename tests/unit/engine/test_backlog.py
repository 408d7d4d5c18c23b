"""The backlog's memory is bounded, in whatever order jobs come."""

from __future__ import annotations

from datetime import timedelta

from duetime.clock.manual import START
from duetime.engine.backlog import Backlog
from duetime.model.ids import flow_of
from duetime.store.port import JobRef

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
