"""Which URLs a request can be sent to. Pure.

A name can resolve to another address tomorrow, so the addresses that may be called are checked at connect time.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import SplitResult, unquote_plus, urlsplit

from duetime.model.errors import Invalid
from duetime.model.targets.port import HIDDEN

_NOT_IN_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]|\s")
_LABEL = re.compile(r"[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?")
_PARAMETER = re.compile(r"(?<=[?&;])([^=&;#]+)=([^&;#]+)")
_SECRET_NAME = re.compile(
    r"token|secret|passw|pwd|credential|signature|session|jwt|otp|api[-_.]?key|(access|private|shared|account)[-_.]?key"
    r"|auth(?!or)|^(key|sig|code|pass|hash)$",
    re.IGNORECASE,
)
"""Names of query parameters whose values are secrets by custom."""
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


def check_url(url: str) -> None:
    """Raise `Invalid` if no request can be sent to a URL."""
    if _NOT_IN_URL.search(url):
        raise _bad_url("A URL cannot contain spaces, control characters or backslashes: percent-encode them ('%20').")
    # The library's own messages quote the URL, which can hold a secret.
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _bad_url("The URL cannot be read: write it as 'https://example.com/path'.") from None
    try:
        port = parts.port
    except ValueError:
        port = 0
    if parts.scheme not in {"http", "https"}:
        raise _bad_url("The URL must start with 'http://' or 'https://'.")
    if "@" in parts.netloc:
        raise _bad_url("A URL must not contain a user name or password: give them in 'auth'.")
    if "#" in url:
        raise _bad_url("A '#' and what follows it are never sent: remove them, or write '#' as '%23'.")
    if port == 0:
        raise _bad_url("The port must be between 1 and 65535.")
    _check_host(parts)


def secret_parameters(url: str) -> dict[str, str]:
    """Returns the values of the query parameters that are never shown, decoded, by name."""
    if "?" not in url:
        return {}
    pairs = ((unquote_plus(name), unquote_plus(value)) for name, value in _PARAMETER.findall(url))
    return {name: value for name, value in pairs if _SECRET_NAME.search(name)}


def masked_url(url: str) -> str:
    """Returns a URL as it may be shown, with `HIDDEN` for the values of secret parameters."""
    if "?" not in url:
        return url
    return _PARAMETER.sub(
        lambda found: f"{found[1]}={HIDDEN}" if _SECRET_NAME.search(unquote_plus(found[1])) else found[0], url
    )


def is_odd_address(host: str) -> bool:
    """Returns whether a host is an IPv4 address in another spelling than four plain decimal numbers.

    Resolvers read `2130706433`, `0x7f.1`, `0177.0.0.1` and `127.1` as addresses, and no name in the DNS ends in
    a number. So a host that ends in a number is an address, and only the plain spelling is accepted.
    """
    last = host.rstrip(".").rpartition(".")[2]
    if ":" in host or not _NUMBER.fullmatch(last):
        return False
    try:
        IPv4Address(host)
    except AddressValueError:
        return True
    return False


def _check_host(parts: SplitResult) -> None:
    host = parts.hostname
    if not host:
        raise _bad_url("The URL has no host: write it as 'https://example.com/path'.")
    if "[" in parts.netloc:
        _check_ipv6(host)
        return
    if is_odd_address(host):
        raise _bad_url("A host that ends in a number must be an IPv4 address of four decimal numbers.")
    if not host.isascii():
        return
    name = host.removesuffix(".")
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise _bad_url("The host is not a valid name: letters, digits and hyphens between dots, at most 63 in a part.")


def _check_ipv6(host: str) -> None:
    try:
        address = IPv6Address(host)
    except AddressValueError:
        raise _bad_url("The host in brackets is not an IPv6 address.") from None
    if address.scope_id is not None:
        raise _bad_url("An IPv6 address in a URL cannot name an interface ('%'): these differ from node to node.")


def _bad_url(message: str) -> Invalid:
    return Invalid(message, field="target.url")
