"""Where a redirect leads: the next request, made from the last one and its answer. Pure."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin

from yarl import URL

from duetime.executor.targets.http.connect import Refused
from duetime.executor.targets.http.request import Hop, url_of
from duetime.model.errors import Invalid
from duetime.model.targets.url import check_url

REDIRECTS = frozenset({301, 302, 303, 307, 308})


def next_hop(hop: Hop, status: int, location: str) -> Hop:
    """Returns the request that a redirect asks for. Raises `Refused` if it must not be made."""
    if not location.isprintable():
        raise Refused("The redirect leads to a URL that cannot be followed: it has control characters.")
    try:
        # Many servers do not encode spaces. Everything else must be valid.
        target = urldefrag(urljoin(str(hop.url), location.replace(" ", "%20"))).url
        check_url(target)
        url = url_of(target)
    except (Invalid, ValueError) as error:
        reason = error.message if isinstance(error, Invalid) else "The URL cannot be read."
        raise Refused(f"The redirect leads to a URL that cannot be followed. {reason}") from None
    if hop.url.scheme == "https" and url.scheme == "http":
        raise Refused("The redirect leads from https to http, and the request would be sent in the clear.")
    becomes_get = (status == 303 and hop.method != "HEAD") or (status in (301, 302) and hop.method == "POST")
    return Hop(
        url=url,
        method="GET" if becomes_get else hop.method,
        body=None if becomes_get else hop.body,
        content_type=hop.content_type,
        is_foreign=hop.is_foreign or origin(url) != origin(hop.url),
    )


def origin(url: URL) -> tuple[str, str, int]:
    """Returns the origin of a URL: scheme, host and port."""
    return url.scheme, (url.raw_host or "").lower().rstrip("."), url.port or 0
