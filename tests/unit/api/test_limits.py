"""Limits on wrong passwords, sign-ups and requests, in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.api.auth.buckets import Buckets
from duetime.api.auth.limits import (
    ACCOUNT_BURST,
    ACCOUNT_RATE,
    ADDRESS_BURST,
    LOCAL_SIGNUP_BURST,
    SIGNUP_BURST,
    STRANGERS_BURST,
    LoginLimit,
    RequestRate,
    SignupLimit,
    origin_of,
)
from duetime.clock.manual import ManualClock
from duetime.model.errors import OverLimit


@given(
    rate=st.floats(0.01, 100),
    burst=st.integers(1, 50),
    steps=st.lists(st.floats(0, 10), max_size=200),
)
def test_a_bucket_never_gives_more_than_burst_and_rate(rate: float, burst: int, steps: list[float]) -> None:
    buckets, now, taken = Buckets(rate, burst), 0.0, 0
    for step in steps:
        now += step
        wait = buckets.spend("key", now)
        taken += wait == 0
        assert taken <= burst + rate * now + 1e-6
        if wait > 1e-9:  # less than that is lost when it is added to the present
            assert buckets.spend("key", now + wait * 0.99) > 0
            assert buckets.wait("key", now + wait * 1.000001 + 1e-9) == 0


def test_a_bucket_is_full_again_after_a_while() -> None:
    buckets = Buckets(rate=1, burst=3)
    assert [buckets.spend("a", 0) for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.spend("b", 0) == 0
    assert [buckets.spend("a", 100) for _ in range(4)] == [0, 0, 0, 1]


def test_a_refund_undoes_one_spend() -> None:
    buckets = Buckets(rate=1, burst=2)
    buckets.spend("a", 0)
    buckets.refund("a")
    buckets.refund("never seen")
    assert [buckets.spend("a", 0) for _ in range(3)] == [0, 0, 1]


def test_a_flood_of_keys_is_bounded_and_washes_out_no_exhausted_one() -> None:
    buckets = Buckets(rate=0.001, burst=5, max_keys=100)
    for _ in range(5):
        buckets.spend("victim", 0)
    for number in range(10_000):
        buckets.spend(number, 1)
        assert len(buckets) <= 101
    assert buckets.spend("victim", 1) > 0


def test_wrong_passwords_for_an_account_from_one_address_are_limited(clock: ManualClock) -> None:
    limit = LoginLimit(clock)
    for _ in range(ACCOUNT_BURST):
        limit.enter("Ada", "10.0.0.1")
    with pytest.raises(OverLimit) as refused:
        limit.enter("ada", "10.0.0.1")
    assert refused.value.retry_after == pytest.approx(1 / ACCOUNT_RATE)
    limit.enter("bob", "10.0.0.1")
    limit.enter("ada", "10.0.0.2")
    clock.advance(refused.value.retry_after)
    limit.enter("aDa", "10.0.0.1")


def test_wrong_passwords_for_an_account_from_all_strangers_are_limited_and_shut_no_known_address_out(
    clock: ManualClock,
) -> None:
    limit = LoginLimit(clock)
    limit.refund(limit.enter("ada", "192.0.2.1"), right=True)
    limit.refund(limit.enter("ada", "192.0.2.2"), right=False)
    for number in range(STRANGERS_BURST):
        limit.enter("Ada", f"10.0.{number}.1")
    for stranger in ("10.9.9.9", "192.0.2.2"):
        with pytest.raises(OverLimit):
            limit.enter("ada", stranger)
    limit.enter("ADA", "192.0.2.1")
    limit.enter("ada", "10.9.9.9", logged_in=True)


def test_known_addresses_are_bounded_and_the_oldest_is_forgotten(clock: ManualClock) -> None:
    limit = LoginLimit(clock, max_known=2)
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.3"):
        limit.refund(limit.enter("ada", address), right=True)
    for number in range(STRANGERS_BURST):
        limit.enter("ada", f"10.0.{number}.1")
    limit.enter("ada", "192.0.2.1")
    limit.enter("ada", "192.0.2.3")
    with pytest.raises(OverLimit):
        limit.enter("ada", "192.0.2.2")


def test_wrong_passwords_from_an_address_are_limited_whatever_the_account(clock: ManualClock) -> None:
    limit = LoginLimit(clock)
    for number in range(ADDRESS_BURST):
        limit.enter(f"user{number}", "2001:db8::1")
    with pytest.raises(OverLimit):
        limit.enter("another", "2001:db8::ffff")
    limit.enter("another", "2001:db8:0:1::1")


def test_refused_attempts_do_not_use_up_an_account(clock: ManualClock) -> None:
    limit = LoginLimit(clock)
    for number in range(ADDRESS_BURST):
        limit.enter(f"user{number}", "10.0.0.1")
    for _ in range(100):
        with pytest.raises(OverLimit):
            limit.enter("ada", "10.0.0.1")
    for _ in range(ACCOUNT_BURST):
        limit.enter("ada", "10.0.0.2")


def test_right_passwords_are_not_limited(clock: ManualClock) -> None:
    limit = LoginLimit(clock)
    for _ in range(ADDRESS_BURST * 10):
        limit.refund(limit.enter("ada", "10.0.0.1"), right=True)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("a-unix-socket", "a-unix-socket"),
    ],
)
def test_what_counts_as_one_caller(address: str, origin: str) -> None:
    assert origin_of(address) == origin


def test_sign_ups_from_an_address_are_limited(clock: ManualClock) -> None:
    limit = SignupLimit(clock)
    for _ in range(SIGNUP_BURST):
        limit.enter("10.0.0.1")
    with pytest.raises(OverLimit):
        limit.enter("10.0.0.1")
    limit.enter("10.0.0.2")


def test_sign_ups_on_this_machine_are_limited_too(clock: ManualClock) -> None:
    limit = SignupLimit(clock)
    for _ in range(LOCAL_SIGNUP_BURST):
        limit.enter("127.0.0.1", local=True)
    with pytest.raises(OverLimit):
        limit.enter("127.0.0.1", local=True)
    limit.enter("127.0.0.1")


def test_requests_are_limited_per_user(clock: ManualClock) -> None:
    rate = RequestRate(5, clock)
    for _ in range(10):
        rate.enter(1)
    with pytest.raises(OverLimit) as refused:
        rate.enter(1)
    assert refused.value.retry_after == pytest.approx(0.2)
    rate.enter(2)
    clock.advance(0.2)
    rate.enter(1)


def test_a_user_with_a_rate_of_its_own_goes_by_that(clock: ManualClock) -> None:
    rate = RequestRate(5, clock)
    for _ in range(2):
        rate.enter(1, 1.0)
    with pytest.raises(OverLimit, match="1 requests per second") as refused:
        rate.enter(1, 1.0)
    assert refused.value.details == {"quota": "requests_per_second", "limit": 1.0}
    for _ in range(150):
        rate.enter(2, 100.0)
    rate.enter(3)


def test_without_a_default_rate_only_users_with_a_rate_of_their_own_are_limited(clock: ManualClock) -> None:
    rate = RequestRate(None, clock)
    for _ in range(10_000):
        rate.enter(1)
    for _ in range(2):
        rate.enter(1, 1.0)
    with pytest.raises(OverLimit):
        rate.enter(1, 1.0)


def test_a_slow_rate_still_lets_the_first_request_in(clock: ManualClock) -> None:
    rate = RequestRate(0.1, clock)
    rate.enter(1)
    with pytest.raises(OverLimit):
        rate.enter(1)
