"""The document of the API, for programs and for people."""

from __future__ import annotations

from pathlib import Path

from duetime.api.server.envelope import JSON_HEADERS, Header
from duetime.api.server.route import Call, Page, Route

_STYLE = Path(__file__).parent.with_name("docs.css").read_bytes()

_PAGE_HEADERS: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
)


async def show_openapi(call: Call[None, None]) -> Page:
    """The OpenAPI document."""
    return Page(call.parts.openapi, JSON_HEADERS)


async def show_docs(call: Call[None, None]) -> Page:
    """The page made from it."""
    return Page(call.parts.docs_page, ((b"content-type", b"text/html; charset=utf-8"), *_PAGE_HEADERS))


async def show_style(_call: Call[None, None]) -> Page:
    """What the page looks like."""
    return Page(_STYLE, ((b"content-type", b"text/css; charset=utf-8"), *_PAGE_HEADERS))


ROUTES = (
    Route("GET", "/openapi.json", show_openapi, "This document", auth="none", tag="document"),
    Route("GET", "/docs", show_docs, "This document for people", auth="none", tag="document", media_type="text/html"),
    Route(
        "GET",
        "/docs/style.css",
        show_style,
        "The page's style sheet",
        auth="none",
        tag="document",
        media_type="text/css",
    ),
)
