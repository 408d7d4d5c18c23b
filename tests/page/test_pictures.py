"""The pictures of docs/images that show a living server: the views of the demo. Made where pictures are asked for."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from harness.process import ADMIN_PASSWORD, environment, running_duetime
from page.conftest import Server, call, signed_in
from page.test_views import IMAGES, PICTURES

USER = "demo-billing"
OWN = {
    "overview": ("", "charge-cards"),
    "jobs": ("jobs", "charge cards"),
    "schedules": ("schedules", "invoice-run"),
    "schedule": ("schedules/{schedule}", "At 09:00"),
    "calendar": ("calendar", "done"),
    "dead-letters": ("dead-letters", "http_503"),
    "lanes": ("lanes", "account-4711"),
}
OF_ALL = {
    "overview-admin": ("", "demo-reports"),
    "shares": ("shares", "demo-imports"),
    "cluster": ("cluster", "All 1,024 shards have an owner"),
    "users": ("users", "demo-imports"),
}
NARROW = ("overview", "jobs")
pytestmark = pytest.mark.skipif(not PICTURES, reason="pictures are not asked for (DUETIME_PAGE_PICTURES=1)")


@pytest.fixture(scope="module")
def demo() -> Iterator[tuple[Server, str]]:
    """A server with the demo, and the password of its users."""
    with running_duetime("--grace", "1s") as process:
        command = [
            sys.executable,
            "-m",
            "duetime",
            "demo",
            "--json",
            "--data",
            str(process.data),
            "--server",
            process.url,
        ]
        made = subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=120)
        password = json.loads(made.stdout)["password"]
        token = call(process.url, "POST", "auth/login", {"username": USER, "password": password})["token"]
        yield Server(process.url, "", token), password


def test_pictures_of_a_user(browser: Browser, demo: tuple[Server, str]) -> None:
    server, password = demo
    names = {one["name"]: one["id"] for one in server.call("GET", "me/schedules")}
    page = signed_in(browser, server, USER, password).new_page()
    for name, (path, text) in OWN.items():
        _shown(page, server, path.format(schedule=names["dunning"]), text)
        _taken(page, name)
        if name in NARROW:
            page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": 400, "height": 800})
            page.wait_for_load_state("networkidle")
            page.screenshot(path=IMAGES / f"{name}-narrow.png")
            page.set_viewport_size({"width": 1440, "height": 900})


def test_pictures_of_an_administrator(browser: Browser, demo: tuple[Server, str]) -> None:
    server, _ = demo
    page = signed_in(browser, server, "admin", ADMIN_PASSWORD).new_page()
    for name, (path, text) in OF_ALL.items():
        _shown(page, server, path, text)
        _taken(page, name)


def _shown(page: Page, server: Server, path: str, text: str) -> None:
    page.goto(f"{server.url}/{path}")
    expect(page.get_by_role("main")).to_contain_text(re.compile(text))
    page.wait_for_load_state("networkidle")


def _taken(page: Page, name: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.screenshot(path=IMAGES / f"{name}-{scheme}.png")
