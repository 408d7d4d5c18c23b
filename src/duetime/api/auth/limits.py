"""How often a client may try a password, sign up and call: token buckets by account, address and user."""

from __future__ import annotations

from collections.abc import Hashable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import NamedTuple

from duetime.api.auth.buckets import Buckets
from duetime.clock.port import Clock
from duetime.model.errors import OverLimit

ACCOUNT_BURST, ACCOUNT_RATE = 10, 1 / 30
"""Wrong passwords for one account from one address."""
ADDRESS_BURST, ADDRESS_RATE = 50, 1 / 2
"""Wrong passwords from one address, for whichever account."""
STRANGERS_BURST, STRANGERS_RATE = 50, 1 / 30
"""Wrong passwords for one account from all addresses that it has not logged in from."""
SIGNUP_BURST, SIGNUP_RATE = 20, 1 / 60
LOCAL_SIGNUP_BURST, LOCAL_SIGNUP_RATE = 1000, 10.0
MAX_RATES = 1000
MAX_KNOWN = 20_000


def origin_of(address: str) -> str:
    """What counts as one caller: an IPv4 address, or an IPv6 /64, which usually belongs to one holder."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


class Attempt(NamedTuple):
    """A counted attempt: the account and the address, and where it was counted."""

    pair: tuple[str, str]
    counted: list[tuple[Buckets, Hashable]]


class LoginLimit:
    """Counts an attempt before the password is checked, so that simultaneous attempts count too.

    A right password refunds the attempt: only wrong ones use up the allowance. Unknown names count like
    known ones. Strangers who guess an account's password use up what strangers have for it, and not what the
    addresses have that the account has logged in from. Those are remembered by this process.
    """

    def __init__(self, clock: Clock, max_known: int = MAX_KNOWN) -> None:
        self._clock = clock
        self._pairs = Buckets(ACCOUNT_RATE, ACCOUNT_BURST)
        self._addresses = Buckets(ADDRESS_RATE, ADDRESS_BURST)
        self._strangers = Buckets(STRANGERS_RATE, STRANGERS_BURST)
        self._known: dict[tuple[str, str], None] = {}
        self._max_known = max_known

    def enter(self, username: str, address: str, *, logged_in: bool = False) -> Attempt:
        """Counts an attempt. Raises `OverLimit` after too many wrong ones in a short time."""
        now = self._clock.monotonic()
        pair = account, origin = username.lower(), origin_of(address)
        counted: list[tuple[Buckets, Hashable]] = [(self._addresses, origin), (self._pairs, pair)]
        if not logged_in and pair not in self._known:
            counted.append((self._strangers, account))
        # All are checked before any is counted: a refused attempt costs nothing, and an address over its limit
        # cannot use up the attempts of accounts.
        wait = max(buckets.wait(key, now) for buckets, key in counted)
        if wait > 0:
            raise OverLimit("Too many wrong passwords: wait before you try again.", retry_after=wait)
        for buckets, key in counted:
            buckets.spend(key, now)
        return Attempt(pair, counted)

    def refund(self, attempt: Attempt, *, right: bool) -> None:
        """Uncounts an attempt whose password could not be checked, or was `right`: then its address is a known one."""
        for buckets, key in attempt.counted:
            buckets.refund(key)
        if right:
            self._known.pop(attempt.pair, None)
            self._known[attempt.pair] = None
            if len(self._known) > self._max_known:
                del self._known[next(iter(self._known))]


class SignupLimit:
    """Limits how many accounts one address may create for itself. This machine may create more."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._addresses = Buckets(SIGNUP_RATE, SIGNUP_BURST)
        self._this_machine = Buckets(LOCAL_SIGNUP_RATE, LOCAL_SIGNUP_BURST)

    def enter(self, address: str, *, local: bool = False) -> None:
        """Counts a sign-up. Raises `OverLimit` after too many in a short time."""
        buckets = self._this_machine if local else self._addresses
        wait = buckets.spend(origin_of(address), self._clock.monotonic())
        if wait > 0:
            raise OverLimit("Too many accounts were created from your address: try again later.", retry_after=wait)


class RequestRate:
    """A token bucket for each user: a burst of two seconds' worth of requests, then the rate."""

    def __init__(self, per_second: float | None, clock: Clock) -> None:
        """`per_second` is for users without a rate of their own; None means no limit."""
        self._per_second = per_second
        self._clock = clock
        self._buckets: dict[float, Buckets] = {}
        """By rate: one for each rate that administrators have set, and one for the default."""

    def enter(self, user_id: int, own_rate: float | None = None) -> None:
        """Counts one request. Raises `OverLimit` when the user is over its rate."""
        rate = own_rate or self._per_second
        if rate is None:
            return
        wait = self._at(rate).spend(user_id, self._clock.monotonic())
        if wait > 0:
            raise OverLimit(
                f"You may send {rate:g} requests per second: try again in {wait:.2f} s.",
                retry_after=wait,
                quota="requests_per_second",
                limit=rate,
            )

    def _at(self, rate: float) -> Buckets:
        buckets = self._buckets.get(rate)
        if buckets is None:
            if len(self._buckets) >= MAX_RATES:
                self._buckets.clear()
            buckets = self._buckets[rate] = Buckets(rate, max(1.0, 2 * rate))
        return buckets
