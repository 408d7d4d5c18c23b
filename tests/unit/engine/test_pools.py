"""Which executors may run the jobs of a queue, and shares within each pool."""

from __future__ import annotations

from collections import Counter

from duetime.clock.manual import ManualClock
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import Pick
from duetime.engine.due.pools import Pools
from duetime.model.definition import Definition, encode_definition
from duetime.model.flow import flow_of_job
from duetime.model.ids import flow_of
from duetime.model.labels import ANY, NO_EXECUTOR, meets, pool_of
from duetime.model.policy import Limit, Policy
from duetime.store.port import JobRef

EU = pool_of({"zone": "eu"})
GPU = {7: {"gpu": "yes"}, 8: None}


def test_a_pool_is_named_by_what_it_takes_whatever_the_order() -> None:
    assert pool_of({"a": "1", "b": "2"}) == pool_of({"b": "2"}, {"a": "1"}) == '{"a":"1","b":"2"}'
    assert pool_of(None, {}) == ANY
    assert pool_of({"a": "1"}, {"a": "2"}) == NO_EXECUTOR


def test_who_is_in_a_pool() -> None:
    assert meets({}, ANY)
    assert meets({"zone": "eu", "x": "y"}, EU)
    assert not meets({"zone": "us"}, EU)
    assert not meets({}, EU)
    assert not meets({"zone": "eu"}, NO_EXECUTOR)


def test_a_definition_that_requires_labels_has_a_queue_of_its_own() -> None:
    plain, labelled = Definition(), Definition(policy=Policy(requires={"zone": "eu"}))
    assert flow_of_job(3, 9, plain) == flow_of(3)
    assert flow_of_job(3, 9, labelled) == flow_of(3, 9)
    assert b"requires" not in encode_definition(plain), "what is stored already must keep its spelling"


def test_a_queue_requires_what_its_definition_and_its_user_do() -> None:
    pools = Pools(lambda definition: GPU.get(definition, False))
    assert pools.of_flow(flow_of(1)) == ANY
    assert pools.of_flow(flow_of(1, 7)) == '{"gpu":"yes"}'
    assert pools.of_flow(flow_of(1, 8)) == ANY
    assert pools.of_flow(flow_of(1, 99)) is None, "unknown: to be looked up"
    assert pools.set_users({1: {"zone": "eu"}})
    assert not pools.set_users({1: {"zone": "eu"}})
    assert pools.of_flow(flow_of(1)) == EU
    assert pools.of_flow(flow_of(1, 7)) == '{"gpu":"yes","zone":"eu"}'
    assert pools.of_flow(flow_of(2)) == ANY
    pools.set_users({1: {"gpu": "no"}})
    assert pools.of_flow(flow_of(1, 7)) == NO_EXECUTOR


class World:
    """A pick over two pools."""

    def __init__(self) -> None:
        self.now = ManualClock().now()
        self.backlog = Backlog()
        self.gates = Gates(lambda _: None)
        self.requires: dict[int, str | None] = {}
        self.pick = Pick(self.backlog, self.gates, lambda flow: self.requires.get(flow, ANY))
        self._ids = iter(range(1, 10**6))

    def add(self, flow: int, count: int) -> None:
        user = flow >> 32
        refs = [JobRef(next(self._ids), user, flow, 5, self.now, 0, None, self.now) for _ in range(count)]
        self.pick.wake(self.backlog.offer(refs, self.now))

    def users(self, count: int, pool: str) -> Counter[int]:
        return Counter(ref.user_id for ref in self.pick.pick(count, self.now, pool))


def test_a_full_pool_holds_back_only_its_own_queues() -> None:
    world = World()
    world.requires = {flow_of(1, 7): EU}
    world.add(flow_of(1), 5)
    world.add(flow_of(1, 7), 5)
    assert world.pick.pools() == [EU, ANY]
    assert len(world.pick.pick(10, world.now)) == 5
    assert world.pick.waiting
    assert len(world.pick.pick(10, world.now, EU)) == 5
    assert not world.pick.waiting
    world.pick.pick(1, world.now, EU)
    assert world.pick.pools() == [ANY], "a pool that nobody wants is forgotten"


def test_shares_within_a_pool_hold_while_another_pool_races_ahead() -> None:
    world = World()
    world.requires = {flow_of(1, 7): EU, flow_of(2, 7): EU}
    world.pick.set_weights({1: 3.0, 2: 1.0, 3: 1.0})
    world.add(flow_of(1, 7), 400)
    world.add(flow_of(2, 7), 400)
    world.add(flow_of(3), 900)
    seen: Counter[int] = Counter()
    for _ in range(100):
        assert world.users(7, ANY) == {3: 7}
        seen += world.users(1, EU)
    assert seen == {1: 75, 2: 25}


def test_a_users_limit_holds_in_all_pools_together_and_opens_all() -> None:
    world = World()
    world.requires = {flow_of(1, 7): EU}
    world.gates.set_user_limits({1: Limit(max_concurrency=1)}, world.now)
    world.add(flow_of(1), 2)
    world.add(flow_of(1, 7), 2)
    (first,) = world.pick.pick(5, world.now)
    assert world.pick.pick(5, world.now, EU) == []
    assert world.pick.pools() == [EU, ANY]
    world.pick.release([first.id])
    assert len(world.pick.pick(5, world.now, EU)) == 1


def test_queues_go_where_they_belong_when_what_they_require_changes_or_is_learned() -> None:
    world = World()
    world.requires = {flow_of(1, 7): None}
    world.add(flow_of(1, 7), 2)
    assert world.gates.unknown == {7}
    assert world.pick.pick(5, world.now) == world.pick.pick(5, world.now, EU) == []
    world.requires = {flow_of(1, 7): EU}
    world.pick.learned({7})
    assert len(world.pick.pick(1, world.now, EU)) == 1
    world.requires = {}
    world.pick.regroup()
    assert world.pick.pick(5, world.now, EU) == []
    assert len(world.pick.pick(5, world.now)) == 1
