"""Every view: shown without an error, within the CSP, in light and dark, at 400 px, with nothing for axe to find."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from page.axe import AXE, findings
from page.conftest import Server

Watch = Callable[[BrowserContext], Page]
IMAGES = Path(__file__).parents[2] / "docs" / "images"
PICTURES = os.environ.get("DUETIME_PAGE_PICTURES") == "1"
"""Whether the tests write the pictures of docs/images."""
PICTURED = ("job", "new-schedule", "account", "workers", "job-at-worker")
"""Views of which these tests take pictures. Those of the others show the demo (test_pictures.py)."""

VIEWS = {
    "overview": ("", "Needs you"),
    "jobs": ("jobs", "charge|later"),
    "job": ("jobs/{retrying}", "Why not yet"),
    "schedules": ("schedules", "nightly-report"),
    "schedule": ("schedules/{schedule}", "History of instants"),
    "new-schedule": ("schedules/new", "At 02:30"),
    "calendar": ("calendar", "Where the crowd is"),
    "dead-letters": ("dead-letters", "http_410"),
    "lanes": ("lanes", "customer-88"),
    "logs": ("logs", "Nothing is logged"),
    "artifacts": ("artifacts", "No artifacts"),
    "notifications": ("notifications", "No rules|Tells when"),
    "audit": ("audit", "schedule.created|What changed"),
    "account": ("account", "Sessions"),
}
ADMIN_VIEWS = {
    "overview-admin": ("", "All users"),
    "shares": ("shares", "Got against weight"),
    "cluster": ("cluster", "All 1,024 shards have an owner"),
    "users": ("users", "ada"),
    "audit-admin": ("audit?of=all", "changes are sealed"),
}


@pytest.fixture(scope="module")
def places(server: Server) -> dict[str, int]:
    """Ids that addresses of views name."""
    retrying = server.call("GET", "me/jobs?retrying=true")[0]["id"]
    schedules = {one["name"]: one["id"] for one in server.call("GET", "me/schedules")}
    return {"retrying": retrying, "schedule": schedules["nightly-report"], "heartbeat": schedules["heartbeat"]}


def opened(page: Page, server: Server, places: dict[str, int], path: str, text: str) -> None:
    page.goto(f"{server.url}/{path.format(**places)}")
    expect(page.get_by_role("main")).to_contain_text(re.compile(text))


def fits(page: Page, width: int) -> None:
    """Nothing makes the page wider than the window, once drawings have taken its width."""
    # Not `wait_for_function`: from its second look on, it needs an `eval` that the page's policy forbids.
    expect(page.locator("html")).to_have_js_property("scrollWidth", width)


def as_light_and_dark(page: Page, name: str) -> list[str]:
    found = list[str]()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if PICTURES and name in PICTURED:
            page.screenshot(path=IMAGES / f"{name}-{scheme}.png")
        if AXE.is_file():
            # Only colours differ in the dark.
            rules = () if scheme == "light" else ("color-contrast",)
            found += [f"{scheme}: {one}" for one in findings(page, rules)]
    return found


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_of_a_user(name: str, ada: BrowserContext, server: Server, places: Any, watched: Watch) -> None:
    page = watched(ada)
    opened(page, server, places, *VIEWS[name])
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert as_light_and_dark(page, name) == []
    page.set_viewport_size({"width": 400, "height": 800})
    fits(page, 400)


@pytest.mark.parametrize("name", ADMIN_VIEWS)
def test_a_view_of_an_administrator(
    name: str, admin: BrowserContext, server: Server, places: Any, watched: Watch
) -> None:
    page = watched(admin)
    opened(page, server, places, *ADMIN_VIEWS[name])
    assert as_light_and_dark(page, name) == []
    page.set_viewport_size({"width": 400, "height": 800})
    fits(page, 400)


def test_a_user_sees_no_menu_of_administrators(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(server.url)
    menu = page.get_by_role("navigation", name="Main")
    expect(menu.get_by_role("link", name="Jobs")).to_be_visible()
    for name in ("Shares", "Cluster", "Users"):
        expect(menu.get_by_role("link", name=name)).to_have_count(0)


def test_nothing_is_asked_of_another_host(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page, asked = watched(ada), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(server.url)
    expect(page.get_by_role("main")).to_contain_text("Needs you")
    assert asked
    assert all(one.startswith((server.url, "data:")) for one in asked)


def test_twice_the_size_the_page_still_fits(ada: BrowserContext, server: Server, watched: Watch) -> None:
    # 200 % zoom of a window of 1280 px is a window of 640.
    page = watched(ada)
    page.set_viewport_size({"width": 640, "height": 450})
    page.goto(f"{server.url}/jobs")
    expect(page.get_by_role("table", name="Jobs")).to_be_visible()
    fits(page, 640)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("dialog", name="Menu").get_by_role("link", name="Lanes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Lanes")


def test_an_address_that_does_not_exist(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(f"{server.url}/nowhere/at/all")
    expect(page.get_by_role("main")).to_contain_text("There is no such page")
    page.goto(f"{server.url}/jobs/123456789")
    expect(page.get_by_role("alert")).to_contain_text("Not found")
