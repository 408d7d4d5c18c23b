"""Gates: limits of concurrency and rate, and breakers."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.breaker import FIRST_PAUSE, FORGOTTEN, THRESHOLD, Breaker
from duetime.engine.due.gates import KEPT, UNTIL_ONE_ENDS, Gates
from duetime.engine.due.pick import Pick
from duetime.model.flow import BREAKER_BIT
from duetime.model.ids import flow_of
from duetime.model.policy import Limit
from duetime.store.port import JobRef

USER, OTHER = 1, 2
PLAIN, LIMITED, HOST = flow_of(USER), flow_of(USER, 77), flow_of(USER, BREAKER_BIT | 5)


class Floor:
    def __init__(self, *, limit: Limit | bool | None = None, user_limit: Limit | None = None) -> None:
        self.now = START + timedelta(hours=1)
        self.limit = limit
        self.backlog = Backlog()
        self.gates = Gates(lambda definition: self.limit if definition == 77 else None)
        self.pick = Pick(self.backlog, self.gates)
        if user_limit:
            self.gates.set_user_limits({USER: user_limit}, self.now)
        self._next_id = 1

    def add(self, flow: int, count: int) -> list[int]:
        ids = list(range(self._next_id, self._next_id + count))
        self._next_id += count
        refs = [JobRef(one, flow >> 32, flow, 5, START, 0, None, START) for one in ids]
        self.pick.wake(self.backlog.offer(refs, self.now))
        return ids

    def take(self, limit: int = 1000) -> list[int]:
        return [ref.id for ref in self.pick.pick(limit, self.now)]

    def later(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now


def test_concurrency_of_a_definition_holds_only_its_own() -> None:
    floor = Floor(limit=Limit(max_concurrency=3))
    limited, plain = floor.add(LIMITED, 10), floor.add(PLAIN, 10)
    taken = floor.take()
    assert set(taken) == {*limited[:3], *plain}
    assert floor.take() == []
    assert not floor.pick.waiting
    floor.pick.release([limited[0]])
    assert floor.take() == [limited[3]]


def test_what_is_held_back_is_not_looked_at_again_until_it_can_go() -> None:
    floor = Floor(limit=Limit(max_concurrency=1))
    floor.add(LIMITED, 100)
    floor.take()
    assert not floor.pick.waiting
    assert floor.pick.next_opening() is None


def test_rate_and_burst() -> None:
    floor = Floor(limit=Limit(rate=10, per="second", burst=5))
    ids = floor.add(LIMITED, 100)
    taken = floor.take()
    assert taken == ids[:5]
    assert floor.pick.next_opening() == floor.now + timedelta(seconds=0.1)
    floor.later(0.1)
    assert len(floor.take()) == 1
    floor.later(0.35)
    assert len(floor.take()) == 3
    floor.later(60)
    assert len(floor.take()) == 5


def test_rate_per_hour_lets_one_go_at_its_instant() -> None:
    floor = Floor(limit=Limit(rate=1, per="hour"))
    floor.add(LIMITED, 3)
    assert len(floor.take()) == 1
    floor.later(3599)
    assert floor.take() == []
    floor.later(1)
    assert len(floor.take()) == 1


def test_a_users_limit_holds_all_its_queues_and_nobody_else() -> None:
    floor = Floor(user_limit=Limit(max_concurrency=2))
    floor.add(PLAIN, 5)
    floor.add(HOST, 5)
    others = floor.add(flow_of(OTHER), 5)
    taken = floor.take()
    assert set(others) < set(taken)
    assert len(taken) == 7
    mine = [one for one in taken if one not in others]
    floor.pick.release(mine[:1])
    assert len(floor.take()) == 1


def test_a_limit_taken_away_lets_everything_go() -> None:
    floor = Floor(user_limit=Limit(rate=1, per="hour"))
    floor.add(PLAIN, 10)
    assert len(floor.take()) == 1
    floor.gates.set_user_limits({}, floor.now)
    floor.later(3600)
    assert len(floor.take()) == 9


def test_limits_that_are_not_known_yet_are_asked_for() -> None:
    floor = Floor(limit=False)
    ids = floor.add(LIMITED, 4)
    assert floor.take() == []
    assert floor.gates.unknown == {77}
    floor.limit = Limit(max_concurrency=4)
    floor.pick.learned({77})
    assert floor.take() == ids


def test_a_host_that_is_down_is_left_alone_and_tried_with_one() -> None:
    floor = Floor()
    floor.add(HOST, 100)
    plain = floor.add(PLAIN, 3)

    def fail(count: int) -> list[bool | None]:
        changes = []
        for job_id in floor.take(count):
            changes.append(floor.gates.outcome(HOST, "connection", floor.now))
            floor.pick.reconsider(HOST)
            floor.pick.release([job_id])
        return changes

    assert fail(THRESHOLD)[-1] is True
    assert floor.take() == plain, "other queues go on"
    assert floor.pick.next_opening() == floor.now + FIRST_PAUSE
    floor.later(FIRST_PAUSE.total_seconds())
    probe = floor.take()
    assert len(probe) == 1, "one run tries"
    assert floor.take() == []
    assert floor.gates.outcome(HOST, "connection", floor.now) is None
    floor.pick.reconsider(HOST)
    floor.pick.release(probe)
    assert floor.take() == []
    assert floor.pick.next_opening() == floor.now + 2 * FIRST_PAUSE
    floor.later(2 * FIRST_PAUSE.total_seconds())
    (probe_id,) = floor.take()
    assert floor.gates.outcome(HOST, None, floor.now) is False
    floor.pick.reconsider(HOST)
    floor.pick.release([probe_id])
    assert len(floor.take()) == 100 - THRESHOLD - 2


def test_a_success_between_failures_keeps_a_breaker_closed() -> None:
    breaker = Breaker()
    for _ in range(10):
        for _ in range(THRESHOLD - 1):
            assert breaker.outcome("timeout", START) is None
        assert breaker.outcome(None, START) is None
    assert breaker.closed_until(START) is None


def test_a_jobs_own_failure_says_nothing_about_the_host() -> None:
    breaker = Breaker()
    for _ in range(100):
        assert breaker.outcome("http_404", START) is None
    assert breaker.idle


def test_concurrency_gates_open_at_no_instant() -> None:
    floor = Floor(limit=Limit(max_concurrency=1))
    floor.add(LIMITED, 2)
    floor.take()
    assert floor.gates.flow_closed_until(LIMITED, floor.now) == UNTIL_ONE_ENDS


@pytest.mark.parametrize("limit", [Limit(max_concurrency=1), Limit(rate=1, per="minute")])
def test_what_was_used_and_is_at_rest_again_is_dropped(limit: Limit) -> None:
    gates, now = Gates(lambda definition: limit), START
    for number in range(1, 50 * KEPT):
        flow, now = flow_of(USER, number), now + timedelta(seconds=1)
        assert gates.flow_closed_until(flow, now) is None
        gates.passed(USER, flow, 1)
        gates.ended(flow)
    assert len(gates._flows) <= 2 * KEPT


def test_meters_at_rest_are_dropped_and_others_go_on_counting() -> None:
    gates, now = Gates(lambda definition: Limit(max_concurrency=1, rate=1, per="minute")), START
    busy, spent = flow_of(USER, 1), flow_of(USER, 2)
    for flow in (busy, spent):
        gates.flow_closed_until(flow, now)
        gates.passed(USER, flow, 1)
    gates.ended(spent)
    for number in range(3, 50 * KEPT):
        gates.flow_closed_until(flow_of(USER, number), now)
    assert len(gates._flows) <= 2 * KEPT
    assert gates.flow_closed_until(busy, now) == UNTIL_ONE_ENDS
    assert gates.flow_closed_until(spent, now) == now + timedelta(minutes=1)


def test_breakers_forget_failures_of_long_ago_and_nothing_else() -> None:
    gates, now = Gates(lambda definition: None), START
    down, failing = flow_of(USER, BREAKER_BIT | 1), flow_of(USER, BREAKER_BIT | 2)
    for _ in range(THRESHOLD):
        gates.outcome(down, "connection", now)
    for number in range(3, 5 * KEPT):
        gates.outcome(flow_of(USER, BREAKER_BIT | number), "connection", now)
    assert len(gates._breakers) == 5 * KEPT - 2, "all of them are fresh"
    now += FORGOTTEN
    gates.outcome(failing, "connection", now)
    for number in range(5 * KEPT, 20 * KEPT):
        gates.outcome(flow_of(USER, BREAKER_BIT | number), "connection", now + timedelta(hours=number))
    assert len(gates._breakers) <= 2 * KEPT
    breaker = gates.breaker(down)
    assert breaker is not None
    assert breaker.open_until is not None
