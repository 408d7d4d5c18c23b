"""Which addresses a request may go to: rules about the address itself, asked at connect time. Pure.

`ipaddress` alone is not enough: `is_private` misses 100.64/10 and NAT64, `is_global` lets NAT64, 6to4 and multicast
pass, and both change between Python releases. So the closed IPv4 networks are listed here. For IPv6 the rule is the
opposite: only global unicast (2000::/3) can pass, except for the special networks inside it.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from msgspec import Struct

from duetime.model.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LOOPBACK = (IPv4Network("127.0.0.0/8"), IPv6Network("::1/128"))
EVERY_ADDRESS = frozenset({"", "*", "0.0.0.0", "::"})  # noqa: S104 - recognised here, never bound
GLOBAL_IPV6 = IPv6Network("2000::/3")

NEVER: tuple[tuple[Network, str], ...] = (
    (IPv4Network("0.0.0.0/8"), "unspecified"),
    (IPv4Network("224.0.0.0/4"), "a multicast address"),
    (IPv4Network("255.255.255.255/32"), "the broadcast address"),
    (IPv6Network("::/128"), "unspecified"),
    (IPv6Network("ff00::/8"), "a multicast address"),
)
"""What no operator can open: no other machine answers HTTP there."""

CLOSED: tuple[tuple[Network, str], ...] = (
    (IPv4Network("10.0.0.0/8"), "private"),
    (IPv4Network("100.64.0.0/10"), "shared between a provider's customers"),
    (IPv4Network("127.0.0.0/8"), "this machine's loopback"),
    (IPv4Network("168.63.129.16/32"), "a cloud platform's own"),
    (IPv4Network("169.254.0.0/16"), "link-local"),
    (IPv4Network("172.16.0.0/12"), "private"),
    (IPv4Network("192.0.0.0/24"), "set apart for protocols"),
    (IPv4Network("192.0.2.0/24"), "for documentation only"),
    (IPv4Network("192.88.99.0/24"), "a 6to4 relay"),
    (IPv4Network("192.168.0.0/16"), "private"),
    (IPv4Network("198.18.0.0/15"), "for benchmarks only"),
    (IPv4Network("198.51.100.0/24"), "for documentation only"),
    (IPv4Network("203.0.113.0/24"), "for documentation only"),
    (IPv4Network("240.0.0.0/4"), "reserved"),
    (IPv6Network("::1/128"), "this machine's loopback"),
    (IPv6Network("fe80::/10"), "link-local"),
    (IPv6Network("fec0::/10"), "site-local"),
    (IPv6Network("fc00::/7"), "private"),
    (IPv6Network("2001:db8::/32"), "for documentation only"),
    (IPv6Network("3fff::/20"), "for documentation only"),
    (IPv6Network("2001::/23"), "set apart for protocols"),
)
"""What the operator can open, network by network."""

WRAPPERS: tuple[tuple[IPv6Network, int], ...] = (
    (IPv6Network("::ffff:0:0/96"), 0),
    (IPv6Network("::ffff:0:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("64:ff9b:1::/48"), 0),
    (IPv6Network("2002::/16"), 80),
    (IPv6Network("::/96"), 0),
)
"""IPv6 networks whose addresses carry an IPv4 address, and the bit (from the right) where it starts.

An operator of an IPv6-only network can open one of them, such as `64:ff9b::/96`. The IPv4 address inside must then
pass by itself.
"""

TEREDO = IPv6Network("2001::/32")
ISATAP = frozenset({0x00005EFE, 0x02005EFE})


class OutgoingRules(Struct, frozen=True):
    """What the operator opened, and where this installation listens itself.

    `allow_private` lists networks (CIDR). `own_listeners` lists pairs of address and port; an address may also be
    `localhost`, or stand for every address of the machine (`0.0.0.0`, `::`, `*` or empty). An own listener is never
    called, even if its network is open.
    """

    allow_private: tuple[str, ...] = ()
    allow_loopback: bool = False
    own_listeners: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        for network in self.allow_private:
            _network(network)
        for host, _ in self.own_listeners:
            if host not in EVERY_ADDRESS and host != "localhost" and _parsed(host) is None:
                raise ConfigError(f"An own listener is given by its address, such as '127.0.0.1', not '{host}'.")


def refusal(address: str, port: int, rules: OutgoingRules) -> str | None:
    """Returns why an address may not be connected to, as a sentence; None if it may."""
    parsed = _parsed(address)
    if parsed is None:
        return "The address is not written as an IP address in its plain form."
    carried = _wrapped(parsed) if isinstance(parsed, IPv6Address) else ()
    if any(_is_own_listener(each, port, rules) for each in (parsed, *carried)):
        return "The address is one that this Duetime listens on itself."
    return _refused(parsed, _opened(rules))


def how_to_open(network: Network) -> str:
    """Returns which setting opens a network, with its value and where it is set."""
    key, value, spelled = "allow_private", str(network), f'["{network}"]'
    if network in LOOPBACK:
        key, value, spelled = "allow_loopback", "true", "true"
    return (
        f"To open it, set outgoing.{key} on every node that executes jobs: DUETIME_OUTGOING_{key.upper()}={value} in "
        f"the environment, or {key} = {spelled} under [outgoing] in duetime.toml."
    )


def listens_everywhere(port: int, rules: OutgoingRules) -> bool:
    """Returns whether this installation listens on a port of every address that the machine has."""
    return any(host in EVERY_ADDRESS and port == own for host, own in rules.own_listeners)


def _refused(address: Address, opened: tuple[Network, ...]) -> str | None:
    for network, what in NEVER:
        if address in network:
            return f"The address is {what} ({network}), which is never allowed."
    is_open = any(address in network for network in opened)
    if isinstance(address, IPv6Address):
        for wrapped in _wrapped(address):
            if not is_open:
                return "The address is an IPv4 address wrapped in an IPv6 one, which is not allowed."
            if reason := _refused(wrapped, opened):
                return reason
        if address.scope_id and not is_open:
            return "The address is bound to one interface of this machine, which the operator has not opened."
    return None if is_open else _closed(address)


def _closed(address: Address) -> str | None:
    for network, what in CLOSED:
        if address in network:
            return f"The address is {what} ({network}), and the operator has not opened it. {how_to_open(network)}"
    if isinstance(address, IPv6Address) and address not in GLOBAL_IPV6:
        return "The address is outside of the global unicast addresses (2000::/3)."
    return None


def _wrapped(address: IPv6Address) -> list[IPv4Address]:
    """Returns the IPv4 addresses that an IPv6 address carries."""
    number = int(address)
    if number <= 1:
        return []
    if address in TEREDO:
        # The server is in plain bits, the client in inverted ones.
        return [IPv4Address(number >> 64 & 0xFFFFFFFF), IPv4Address(~number & 0xFFFFFFFF)]
    if number >> 32 & 0xFFFFFFFF in ISATAP:
        return [IPv4Address(number & 0xFFFFFFFF)]
    return [IPv4Address(number >> bit & 0xFFFFFFFF) for network, bit in WRAPPERS if address in network]


def _is_own_listener(address: Address, port: int, rules: OutgoingRules) -> bool:
    for host, own_port in rules.own_listeners:
        if port != own_port:
            continue
        if host in EVERY_ADDRESS or host == "localhost":
            if any(address in network for network in LOOPBACK):
                return True
        elif (own := _parsed(host)) and own.version == address.version and int(own) == int(address):
            # Compared by number, because two spellings of one address can differ in their interface.
            return True
    return False


def _parsed(address: str) -> Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise ConfigError(
            f"'{text}' is not a network: write an address and a prefix length, such as '10.0.0.0/8' ({error})."
        ) from error


@lru_cache(maxsize=64)
def _opened(rules: OutgoingRules) -> tuple[Network, ...]:
    networks = tuple(_network(text) for text in rules.allow_private)
    return networks + LOOPBACK if rules.allow_loopback else networks
