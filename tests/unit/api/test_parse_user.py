"""What an administrator may set about a user."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from duetime.api.users.bodies import UserPatch
from duetime.api.users.parse import parse_user_patch
from duetime.api.users.views import account_view
from duetime.clock.manual import ManualClock
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.policy import Limit
from duetime.model.user import Quotas, User, UserChange


def parse(**fields: Any) -> UserChange:
    return parse_user_patch(msgspec.json.decode(msgspec.json.encode(fields), type=UserPatch))


def refused(**fields: Any) -> Any:
    with pytest.raises(Invalid) as caught:
        parse(**fields)
    assert caught.value.message.endswith(".")
    return caught.value.details.get("field")


def test_what_is_given_is_set_and_the_rest_stays() -> None:
    assert parse(job_weight=3) == UserChange(job_weight=3.0)
    assert parse(limits={"rate": 5, "per": "minute"}) == UserChange(limits=Limit(rate=5, per="minute"))
    assert parse(quotas={"pending_jobs": 0}) == UserChange(quotas=Quotas(pending_jobs=0))
    change = parse(limits=None, quotas=None)
    assert (change.limits, change.quotas, change.job_weight, change.pinned_to) == (None, None, UNSET, UNSET)


def test_shards_are_kept_once_and_in_order() -> None:
    assert parse(distribution={"kind": "pin", "shards": [1023, 0, 5, 5]}).pinned_to == (0, 5, 1023)
    assert parse(distribution={"kind": "spread"}).pinned_to is None


def test_labels_are_required_instead_of_shards_and_the_other_way_round() -> None:
    change = parse(distribution={"kind": "labels", "labels": {"gpu": "yes"}})
    assert (change.requires, change.pinned_to) == ({"gpu": "yes"}, None)
    change = parse(distribution={"kind": "pin", "shards": [1]})
    assert (change.requires, change.pinned_to) == (None, (1,))
    assert parse(distribution={"kind": "spread"}).requires is None
    assert parse(job_weight=1).requires is UNSET
    assert refused(distribution={"kind": "labels", "labels": {"gpu": "\0"}}) == "distribution.labels"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, None),
        ({"limits": {}}, "limits"),
        ({"limits": {"burst": 3, "max_concurrency": 1}}, "limits.burst"),
        ({"quotas": {"requests_per_second": 1e-9}}, "quotas.requests_per_second"),
        ({"quotas": {"payload_bytes": 10**30}}, "quotas.payload_bytes"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], field: str | None) -> None:
    assert refused(**fields) == field


@pytest.mark.parametrize(
    "fields",
    [
        {"job_weight": None},
        {"job_weight": 0},
        {"distribution": None},
        {"distribution": {"kind": "pin", "shards": []}},
        {"distribution": {"kind": "pin", "shards": [1024]}},
        {"distribution": {"kind": "pin", "shards": [-1]}},
        {"distribution": {"kind": "elsewhere"}},
        {"distribution": {"kind": "labels"}},
        {"distribution": {"kind": "labels", "labels": {}}},
        {"distribution": {"kind": "labels", "labels": {"": "x"}}},
        {"quotas": {"pending_jobs": -1}},
        {"quotas": {"unknown": 1}},
        {"username": "eve"},
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        parse(**fields)


def test_empty_quotas_are_none() -> None:
    assert parse(quotas={}).quotas is None


def test_an_account_shows_what_was_set(clock: ManualClock) -> None:
    now = clock.now()
    user = User(UserId(7), "ada", 1.0, "user", now, now, Limit(3), Quotas(pending_jobs=5), (1, 2))
    view = msgspec.json.decode(msgspec.json.encode(account_view(user)))
    assert view["limits"]["max_concurrency"] == 3
    assert view["quotas"]["pending_jobs"] == 5
    assert view["distribution"] == {"kind": "pin", "shards": [1, 2]}
    labelled = User(UserId(7), "ada", 1.0, "user", now, now, requires={"zone": "eu"})
    view = msgspec.json.decode(msgspec.json.encode(account_view(labelled)))
    assert view["distribution"] == {"kind": "labels", "labels": {"zone": "eu"}}
    plain = account_view(User(UserId(7), "ada", 1.0, "user", now, now))
    assert msgspec.json.decode(msgspec.json.encode(plain))["distribution"] == {"kind": "spread"}
