"""Breakers made visible: the hosts that living schedulers take to be down."""

from __future__ import annotations

from contract.store.place import Place, at
from duetime.store.port import BrokenHost


def broken(place: Place, host: str = "a.test", flow: int = 7, failures: int = 5, seconds: float = 0) -> BrokenHost:
    """A host that is down."""
    return BrokenHost(flow, place.user, host, failures, at(seconds))


async def test_an_open_breaker_is_seen_by_its_user_until_it_closes(place: Place) -> None:
    breakers, one = place.stores.breakers, broken(place)
    await breakers.opened(place.node, one)
    assert await breakers.broken_hosts(place.user) == [one]
    assert await breakers.broken_hosts(await place.new_user()) == []
    await breakers.closed(place.node, one.flow)
    assert await breakers.broken_hosts(place.user) == []
    await breakers.closed(place.node, one.flow)


async def test_opening_again_says_what_is_so_now(place: Place) -> None:
    await place.stores.breakers.opened(place.node, broken(place))
    again = broken(place, failures=9, seconds=30)
    await place.stores.breakers.opened(place.node, again)
    assert await place.stores.breakers.broken_hosts(place.user) == [again]


async def test_a_host_is_shown_once_however_many_schedulers_take_it_to_be_down(place: Place) -> None:
    other, _ = await place.new_node()
    await place.stores.breakers.opened(place.node, broken(place, failures=5, seconds=10))
    await place.stores.breakers.opened(other, broken(place, failures=7, seconds=20))
    await place.stores.breakers.opened(other, broken(place, "0.test", flow=8))
    assert await place.stores.breakers.broken_hosts(place.user) == [
        broken(place, "0.test", flow=8),
        broken(place, failures=7, seconds=10),
    ]
    await place.stores.breakers.closed(other, 7)
    assert [one.failures for one in await place.stores.breakers.broken_hosts(place.user)] == [5, 5]


async def test_what_a_dead_scheduler_said_counts_no_more(place: Place) -> None:
    other, _ = await place.new_node()
    await place.stores.breakers.opened(other, broken(place))
    await place.coordinator.leave(other)
    assert await place.stores.breakers.broken_hosts(place.user) == []
