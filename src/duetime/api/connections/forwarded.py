"""Where a request comes from: the peer, or, behind a proxy that the operator trusts, the client that it names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final, Literal

Header = tuple[bytes, bytes]
ForwardedHeader = Literal["x-forwarded-for", "forwarded"]

_FOR: Final = re.compile(r"""(?:^|;)\s*for\s*=\s*("?)([^";,\s]+)\1\s*(?:;|$)""", re.IGNORECASE)
_PORT: Final = re.compile(r"^(?:\[([^\]]+)\](?::\d+)?|([\d.]+)(?::\d+)?|([0-9a-fA-F:.]+))$")


class Proxies:
    """The proxies that the operator trusts, and the header in which they name their client.

    One header counts, and not whichever is there: a proxy that sets one of them passes the other on as the client
    sent it.
    """

    def __init__(self, networks: Sequence[str] = (), header: ForwardedHeader = "x-forwarded-for") -> None:
        self._networks = [ip_network(one) for one in networks]
        self._header = header.encode()

    def trusted(self, address: str) -> bool:
        """Whether an address is a trusted proxy's."""
        if not self._networks:
            return False
        parsed = parse_address(address)
        return parsed is not None and any(parsed in network for network in self._networks)

    def client(self, peer: str, headers: Iterable[Header]) -> str:
        """The address of the client behind a trusted peer.

        Read from the right: each proxy adds the address that it sees. The first one that is no trusted proxy's is
        the client. What cannot be read ends the walk at the proxy before it.
        """
        value = b",".join(value for name, value in headers if name == self._header).decode("latin-1")
        client = peer
        for hop in reversed(value.split(",") if value else []):
            named = _hop(hop.strip(), quoted=self._header == b"forwarded")
            if named is None:
                return client
            client = named
            if not self.trusted(client):
                return client
        return client


def _hop(text: str, *, quoted: bool) -> str | None:
    if quoted:
        found = _FOR.search(text)
        text = found[2] if found else ""
    match = _PORT.match(text)
    parsed = parse_address(match[1] or match[2] or match[3]) if match else None
    return None if parsed is None else str(parsed)


def parse_address(address: str) -> IPv4Address | IPv6Address | None:
    """An address without its zone, an IPv4 address where an IPv6 one wraps it; None if it is no address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed
