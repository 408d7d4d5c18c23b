"""Every action of the page, as a person does it, checked over the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from page.conftest import Server
from page.week import PASSWORD

Watch = Callable[[BrowserContext], Page]


@pytest.fixture
def page(ada: BrowserContext, watched: Watch) -> Page:
    """A page of a user with jobs."""
    return watched(ada)


def dialog(page: Page) -> Locator:
    return page.locator("dialog[open]")


def said(page: Page, text: str | re.Pattern[str]) -> None:
    """The page says what happened."""
    expect(page.get_by_role("status", name="Messages")).to_contain_text(text)


def job_of(server: Server, message: str, **more: Any) -> int:
    return server.call("POST", "me/jobs", {"message": message, "delay": "1h", **more})["id"]


def test_create_a_job_with_the_instant_in_words(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/jobs")
    page.get_by_role("button", name="New job").click()
    form = dialog(page)
    form.get_by_label("After", exact=True).fill("soon")
    form.get_by_role("button", name="Create job").click()
    expect(form).to_contain_text("Write a duration")
    form.get_by_label("After", exact=True).fill("90m")
    expect(form).to_contain_text(re.compile(r"Due \w{3} \d+ \w{3} 20\d\d .* Europe/Berlin, in 1 h (30|29) min"))
    form.get_by_label("Message").fill('{"invoice": 43}')
    form.get_by_label("Labels").fill("team=billing")
    form.get_by_label("Lane").fill("customer-9")
    form.get_by_role("button", name="Create job").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    made = server.call("GET", f"me/jobs/{page.url.rsplit('/', 1)[1]}")
    assert (made["message"], made["labels"], made["ordering_key"]) == (
        {"invoice": 43},
        {"team": "billing"},
        "customer-9",
    )


def test_a_refusal_of_the_server_is_shown_at_its_field(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/jobs?new=1")
    form = dialog(page)
    form.get_by_label("Message").fill("m")
    form.get_by_label("Priority").fill("4711")
    form.get_by_role("button", name="Create job").click()
    expect(form.get_by_role("alert")).to_contain_text("priority")
    form.get_by_role("button", name="JSON").click()
    expect(form.get_by_label("Body of the call")).to_have_value(re.compile('"priority": 4711'))
    body = {"message": "by JSON", "delay": "2h", "expires_at": "2199-01-01T00:00:00Z"}
    form.get_by_label("Body of the call").fill(json.dumps(body))
    form.get_by_role("button", name="Create job").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    expect(page.get_by_role("main")).to_contain_text("Expires")


def test_filters_are_tokens_and_in_the_address(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/jobs")
    box = page.get_by_role("combobox", name="Add a filter")
    box.fill("state:eager")
    box.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no state")
    box.fill("state:succeeded")
    box.press("Enter")
    expect(page).to_have_url(re.compile(r"\?state=succeeded"))
    box.fill("label:team=payments")
    box.press("Enter")
    rows = page.get_by_role("table", name="Jobs").locator("tbody tr:not([aria-hidden])")
    expect(rows).to_have_count(20)
    expect(page).to_have_url(re.compile("label=team%3Dpayments"))
    page.get_by_role("button", name="Remove the filter label").click()
    page.get_by_role("navigation", name="States").get_by_role("link", name=re.compile("Retrying")).click()
    expect(rows).to_have_count(1)
    page.goto(f"{server.url}/jobs?q=no+such+message")
    expect(page.get_by_role("main")).to_contain_text("No job matches")


def test_edit_run_now_and_cancel_a_job(page: Page, server: Server) -> None:
    job = job_of(server, "to be changed")
    page.goto(f"{server.url}/jobs/{job}")
    expect(page.get_by_role("region", name="Why not yet")).to_contain_text("It is not due yet")
    page.keyboard.press("e")
    form = dialog(page)
    form.get_by_label("Message").fill("changed")
    form.get_by_label("Priority").fill("7")
    form.get_by_role("button", name="Save changes").click()
    said(page, "Changed.")
    changed = server.call("GET", f"me/jobs/{job}")
    assert (changed["message"], changed["priority"]) == ("changed", 7)
    page.get_by_role("button", name="Run now").click()
    expect(page.get_by_role("region", name="Attempts")).to_contain_text("Succeeded")
    other = job_of(server, "to be cancelled")
    page.goto(f"{server.url}/jobs/{other}")
    page.get_by_role("button", name="Cancel…").click()
    dialog(page).get_by_role("button", name="Cancel this job").click()
    expect(page.get_by_role("main")).to_contain_text("Cancelled")
    assert server.call("GET", f"me/jobs/{other}")["status"] == "cancelled"


def test_attempts_answers_one_like_it_and_curl(page: Page, server: Server, ada: BrowserContext) -> None:
    ada.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    retrying = server.call("GET", "me/jobs?retrying=true")[0]["id"]
    page.goto(f"{server.url}/jobs/{retrying}")
    expect(page.get_by_role("region", name="Attempts")).to_contain_text("http_503")
    expect(page.get_by_label("Answer", exact=True)).to_contain_text("upstream_busy")
    page.get_by_role("button", name="Copy as curl").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"curl -X POST {server.url}/api/v1/me/jobs")
    assert json.loads(copied.split("-d '", 1)[1][:-1])["message"] == "invoice 42"
    page.get_by_role("button", name="Create one like it").click()
    form = dialog(page)
    expect(form.get_by_label("Message, sent as the body")).to_have_value("invoice 42")
    expect(form.get_by_label("URL")).to_have_value(re.compile("/busy$"))
    form.get_by_label("After", exact=True).fill("3h")
    form.get_by_role("button", name="Create job").click()
    expect(page).to_have_url(re.compile(rf"/jobs/(?!{retrying})\d+$"))


def test_a_lanes_dead_head_is_named_where_others_wait(page: Page, server: Server) -> None:
    waiting = server.call("GET", "me/jobs?ordering_key=customer-88&status=created")[0]["id"]
    page.goto(f"{server.url}/jobs/{waiting}")
    why = page.get_by_role("region", name="Why not yet")
    expect(why).to_contain_text("comes first in its lane 'customer-88'")
    why.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("button", name="Send again", exact=True)).to_be_visible()


def test_cancel_all_that_match_obeys_the_filter_and_counts_first(page: Page, server: Server) -> None:
    mine = server.call("POST", "me/jobs/bulk", [{"message": "batch", "delay": "2h", "labels": {"run": "17"}}] * 130)[
        "ids"
    ]
    other = job_of(server, "batch", labels={"run": "18"})
    page.goto(f"{server.url}/jobs?label=run%3D17")
    page.get_by_role("checkbox", name="Select all on this page").check()
    page.get_by_role("button", name="Select all that match this filter").click()
    page.get_by_role("toolbar", name="Selected jobs").get_by_role("button", name="Cancel…").click()
    ask = dialog(page)
    expect(ask).to_contain_text("run=17")
    ask.get_by_role("button", name="Cancel 130 jobs").click()
    said(page, "130 jobs cancelled")
    assert server.call("GET", "me/jobs/count?label=run%3D17")["by_status"] == {"cancelled": len(mine)}
    assert server.call("GET", f"me/jobs/{other}")["status"] == "created"


def test_run_selected_jobs_now(page: Page, server: Server) -> None:
    for _ in range(3):
        job_of(server, "pick me")
    page.goto(f"{server.url}/jobs?q=pick+me")
    boxes = page.get_by_role("table", name="Jobs").locator("tbody").get_by_role("checkbox")
    expect(boxes).to_have_count(3)
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.get_by_role("button", name="Run 2 now").click()
    said(page, "2 jobs due at once")
    expect(page.get_by_role("table", name="Jobs").get_by_text("Succeeded")).to_have_count(2)


def test_create_change_pause_and_backfill_a_schedule(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/schedules/new")
    line = page.get_by_role("textbox", name="Cron line")
    line.fill("0 2 * * 8")
    expect(page.locator("#cron-note")).to_contain_text("8")
    line.fill("30 2 29 * *")
    expect(page.locator("#cron-note")).to_contain_text("02:30")
    expect(page.get_by_role("region", name="Coming instants")).to_contain_text("29 ")
    line.fill("0 * * * *")
    page.get_by_label("Name", exact=True).fill("hourly-usage")
    page.get_by_label("Message", exact=True).fill("usage {{nominal}}")
    page.get_by_role("button", name="Create schedule").click()
    expect(page).to_have_url(re.compile(r"/schedules/\d+$"))
    path = f"me/schedules/{page.url.rsplit('/', 1)[1]}"
    expect(page.get_by_role("button", name="Pause")).to_be_visible()  # the address is there before the view
    page.get_by_role("textbox", name="Cron line").fill("15 * * * *")
    page.get_by_role("button", name="Save changes").click()
    said(page, "Saved.")
    assert server.call("GET", path)["cron"] == "15 * * * *"
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.keyboard.press("z")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert server.call("GET", path)["state"] == "active"
    page.get_by_role("button", name="Run now").click()
    said(page, "beside the occurrences")
    page.get_by_role("button", name="Backfill…").first.click()
    ask = dialog(page)
    expect(ask.get_by_role("button", name="Launch 24 jobs")).to_be_enabled()
    ask.get_by_role("button", name="Launch 24 jobs").click()
    said(page, "24 jobs created.")
    expect(page.get_by_role("region", name="History")).to_contain_text("by hand")
    page.get_by_role("button", name="Delete…").click()
    dialog(page).get_by_role("button", name="Delete this schedule").click()
    expect(page).to_have_url(re.compile("/schedules$"))


def test_dead_letters_by_error_and_sent_again_at_a_pace(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/dead-letters")
    page.get_by_role("button", name="http_410").click()
    expect(page).to_have_url(re.compile("kind=http_410"))
    before = server.call("GET", "me/dead-letters/count?kind=http_410")["count"]
    box = page.get_by_role("region", name="Dead letters").locator("tbody").get_by_role("checkbox").first
    box.check()
    page.get_by_role("toolbar").get_by_role("button", name="Discard…").click()
    dialog(page).get_by_role("button", name="Discard 1 dead letter").click()
    said(page, "1 dead letter discarded")
    page.get_by_role("button", name="Send again…").first.click()
    ask = dialog(page)
    expect(ask).to_contain_text("http_410")
    ask.get_by_label("How many a second").fill("100")
    ask.get_by_role("button", name=f"Send {before - 1} dead letters again").click()
    said(page, f"{before - 1} dead letters go again, 100 a second")


def test_a_blocked_lane_goes_on(page: Page, server: Server) -> None:
    gone = {"kind": "http", "url": f"{server.sink}/gone"}
    jobs = [{"message": "m", "ordering_key": "customer-5", "target": gone, "retry": {"max_attempts": 1}}]
    jobs += [{"message": "next", "ordering_key": "customer-5"}]
    server.call("POST", "me/jobs/bulk", jobs)
    page.goto(f"{server.url}/lanes?q=customer-5")
    row = page.get_by_role("row", name=re.compile("customer-5"))
    expect(row).to_contain_text("Blocked")
    row.get_by_role("button", name="Skip…").click()
    dialog(page).get_by_role("button", name="Skip 1 job").click()
    said(page, "customer-5 goes on")
    expect(page.get_by_role("main")).to_contain_text("No lane matches")


def test_the_calendar_is_a_grid_for_keys(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/calendar")
    cell = page.get_by_role("gridcell").and_(page.locator("[tabindex='0']"))
    cell.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("cell=20"))
    page.get_by_role("link", name="List its jobs").click()
    expect(page.get_by_role("table", name="Jobs")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="The week after").click()
    expect(page).to_have_url(re.compile(r"week=20\d\d-W\d\d"))


def test_keys_find_and_settings(page: Page, server: Server) -> None:
    page.goto(server.url)
    expect(page.get_by_role("main")).to_contain_text("Needs you")
    page.keyboard.press("?")
    expect(dialog(page)).to_contain_text("find or go to")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Find or go to").fill("nightly")
    expect(dialog(page)).to_contain_text("nightly-report")
    dialog(page).get_by_role("option", name=re.compile("nightly-report")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("nightly-report")
    page.keyboard.press("g")
    page.keyboard.press("j")
    expect(page.get_by_role("heading", level=1)).to_have_text("Jobs")
    page.keyboard.press("u")
    expect(page.get_by_role("banner")).to_contain_text("UTC")
    page.keyboard.press("u")
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto(f"{server.url}/account")
    page.get_by_role("group", name="Theme").get_by_role("button", name="As the system").click()
    page.get_by_role("button", name="2 s", exact=True).first.click()
    page.get_by_role("button", name="Paused").first.click()
    expect(page.get_by_role("banner")).to_contain_text("paused")
    page.get_by_role("group", name="Looks").get_by_role("button", name="2 s").click()


def test_the_clusters_last_node_is_not_drained(admin: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(admin)
    page.goto(f"{server.url}/cluster")
    page.get_by_role("button", name="Rebalance now").click()
    said(page, "none moved")
    page.get_by_role("button", name="Drain…").click()
    expect(dialog(page)).to_contain_text("No other node is active")
    dialog(page).get_by_role("button", name=re.compile("^Drain")).click()
    said(page, re.compile("."))


def test_an_administrator_changes_a_user(admin: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(admin)
    page.goto(f"{server.url}/users")
    page.get_by_role("button", name="New user").click()
    form = dialog(page)
    form.get_by_label("User name").fill("globex")
    form.get_by_label("Password").fill(PASSWORD)
    form.get_by_label("Weight").fill("3")
    form.get_by_role("button", name="Create user").click()
    said(page, "globex can sign in")
    page.get_by_role("row", name=re.compile("globex")).get_by_role("button", name="Edit…").click()
    form = dialog(page)
    form.get_by_label("Weight").fill("4")
    form.get_by_label("Running at once").fill("20")
    form.get_by_role("button", name="Save changes").click()
    said(page, "globex is changed")
    expect(page.get_by_role("row", name=re.compile("globex"))).to_contain_text("20")
    page.get_by_role("row", name=re.compile("ada")).get_by_role("link", name="Jobs").click()
    expect(page.get_by_role("table", name="Jobs")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("ada")


def test_an_own_session_is_ended_and_the_page_signs_out(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(f"{server.url}/account")
    page.get_by_label("Current password").fill("not this one")
    page.get_by_label("New password").fill("another password")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_role("main")).to_contain_text(re.compile("password.*(wrong|not|correct)", re.IGNORECASE))
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill("wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Account")
