"""The page's files are served as browsers may keep them, its views all get its one document, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duetime.dashboard.serve import Page

INDEX = (
    '<!doctype html><html><head><base href="./"><script type="module" src="./assets/a-1b2c.js"></script></head></html>'
)
SCRIPT = "export const answer = 42;\n" * 200


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(INDEX)
    (tmp_path / "assets" / "a-1b2c.js").write_text(SCRIPT)
    (tmp_path / "theme.js").write_text("1")
    return tmp_path


async def otherwise(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"other"})


async def ask(page: Page, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    await page({"type": "http", "method": method, "path": path, "headers": given}, None, send)  # type: ignore[arg-type]
    start, body = sent
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]


@pytest.mark.parametrize(
    ("path", "base"),
    [
        ("/", "./"),
        ("/jobs", "./"),
        ("/jobs/1025", "../"),
        ("/schedules/7/edit", "../../"),
        ("/jobs/", "../"),
        ("/index.html", "./"),
    ],
)
async def test_every_view_gets_the_document_with_the_way_to_its_files(built: Path, path: str, base: str) -> None:
    status, headers, body = await ask(Page(otherwise, built), path)
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert f'<base href="{base}">' in body.decode()
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


async def test_files_with_a_hash_are_kept_for_ever_and_others_are_asked_for_again(built: Path) -> None:
    page = Page(otherwise, built)
    status, headers, body = await ask(page, "/assets/a-1b2c.js")
    assert (status, body.decode()) == (200, SCRIPT)
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")
    _, headers, _ = await ask(page, "/theme.js")
    assert headers["cache-control"] == "no-cache"
    status, _, body = await ask(page, "/theme.js", if_none_match=headers["etag"])
    assert (status, body) == (304, b"")


async def test_a_browser_that_reads_gzip_gets_it(built: Path) -> None:
    _, headers, body = await ask(Page(otherwise, built), "/assets/a-1b2c.js", accept_encoding="gzip, br")
    assert headers["content-encoding"] == "gzip"
    assert len(body) < len(SCRIPT) / 10
    assert int(headers["content-length"]) == len(body)


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v1/no", "/docs/x", "/assets/gone.js", "//healthz", "/../etc/passwd", "/a/../b", "/robots.txt"],
)
async def test_what_is_not_the_pages_is_left_to_the_api(built: Path, path: str) -> None:
    status, _, body = await ask(Page(otherwise, built), path)
    assert (status, body) == (404, b"other")


async def test_other_methods_are_left_to_the_api(built: Path) -> None:
    assert (await ask(Page(otherwise, built), "/jobs", "POST"))[2] == b"other"
    assert (await ask(Page(otherwise, built), "/jobs", "HEAD"))[::2] == (200, b"")


async def test_without_a_built_page_the_root_says_how_to_get_it(tmp_path: Path) -> None:
    status, _, body = await ask(Page(otherwise, tmp_path / "none"), "/")
    assert status == 404
    assert b"DUETIME_NO_DASHBOARD" in body
    assert (await ask(Page(otherwise, tmp_path / "none"), "/jobs"))[2] == b"other"
