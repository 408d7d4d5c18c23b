"""What a request from this machine may do that no other may, and what shows that a request is from elsewhere. Pure.

Where Duetime listens on loopback only, requests from this machine may create accounts without a token, and choose the
weight of such an account (`LOOPBACK_ALLOWS`). A proxy on this machine makes strangers look like this machine, and a
web page can make a browser here send requests. Both show themselves: by a header that proxies add, by another host
name than loopback's, by an origin elsewhere, by HTTP/1.0. Such a request gets nothing of the list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from duetime.api.connections.forwarded import Header, parse_address

LOOPBACK_ALLOWS: Final = ("sign up without a token where `signup` is auto", "choose one's own `job_weight`")

_ADDED_BY_PROXIES: Final = frozenset({b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"true-client-ip"})
_PREFIXES: Final = (b"x-forwarded-", b"cf-connecting-")
_LOCAL: Final = re.compile(r"([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|::1", re.IGNORECASE)


def is_from_this_machine(listens_on_loopback: bool, peer: str, version: str, headers: Sequence[Header]) -> bool:
    """Whether a request gets what loopback alone allows."""
    return (
        listens_on_loopback
        and version != "1.0"
        and _is_loopback(peer)
        and not any(name in _ADDED_BY_PROXIES or name.startswith(_PREFIXES) for name, _ in headers)
        and all(_is_local(name) for name in _names(headers))
    )


def _names(headers: Sequence[Header]) -> list[str]:
    """The hosts that a request names, as URLs: of the server, and of the page that sent it."""
    hosts = [f"//{value.decode('latin-1')}" for name, value in headers if name == b"host"]
    origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
    return [*(hosts or ["//"]), *origins]


def _is_loopback(address: str) -> bool:
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


def _is_local(url: str) -> bool:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return host is not None and _LOCAL.fullmatch(host) is not None
