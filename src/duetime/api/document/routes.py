"""Serving the OpenAPI document, and the page made from it."""

from __future__ import annotations

from pathlib import Path

from duetime.api.server.envelope import JSON_HEADERS, Header
from duetime.api.server.route import Call, Page, Route

TAG = "document"
_STYLE = Path(__file__).with_name("style.css").read_bytes()

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
    """The page made from the document."""
    return Page(call.parts.docs_page, ((b"content-type", b"text/html; charset=utf-8"), *_PAGE_HEADERS))


async def show_style(_call: Call[None, None]) -> Page:
    """The page's style sheet."""
    return Page(_STYLE, ((b"content-type", b"text/css; charset=utf-8"), *_PAGE_HEADERS))


ROUTES = (
    Route("GET", "/openapi.json", show_openapi, "This document", auth="none", tag=TAG),
    Route("GET", "/docs", show_docs, "This document as a page", auth="none", tag=TAG, media_type="text/html"),
    Route(
        "GET",
        "/docs/style.css",
        show_style,
        "The page's style sheet",
        auth="none",
        tag=TAG,
        media_type="text/css",
    ),
)
