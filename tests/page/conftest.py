"""A real Chromium on a running server with real jobs. One server and one browser for each module."""

from __future__ import annotations

import json
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from harness.process import ADMIN_PASSWORD, running_duetime
from harness.sink import running_sink
from page.week import PASSWORD, fill

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "src" / "duetime" / "dashboard" / "dist" / "index.html"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PROGRAMS = {
    "DUETIME_PROGRAMS_ALLOW": '{"*": ["/bin/sh"]}',
    **({"DUETIME_PROGRAMS_RUN_AS": "nobody"} if os.geteuid() == 0 else {}),
}
PATIENCE = 15_000.0
"""Milliseconds that a test waits for something to show; on a busy machine, the first paint is slow."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips these tests, by name, where there is no browser or no built page."""
    reason = None
    if CHROMIUM is None:
        reason = "Chromium is not installed (on Debian: apt-get install chromium)"
    elif not BUILT.is_file():
        reason = "the page is not built (npm ci && npm run build in dashboard/)"
    for item in items:
        if reason and Path(str(item.path)).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.skip(reason=reason))


class Server(Struct, frozen=True):
    """A running Duetime, filled with jobs of the user `ada`."""

    url: str
    sink: str
    token: str

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The data of an answer to `ada`."""
        return call(self.url, method, path, body, self.token)


def call(url: str, method: str, path: str, body: object = None, token: str = "") -> Any:
    """The data of an answer of the API."""
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/api/v1/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        with error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from None


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A Duetime with a user whose jobs are in every state."""
    # Of the runs, one hangs: the stop does not wait for it. A worker of a test lives on without beats.
    options = ("--signup", "open", "--grace", "1s", "--set", "engine.worker_lease=300s")
    with running_sink() as sink, running_duetime(*options, env=PROGRAMS) as process:
        call(process.url, "POST", "users", {"username": "ada", "password": PASSWORD})
        token = call(process.url, "POST", "auth/login", {"username": "ada", "password": PASSWORD})["token"]
        made = Server(process.url, sink.url(""), token)
        fill(made.call, sink)
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium, without a window."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


def signed_in(browser: Browser, server: Server, username: str, password: str) -> BrowserContext:
    """A browser's session of a user, as a person begins one."""
    expect.set_options(timeout=PATIENCE)
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-GB", timezone_id="Europe/Berlin", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(server.url)
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    page.close()
    return context


@pytest.fixture(scope="module")
def ada(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """The session of a user with jobs."""
    context = signed_in(browser, server, "ada", PASSWORD)
    yield context
    context.close()


@pytest.fixture(scope="module")
def admin(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """The session of the administrator."""
    context = signed_in(browser, server, "admin", ADMIN_PASSWORD)
    yield context
    context.close()


@pytest.fixture
def watched() -> Iterator[Any]:
    """Opens pages whose errors fail the test: exceptions, refusals of the CSP, requests to elsewhere."""
    pages: list[tuple[Page, list[str]]] = []

    def watch(context: BrowserContext) -> Page:
        page, wrong = context.new_page(), list[str]()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda message: (
                wrong.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        pages.append((page, wrong))
        return page

    yield watch
    for page, wrong in pages:
        page.close()
        assert not wrong
