"""Serves the page: its files, and its one document for every path that is a view of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from duetime.dashboard.files import DIST, INDEX, PageFile, index_for, read_page

Header = tuple[bytes, bytes]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
SAFE: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"content-security-policy", POLICY.encode()),
)
RESERVED: Final = ("api", "docs", "openapi.json", "healthz", "readyz", "metrics")
"""First parts of paths that are never the page's."""
MISSING: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Duetime</title></head><body>
<h1>Duetime runs here, without its page</h1>
<p>The page was left out when this Duetime was installed. To get it, install again without
<code>DUETIME_NO_DASHBOARD</code>: <code>pip install --force-reinstall --no-deps .</code> in a clone, or
<code>make run</code> after <code>rm .venv/.installed</code>. Then start the server again.</p>
<p>Everything else is here: the <a href="docs">API</a>, and the command <code>duetime</code>.</p>
</body></html>
"""


class Page:
    """The page as an ASGI application. What it does not have is answered by another application."""

    def __init__(self, otherwise: ASGIApp, folder: Path = DIST) -> None:
        self._otherwise = otherwise
        self._files = read_page(folder)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        path: str = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or not _is_ours(path):
            await self._otherwise(scope, receive, send)
            return
        file = None if self._files is None else self._files.get(path[1:])
        if file is not None and path[1:] != INDEX:
            await _send_file(file, scope, send)
        elif not _is_view(path):
            await self._otherwise(scope, receive, send)
        elif self._files is not None:
            await _send(200, index_for(self._files, path), scope, send)
        elif path == "/":
            await _send(404, MISSING.encode(), scope, send)
        else:
            await self._otherwise(scope, receive, send)


def _is_ours(path: str) -> bool:
    parts = path[1:].split("/")
    whole = parts == [""] or (parts[0] != "" and not {".", ".."}.intersection(parts))
    return path.startswith("/") and whole and parts[0] not in RESERVED


def _is_view(path: str) -> bool:
    """Whether a path is a view of the page, and not a file: views have no dot in their last part."""
    return path == f"/{INDEX}" or "." not in path.rpartition("/")[2]


async def _send_file(file: PageFile, scope: Scope, send: Send) -> None:
    cache = b"public, max-age=31536000, immutable" if file.forever else b"no-cache"
    headers = ((b"etag", file.tag.encode()), (b"cache-control", cache), (b"vary", b"accept-encoding"), *SAFE)
    sent = {name: value for name, value in scope["headers"] if name in (b"if-none-match", b"accept-encoding")}
    if file.tag.encode() in sent.get(b"if-none-match", b""):
        await _answer(304, b"", headers, scope, send)
        return
    body, coding = file.body, ()
    if file.compressed is not None and b"gzip" in sent.get(b"accept-encoding", b""):
        body, coding = file.compressed, ((b"content-encoding", b"gzip"),)
    kind = (b"content-type", file.kind.encode())
    await _answer(200, body, (kind, *coding, *headers), scope, send)


async def _send(status: int, body: bytes, scope: Scope, send: Send) -> None:
    """Sends a document of the page, which is never stored: it names the present files."""
    kind = (b"content-type", b"text/html; charset=utf-8")
    await _answer(status, body, (kind, (b"cache-control", b"no-store"), *SAFE), scope, send)


async def _answer(status: int, body: bytes, headers: tuple[Header, ...], scope: Scope, send: Send) -> None:
    length = () if status == 304 else ((b"content-length", b"%d" % len(body)),)
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
