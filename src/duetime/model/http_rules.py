"""What an HTTP target must look like, checked when a job is handed in. Where it leads is checked later.

Names can lead elsewhere tomorrow, so which addresses may be called is decided at connect time.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import SplitResult, urlsplit

from duetime.model.errors import Invalid
from duetime.model.target import BasicAuth, BearerAuth, HttpTarget

MAX_HEADERS = 100
MAX_HEADER_BYTES = 16 * 1024

RESERVED_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
    }
)
"""Set by Duetime or by the connection: nobody else's to set."""
RESERVED_PREFIX = "duetime-"

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_NOT_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_URL = re.compile(r"[\x00-\x20\x7f-\xa0\\\ud800-\udfff]|\s")
_NOT_IN_CREDENTIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_TOKEN = re.compile(r"[^\x20-\x7e]|^ | $")
_LABEL = re.compile(r"[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")


def check_http_target(target: HttpTarget) -> None:
    """Raise `Invalid`, with the field, if a target cannot be sent as a request."""
    check_url(target.url)
    _check_headers(target)
    match target.auth:
        case BasicAuth():
            _check_basic(target.auth)
        case BearerAuth():
            if _NOT_IN_TOKEN.search(target.auth.token):
                raise Invalid(
                    "A token has only visible ASCII characters: remove line ends, spaces around it and others.",
                    field="target.auth.token",
                )
        case None:
            pass


def check_url(url: str) -> None:
    """Raise `Invalid` if a URL is not one that a request can be sent to."""
    if _NOT_IN_URL.search(url):
        raise _bad_url("A URL has no spaces, control characters or backslashes: percent-encode them, a space as '%20'.")
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
        raise _bad_url("A URL carries no user name or password: give them as 'auth'.")
    if "#" in url:
        raise _bad_url("A '#' and what follows are never sent: remove them, or write '#' as '%23'.")
    if port == 0:
        raise _bad_url("The port must be between 1 and 65535.")
    _check_host(parts)


def is_odd_address(host: str) -> bool:
    """Whether a host is an IPv4 address in another spelling than four plain decimal numbers.

    Resolvers read `2130706433`, `0x7f.1`, `0177.0.0.1` and `127.1` as addresses, and no name in the
    DNS ends in a number. So whatever does is an address, and has just one spelling here.
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
        raise _bad_url("An IPv6 address in a URL has no '%' and interface: those differ from node to node.")


def _check_headers(target: HttpTarget) -> None:
    if len(target.headers) > MAX_HEADERS:
        raise Invalid(f"At most {MAX_HEADERS} headers can be set.", field="target.headers")
    seen: set[str] = set()
    size = 0
    for name, value in target.headers.items():
        _check_header(name, value, has_auth=target.auth is not None)
        if name.lower() in seen:
            raise Invalid(f"The header '{name}' is given twice.", field="target.headers")
        seen.add(name.lower())
        size += len(name) + len(value.encode()) + 4
    if size > MAX_HEADER_BYTES:
        raise Invalid(f"The headers are {size} bytes, at most {MAX_HEADER_BYTES}.", field="target.headers")


def _check_header(name: str, value: str, *, has_auth: bool) -> None:
    if not _TOKEN.fullmatch(name):
        raise Invalid("A header's name has only letters, digits and any of !#$%&'*+-.^_`|~.", field="target.headers")
    lower = name.lower()
    if lower in RESERVED_HEADERS or lower.startswith(RESERVED_PREFIX):
        raise Invalid(f"The header '{name}' is set by Duetime and cannot be given.", field="target.headers")
    if has_auth and lower == "authorization":
        raise Invalid("Give either 'auth' or the header 'authorization', not both.", field="target.headers")
    if _NOT_IN_HEADER.search(value):
        raise Invalid(
            f"The value of the header '{name}' must not have line ends or control characters.",
            field="target.headers",
        )


def _check_basic(auth: BasicAuth) -> None:
    if ":" in auth.username:
        raise Invalid("A user name for HTTP Basic cannot have a colon.", field="target.auth.username")
    for field, text in (("username", auth.username), ("password", auth.password)):
        if _NOT_IN_CREDENTIAL.search(text):
            raise Invalid(f"The {field} must not have control characters.", field=f"target.auth.{field}")


def _bad_url(message: str) -> Invalid:
    return Invalid(message, field="target.url")
