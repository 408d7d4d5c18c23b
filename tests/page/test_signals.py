"""Notification rules are made, tried and deleted on the page, and the audit shows who did it."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from page.conftest import Server
from page.test_views import as_light_and_dark, fits

Watch = Callable[[BrowserContext], Page]


def test_a_rule_is_created_tried_changed_and_deleted(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(f"{server.url}/notifications")
    main = page.get_by_role("main")
    expect(main).to_contain_text("No rules")
    main.get_by_role("button", name=re.compile("New rule")).first.click()
    form = page.locator("dialog[open]")
    expect(form.get_by_role("button", name="The cluster")).to_have_count(0)
    form.get_by_label("Name", exact=True).fill("broken things")
    form.get_by_label("each dead letter").check()
    form.get_by_label("Send by").select_option("webhook")
    form.get_by_label("URL").fill("ftp://example.com")
    form.get_by_role("button", name="Create rule").click()
    expect(form.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
    form.get_by_label("URL").fill(f"{server.sink}/rule")
    assert as_light_and_dark(page, "new-rule") == []
    form.get_by_role("button", name="Create rule").click()

    rules = page.get_by_role("region", name="Rules", exact=True)
    row = rules.get_by_role("row", name=re.compile("broken things"))
    expect(row).to_contain_text("it fails, it works again, each dead letter")
    row.get_by_role("button", name="Send test").click()
    sent = page.get_by_role("region", name="Messages of rules").get_by_role("row", name=re.compile("broken things"))
    expect(sent).to_contain_text("a test")
    expect(sent).to_contain_text("Succeeded")
    row.get_by_role("button", name="Preview").click()
    expect(page.get_by_label("Text", exact=True)).to_contain_text("Sent by the notification rule 'broken things'")
    page.locator("dialog[open]").get_by_role("button", name="Close").click()
    row.get_by_role("button", name="Edit").click()
    page.locator("dialog[open]").get_by_label("After").fill("3")
    page.locator("dialog[open]").get_by_label("Subject of your own").fill("{{what}}!")
    page.locator("dialog[open]").get_by_role("button", name="Save changes").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    (rule,) = server.call("GET", "me/notification-rules")
    assert (rule["after"], rule["template"]["subject"]) == (3, "{{what}}!")
    row.get_by_role("button", name="Pause").click()
    expect(row).to_contain_text("paused")
    assert as_light_and_dark(page, "notifications") == []
    page.set_viewport_size({"width": 400, "height": 800})
    fits(page, 400)
    page.set_viewport_size({"width": 1440, "height": 900})
    row.get_by_role("button", name="Delete").click()
    page.locator("dialog[open]").get_by_role("button", name="Delete 1 rule").click()
    expect(main).to_contain_text("No rules")

    page.goto(f"{server.url}/audit?action=notification_rule.")
    changes = page.get_by_role("region", name="Changes")
    edited = changes.get_by_role("row", name=re.compile(r"notification_rule\.edited"))
    expect(edited.filter(has_text="after: 1 → 3")).to_have_count(1)
    expect(changes).to_contain_text("notification_rule.deleted")
    expect(changes).to_contain_text("ada")
    expect(main.get_by_role("button", name="All users")).to_have_count(0)


def test_an_admin_makes_rules_about_the_cluster_and_reads_the_whole_audit(
    admin: BrowserContext, server: Server, watched: Watch
) -> None:
    page = watched(admin)
    page.goto(f"{server.url}/notifications")
    page.get_by_role("main").get_by_role("button", name=re.compile("New rule")).first.click()
    form = page.locator("dialog[open]")
    form.get_by_label("Name", exact=True).fill("the cluster")
    form.get_by_role("button", name="The cluster").click()
    form.get_by_label("Send by").select_option("webhook")
    form.get_by_label("URL").fill(f"{server.sink}/cluster")
    form.get_by_role("button", name="Create rule").click()
    expect(page.get_by_role("region", name="Rules", exact=True)).to_contain_text(
        "a node is lost, the database was away"
    )
    page.goto(f"{server.url}/audit?of=all&action=notification_rule.created")
    expect(page.get_by_role("region", name="Changes")).to_contain_text("the cluster")
    expect(page.get_by_role("main")).to_contain_text("changes are sealed")
