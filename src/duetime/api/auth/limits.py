"""How often a client may try a password, sign up and call: token buckets by account, address and user."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from duetime.api.auth.buckets import Buckets
from duetime.clock.port import Clock
from duetime.model.errors import OverLimit

ACCOUNT_BURST, ACCOUNT_RATE = 10, 1 / 30
ADDRESS_BURST, ADDRESS_RATE = 50, 1 / 2
SIGNUP_BURST, SIGNUP_RATE = 20, 1 / 60
MAX_RATES = 1000


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


class LoginLimit:
    """Counts an attempt before the password is checked, so that simultaneous attempts count too.

    A right password refunds the attempt: only wrong ones use up the allowance. Unknown names count like
    known ones.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accounts = Buckets(ACCOUNT_RATE, ACCOUNT_BURST)
        self._addresses = Buckets(ADDRESS_RATE, ADDRESS_BURST)

    def enter(self, username: str, address: str) -> None:
        """Counts an attempt. Raises `OverLimit` after too many wrong ones in a short time."""
        now = self._clock.monotonic()
        account, origin = username.lower(), origin_of(address)
        # Both are checked before either is counted: a refused attempt costs nothing, and an address over
        # its limit cannot use up the attempts of accounts.
        wait = max(self._addresses.wait(origin, now), self._accounts.wait(account, now))
        if wait > 0:
            raise OverLimit("Too many wrong passwords: wait before you try again.", retry_after=wait)
        self._addresses.spend(origin, now)
        self._accounts.spend(account, now)

    def refund(self, username: str, address: str) -> None:
        """Uncounts an attempt whose password was right, or could not be checked."""
        self._accounts.refund(username.lower())
        self._addresses.refund(origin_of(address))


class SignupLimit:
    """Limits how many accounts one address may create for itself."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._addresses = Buckets(SIGNUP_RATE, SIGNUP_BURST)

    def enter(self, address: str) -> None:
        """Counts a sign-up. Raises `OverLimit` after too many in a short time."""
        wait = self._addresses.spend(origin_of(address), self._clock.monotonic())
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
