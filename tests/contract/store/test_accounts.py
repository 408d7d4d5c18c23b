"""Users: one for each name, changed only where it is said, every change on record."""

from __future__ import annotations

import pytest

from contract.store.place import Audited, Place, at
from duetime.model.errors import Conflict
from duetime.model.policy import Limit
from duetime.model.user import Quotas, Share, UserChange


async def test_a_user_is_stored_as_it_was_handed_in(place: Place) -> None:
    made = await place.stores.accounts.create_user("Ann", "hash", 2.5, "admin", at(3), place.user)
    assert (made.username, made.job_weight, made.role) == ("Ann", 2.5, "admin")
    assert (made.created_at, made.tokens_from) == (at(3), at(3))
    assert (made.limits, made.quotas, made.pinned_to, made.requires) == (None, None, None, None)
    assert await place.stores.accounts.user(made.id) == made
    assert (await place.audit())[-1] == Audited(place.user, "user.created", f"user:{made.id}")


async def test_a_name_is_taken_however_it_is_capitalised(place: Place) -> None:
    await place.stores.accounts.create_user("Ann", "hash", 1.0, "user", at(0), None)
    before = await place.audit()
    with pytest.raises(Conflict):
        await place.stores.accounts.create_user("aNN", "other", 1.0, "user", at(0), None)
    found = await place.stores.accounts.credentials("ANN")
    assert found is not None
    assert (found.user.username, found.password_hash) == ("Ann", "hash")
    assert await place.audit() == before, "what was refused is not on record"


async def test_who_is_not_there_is_not_found_and_not_changed(place: Place) -> None:
    accounts, before = place.stores.accounts, await place.audit()
    assert await accounts.credentials("nobody") is None
    assert await accounts.user(place.user + 1) is None
    assert await accounts.set_password(place.user + 1, "x", at(1), place.user) is None
    assert await accounts.change_user(place.user + 1, UserChange(job_weight=2.0), at(1), place.user) is None
    assert await place.audit() == before


async def test_users_come_by_id_page_by_page(place: Place) -> None:
    others = [await place.new_user() for _ in range(3)]
    every = [place.user, *others]
    assert [user.id for user in await place.stores.accounts.users(2, 0)] == every[:2]
    assert [user.id for user in await place.stores.accounts.users(10, every[1])] == every[2:]


async def test_a_new_password_makes_earlier_tokens_void(place: Place) -> None:
    made = await place.stores.accounts.create_user("Ann", "old", 1.0, "user", at(0), None)
    changed = await place.stores.accounts.set_password(made.id, "new", at(7), place.user)
    assert changed is not None
    assert (changed.tokens_from, changed.created_at) == (at(7), at(0))
    found = await place.stores.accounts.credentials("ann")
    assert found is not None
    assert (found.password_hash, found.user) == ("new", changed)
    assert (await place.audit())[-1] == Audited(place.user, "user.password_changed", f"user:{made.id}")


async def test_a_change_sets_what_it_says_and_leaves_the_rest(place: Place) -> None:
    accounts, limit, quotas = place.stores.accounts, Limit(max_concurrency=3), Quotas(pending_jobs=5)
    whole = UserChange(job_weight=4.0, limits=limit, quotas=quotas, pinned_to=(1, 2), requires={"gpu": "yes"})
    changed = await accounts.change_user(place.user, whole, at(1), place.user)
    assert changed is not None
    assert (changed.job_weight, changed.limits, changed.quotas) == (4.0, limit, quotas)
    assert (changed.pinned_to, changed.requires) == ((1, 2), {"gpu": "yes"})
    less = await accounts.change_user(place.user, UserChange(limits=None, requires=None), at(2), place.user)
    assert less is not None
    assert (less.limits, less.requires) == (None, None)
    assert (less.job_weight, less.quotas, less.pinned_to) == (4.0, quotas, (1, 2))
    assert await accounts.user(place.user) == less
    assert [entry for entry in await place.audit() if entry.action == "user.changed"] == [
        Audited(place.user, "user.changed", f"user:{place.user}")
    ] * 2


async def test_shares_say_what_a_scheduler_has_to_know(place: Place) -> None:
    other = await place.new_user()
    change = UserChange(job_weight=3.0, limits=Limit(max_concurrency=2), requires={"gpu": "yes"})
    await place.stores.accounts.change_user(other, change, at(1), place.user)
    assert sorted(await place.stores.accounts.shares(), key=lambda share: share.user_id) == [
        Share(place.user, 1.0),
        Share(other, 3.0, Limit(max_concurrency=2), {"gpu": "yes"}),
    ]
