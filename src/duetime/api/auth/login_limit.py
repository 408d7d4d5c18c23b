"""How often a password may be tried: for an account, and from an address."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from duetime.api.auth.buckets import Buckets
from duetime.clock.port import Clock
from duetime.model.errors import OverLimit

ACCOUNT_BURST, ACCOUNT_RATE = 10, 1 / 30
ADDRESS_BURST, ADDRESS_RATE = 50, 1 / 2
SIGNUP_BURST, SIGNUP_RATE = 20, 1 / 60


def origin_of(address: str) -> str:
    """What counts as one caller: an IPv4 address, or the /64 that one holder of IPv6 has to himself."""
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
    """Counts an attempt before the password is checked, so that attempts at once count as well.

    A right password gives the attempt back: only wrong ones use up what is allowed. Unknown names are
    counted like known ones.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accounts = Buckets(ACCOUNT_RATE, ACCOUNT_BURST)
        self._addresses = Buckets(ADDRESS_RATE, ADDRESS_BURST)

    def enter(self, username: str, address: str) -> None:
        """Count an attempt; `OverLimit` when there were too many wrong ones lately."""
        now = self._clock.monotonic()
        account, origin = username.lower(), origin_of(address)
        # Looked at before either is taken from: a refused attempt costs nothing, and an address that
        # is over its limit cannot use up the attempts of accounts.
        wait = max(self._addresses.wait(origin, now), self._accounts.wait(account, now))
        if wait > 0:
            raise OverLimit("Too many wrong passwords: wait before you try again.", retry_after=wait)
        self._addresses.take(origin, now)
        self._accounts.take(account, now)

    def give_back(self, username: str, address: str) -> None:
        """The attempt was right, or could not be judged: it does not count."""
        self._accounts.give_back(username.lower())
        self._addresses.give_back(origin_of(address))


class SignupLimit:
    """How many accounts one address may make by itself."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._addresses = Buckets(SIGNUP_RATE, SIGNUP_BURST)

    def enter(self, address: str) -> None:
        """Count a sign-up; `OverLimit` when there were too many lately."""
        wait = self._addresses.take(origin_of(address), self._clock.monotonic())
        if wait > 0:
            raise OverLimit("Too many accounts were made from your address: try later.", retry_after=wait)
