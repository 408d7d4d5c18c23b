"""Closed gates made visible: what living schedulers say holds jobs back, and breakers that people reset."""

from __future__ import annotations

from contract.store.place import NOW, Place, at
from duetime.model.broken_host import BrokenHost
from duetime.model.gate import ClosedGate, NodeGate


def breaker(place: Place, host: str = "a.test", flow: int = 7, failures: int = 5, seconds: float = 0) -> ClosedGate:
    """A host that is down."""
    return ClosedGate("breaker", place.user, flow, host, at(seconds), at(seconds + 5), failures)


async def test_what_a_scheduler_says_is_seen_until_it_says_something_else(place: Place) -> None:
    gates, one = place.stores.gates, breaker(place)
    limit = ClosedGate("definition_limit", place.user, 9, "rate", at(1))
    full = ClosedGate("slots", 0, 0, "", at(2))
    other = await place.new_user()
    assert await gates.publish(place.node, [one, limit, full]) == []
    assert await gates.closed_gates(place.user) == [NodeGate(place.node, gate) for gate in (one, limit, full)]
    assert await gates.closed_gates(other) == [NodeGate(place.node, full)], "full slots hold back everybody"
    await gates.publish(place.node, [limit])
    assert await gates.closed_gates(place.user) == [NodeGate(place.node, limit)]
    await gates.publish(place.node, [])
    assert await gates.closed_gates(place.user) == []


async def test_a_host_is_shown_once_however_many_schedulers_take_it_to_be_down(place: Place) -> None:
    other, _ = await place.new_node()
    gates = place.stores.gates
    await gates.publish(place.node, [breaker(place, failures=5, seconds=10)])
    await gates.publish(other, [breaker(place, failures=7, seconds=20), breaker(place, "0.test", flow=8)])
    zero = BrokenHost(place.user, "0.test", 5, at(0), at(5))
    assert await gates.broken_hosts(place.user) == [zero, BrokenHost(place.user, "a.test", 7, at(10), at(15))]
    assert await gates.broken_hosts(await place.new_user()) == []
    assert len(await gates.broken_hosts(None)) == 2
    await gates.publish(other, [])
    assert await gates.broken_hosts(place.user) == [BrokenHost(place.user, "a.test", 5, at(10), at(15))]


async def test_what_a_dead_scheduler_said_counts_no_more(place: Place) -> None:
    other, _ = await place.new_node()
    gates = place.stores.gates
    await gates.publish(other, [breaker(place)])
    await place.coordinator.leave(other)
    assert await gates.closed_gates(place.user) == []
    assert await gates.broken_hosts(None) == []
    assert await gates.reset_breakers(None, "a.test", NOW, place.user) == 0
    await gates.publish(other, [breaker(place)])
    assert await gates.closed_gates(place.user) == [], "a dead scheduler says nothing new"


async def test_a_reset_reaches_every_scheduler_that_has_the_breaker(place: Place) -> None:
    other, _ = await place.new_node()
    gates, user = place.stores.gates, await place.new_user()
    theirs = ClosedGate("breaker", user, 70, "a.test", at(0), None, 5)
    await gates.publish(place.node, [breaker(place), theirs])
    await gates.publish(other, [breaker(place), breaker(place, "b.test", flow=8)])
    assert await gates.reset_breakers(place.user, "a.test", NOW, place.user) == 2
    assert await gates.reset_breakers(place.user, "c.test", NOW, place.user) == 0
    assert await gates.reset_requests(place.node) == [7]
    assert await gates.reset_requests(other) == [7]
    assert await gates.publish(other, []) == [7], "what is replaced says that it was to be reset"
    assert await gates.reset_requests(other) == []
    assert await gates.reset_breakers(None, "a.test", NOW, place.user) == 2
    assert sorted(await gates.reset_requests(place.node)) == [7, 70]
    assert (await place.audit())[-1] == (place.user, "breaker.reset", "users:all")
