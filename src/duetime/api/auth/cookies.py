"""The session's cookie, and what shows that a request comes from the page itself. Pure.

A browser sends its cookies with whatever request a page makes, so a cookie alone does not show that a person made it.
Calls that change something need a header that a foreign page cannot set without the server's consent, which is never
given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from duetime.api.server.envelope import Header
from duetime.model.errors import Forbidden

NAME: Final = "duetime_session"
SECURE_NAME: Final = "__Host-duetime_session"
"""Over HTTPS. A browser accepts this name only from the host itself, and only over HTTPS."""
REQUEST_HEADER: Final = b"x-duetime-request"
LONGEST: Final = 256


def ticket_of(headers: Iterable[Header]) -> str | None:
    """Returns the ticket in a request's cookies; that of the safer name, if there are two."""
    found: dict[str, str] = {}
    for name, value in headers:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, ticket = part.strip().partition("=")
                if key in (NAME, SECURE_NAME) and 0 < len(ticket) <= LONGEST:
                    found.setdefault(key, ticket)
    return found.get(SECURE_NAME) or found.get(NAME)


def set_cookie(ticket: str, seconds: float, headers: Sequence[Header]) -> Header:
    """The header that stores a ticket in the browser that sent these headers."""
    secure = _over_https(headers)
    name, flag = (SECURE_NAME, "; Secure") if secure else (NAME, "")
    return (
        b"set-cookie",
        f"{name}={ticket}; Path=/; Max-Age={max(0, int(seconds))}; HttpOnly; SameSite=Strict{flag}".encode(),
    )


def remove_cookies() -> tuple[Header, ...]:
    """The headers that remove the ticket from a browser."""
    end = "Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
    return (
        (b"set-cookie", f"{NAME}=; {end}".encode()),
        (b"set-cookie", f"{SECURE_NAME}=; {end}; Secure".encode()),
    )


def check_from_page(headers: Sequence[Header]) -> None:
    """Refuses a request that a page of another site may have made. Raises `Forbidden`."""
    if _first(headers, REQUEST_HEADER) != "1":
        raise Forbidden("A call with a session's cookie that changes something needs the header X-Duetime-Request: 1.")
    site, origin = _first(headers, b"sec-fetch-site"), _first(headers, b"origin")
    if site is not None:
        same = site in ("same-origin", "none")
    else:
        hosts = (_first(headers, b"host"), _first(headers, b"x-forwarded-host"))
        same = origin is None or _host(origin) in hosts
    if not same:
        raise Forbidden("A session's cookie is for the page of this server: a page of another site sent this call.")


def _over_https(headers: Sequence[Header]) -> bool:
    """Whether the browser speaks HTTPS, by its own header or a proxy's. A false one spoils only its own cookie."""
    origin, forwarded = _first(headers, b"origin") or "", _first(headers, b"forwarded") or ""
    return (
        origin.startswith("https://")
        or _first(headers, b"x-forwarded-proto") == "https"
        or "proto=https" in forwarded.lower().replace('"', "")
    )


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


def _first(headers: Iterable[Header], wanted: bytes) -> str | None:
    return next((value.decode("latin-1") for name, value in headers if name == wanted), None)
