"""Which addresses a request may go to."""

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.executor.targets.http.outgoing import OutgoingRules, listens_everywhere, refusal
from duetime.model.errors import ConfigError

CLOSED = OutgoingRules()
LAPTOP = OutgoingRules(allow_loopback=True)

ALLOWED = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:830::200e",
]

REFUSED = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.0": "shared",
    "100.100.100.200": "shared",
    "100.127.255.255": "shared",
    "127.0.0.1": "loopback",
    "127.255.255.255": "loopback",
    "168.63.129.16": "cloud",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.192": "protocols",
    "192.0.2.1": "documentation",
    "192.88.99.1": "relay",
    "192.168.0.1": "private",
    "198.18.0.1": "benchmarks",
    "198.19.255.255": "benchmarks",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::2": "wrapped",
    "::7f00:1": "wrapped",
    "::127.0.0.1": "wrapped",
    "::ffff:127.0.0.1": "wrapped",
    "::ffff:8.8.8.8": "wrapped",
    "::ffff:0:127.0.0.1": "wrapped",
    "64:ff9b::127.0.0.1": "wrapped",
    "64:ff9b::8.8.8.8": "wrapped",
    "64:ff9b:1::10.0.0.1": "wrapped",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff": "wrapped",
    "64:ff9a::1": "global unicast",
    "100::1": "global unicast",
    "2001::1": "wrapped",
    "2001:0:53aa:64c:0:0:80ff:fffe": "wrapped",
    "2001:10::1": "protocols",
    "2001:20::1": "protocols",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "wrapped",
    "2002:808:808::1": "wrapped",
    "2606:4700::5efe:10.0.0.1": "wrapped",
    "2606:4700::200:5efe:10.0.0.1": "wrapped",
    "3fff::1": "documentation",
    "4000::1": "global unicast",
    "5f00::1": "global unicast",
    "fc00::1": "private",
    "fd00:ec2::254": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "one interface",
    "2606:4700::1%2": "one interface",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "ff0e::1": "multicast",
}

NOT_AN_ADDRESS = [
    "",
    "localhost",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1.",
    " 127.0.0.1",
    "127.0.0.1 ",
    "127.0.0.01",
    "8.8.8.8%eth0",
    "١٢٧.0.0.1",
    "[::1]",
    "::1::",
    "8.8.8.8:80",
    "8.8.8.8/32",
]


@pytest.mark.parametrize("address", ALLOWED)
def test_lets_global_addresses_pass(address: str) -> None:
    assert refusal(address, 443, CLOSED) is None


@pytest.mark.parametrize(("address", "why"), REFUSED.items())
def test_refuses_and_says_why(address: str, why: str) -> None:
    reason = refusal(address, 443, CLOSED)
    assert reason is not None
    assert why in reason
    assert reason.endswith(".")


@pytest.mark.parametrize("address", NOT_AN_ADDRESS)
def test_refuses_what_is_not_plainly_an_address(address: str) -> None:
    assert "plain form" in (refusal(address, 443, OutgoingRules(("0.0.0.0/0", "::/0"), True)) or "")


def test_every_network_has_its_edges_inside() -> None:
    for first, last in [
        ("10.0.0.0", "10.255.255.255"),
        ("172.16.0.0", "172.31.255.255"),
        ("192.168.0.0", "192.168.255.255"),
        ("240.0.0.0", "255.255.255.254"),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ]:
        assert refusal(first, 80, CLOSED)
        assert refusal(last, 80, CLOSED)


@given(st.integers(0, 2**32 - 1))
def test_is_at_least_as_strict_as_the_library_for_ipv4(number: int) -> None:
    address = IPv4Address(number)
    if refusal(str(address), 80, CLOSED) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@given(st.integers(0, 2**128 - 1) | st.integers(0x20010000 << 96, (0x20020000 << 96) + 2**112))
def test_is_at_least_as_strict_as_the_library_for_ipv6(number: int) -> None:
    address = IPv6Address(number)
    if refusal(str(address), 80, CLOSED) is None:
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved
        assert not address.is_site_local
        assert address.ipv4_mapped is None
        assert address.sixtofour is None
        assert address.teredo is None


@given(st.integers(0, 2**32 - 1), st.sampled_from(["::ffff:", "::", "64:ff9b::", "64:ff9b:1::", "::ffff:0:"]))
def test_no_ipv4_address_gets_through_in_a_wrapper(number: int, prefix: str) -> None:
    assert refusal(f"{prefix}{IPv4Address(number)}", 80, CLOSED)


@given(st.integers(0, 2**32 - 1))
def test_an_opened_wrapper_lets_through_just_what_would_pass_by_itself(number: int) -> None:
    rules = OutgoingRules(allow_private=("64:ff9b::/96",))
    inner = str(IPv4Address(number))
    assert (refusal(f"64:ff9b::{inner}", 80, rules) is None) == (refusal(inner, 80, rules) is None)


@given(st.integers(0, 2**32 - 1))
def test_what_6to4_and_teredo_carry_is_found(number: int) -> None:
    rules = OutgoingRules(allow_private=("2001::/32", "2002::/16"))
    passes = refusal(str(IPv4Address(number)), 80, rules) is None
    public = int(IPv4Address("8.8.8.8"))
    sixtofour = IPv6Address(0x2002 << 112 | number << 80 | 1)
    server = IPv6Address(0x20010000 << 96 | number << 64 | (public ^ 0xFFFFFFFF))
    client = IPv6Address(0x20010000 << 96 | public << 64 | (number ^ 0xFFFFFFFF))
    for address in (sixtofour, server, client):
        assert (refusal(str(address), 80, rules) is None) == passes


def test_loopback_is_the_operators_to_open() -> None:
    for address in ("127.0.0.1", "127.8.9.10", "::1"):
        assert refusal(address, 80, CLOSED)
        assert refusal(address, 80, LAPTOP) is None
    for address in ("10.0.0.1", "0.0.0.0", "::", "169.254.169.254", "::ffff:127.0.0.1", "fe80::1"):
        assert refusal(address, 80, LAPTOP)


def test_opens_just_the_networks_named() -> None:
    rules = OutgoingRules(allow_private=("10.1.0.0/16", "fd00:1::/32", "fe80::/10"))
    for address in ("10.1.0.1", "10.1.255.255", "fd00:1::1", "fe80::1", "fe80::1%eth0"):
        assert refusal(address, 80, rules) is None, address
    for address in ("10.0.0.1", "10.2.0.1", "fd00:2::1", "127.0.0.1", "::ffff:10.1.0.1"):
        assert refusal(address, 80, rules), address


def test_nobody_opens_what_is_never_allowed() -> None:
    rules = OutgoingRules(allow_private=("0.0.0.0/0", "::/0"), allow_loopback=True)
    for address in ("0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "::", "ff02::1", "::ffff:0.0.0.0"):
        assert "never" in (refusal(address, 80, rules) or ""), address
    for address in ("10.0.0.1", "127.0.0.1", "::1", "fe80::1%eth0", "::ffff:10.0.0.1", "100.64.0.1"):
        assert refusal(address, 80, rules) is None, address


def test_an_own_listener_is_never_called() -> None:
    rules = OutgoingRules(("0.0.0.0/0", "::/0"), True, (("127.0.0.1", 8080), ("10.0.0.5", 8080), ("fe80::5", 8080)))
    for address in ("127.0.0.1", "10.0.0.5", "::ffff:127.0.0.1", "64:ff9b::10.0.0.5", "fe80::5%eth0"):
        assert "listens" in (refusal(address, 8080, rules) or ""), address
        assert refusal(address, 8081, rules) is None, address
    assert refusal("127.0.0.2", 8080, rules) is None
    assert refusal("10.0.0.6", 8080, rules) is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "*", "", "localhost"])
def test_a_listener_on_every_address_closes_all_of_loopback(host: str) -> None:
    rules = OutgoingRules(allow_loopback=True, own_listeners=((host, 8080),))
    for address in ("127.0.0.1", "127.0.0.2", "::1"):
        assert "listens" in (refusal(address, 8080, rules) or "")
        assert refusal(address, 8081, rules) is None
    assert refusal("8.8.8.8", 8080, rules) is None
    assert listens_everywhere(8080, rules) == (host != "localhost")
    assert not listens_everywhere(8081, rules)


@pytest.mark.parametrize("network", ["10.0.0.1/8", "10.0.0.0/33", "private", "", "fd00::/129"])
def test_a_network_that_is_none_is_said_at_start(network: str) -> None:
    with pytest.raises(ConfigError, match="is not a network"):
        OutgoingRules(allow_private=(network,))


def test_a_listener_given_by_name_is_said_at_start() -> None:
    with pytest.raises(ConfigError, match="by its address"):
        OutgoingRules(own_listeners=(("duetime.example.com", 8080),))
