"""Which HTTP headers are shown with their values. Every other one is shown as a name alone. Pure.

It is a list of what is shown, because no list of secret names is ever complete.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SHOWN: Final = frozenset(
    [
        "accept",
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "accept-ranges",
        "age",
        "allow",
        "alt-svc",
        "cache-control",
        "connection",
        "content-digest",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-length",
        "content-location",
        "content-range",
        "content-type",
        "date",
        "etag",
        "expect",
        "expires",
        "host",
        "idempotency-key",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "keep-alive",
        "last-modified",
        "link",
        "location",
        "origin",
        "pragma",
        "prefer",
        "preference-applied",
        "priority",
        "range",
        "retry-after",
        "server",
        "server-timing",
        "strict-transport-security",
        "te",
        "traceparent",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "vary",
        "via",
        "warning",
        "www-authenticate",
        "x-content-type-options",
        "x-correlation-id",
        "x-powered-by",
        "x-request-id",
    ]
)
SHOWN_PREFIXES: Final = ("access-control-", "ratelimit-", "x-ratelimit-")


@lru_cache(maxsize=1024)
def is_shown(name: str) -> bool:
    """Returns whether a header's value may be shown."""
    lower = name.lower()
    return lower in SHOWN or lower.startswith(SHOWN_PREFIXES)
