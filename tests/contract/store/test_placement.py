"""Where jobs can be stored, as one database has it: everywhere."""

from __future__ import annotations

from contract.store.place import Place
from duetime.model.ids import SHARDS


async def test_jobs_that_may_go_anywhere_are_spread_over_all_shards(place: Place) -> None:
    pick = place.stores.placement.picker()
    assert {pick(place.user, None, None) for _ in range(SHARDS)} == set(range(SHARDS))


async def test_jobs_of_a_pinned_user_are_spread_over_its_shards(place: Place) -> None:
    pick = place.stores.placement.picker()
    assert {pick(place.user, None, (3, 5, 900)) for _ in range(20)} == {3, 5, 900}


async def test_what_one_request_picks_is_open_and_can_be_stored(place: Place) -> None:
    placement = place.stores.placement
    pick = placement.picker()
    shards = [pick(place.user, key, None) for key in (None, "k", "l")]
    assert [placement.closed(shard) for shard in shards] == [False] * 3
    stored = await place.stores.submit.submit([place.row(shard=shard) for shard in shards], place.row().due_at)
    assert [one.job_id % SHARDS for one in sorted(stored)] == shards


async def test_looking_again_changes_nothing_where_nothing_is_closed(place: Place) -> None:
    placement = place.stores.placement
    await placement.look_again()
    assert not placement.closed(0)
