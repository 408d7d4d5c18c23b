"""Workers and queues, and runs of workers and programs: progress, the log while it grows, and the result."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from page.conftest import Server
from page.test_views import as_light_and_dark, fits
from page.worker import registered

Watch = Callable[[BrowserContext], Page]


def test_workers_queues_and_a_run_with_its_log(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(f"{server.url}/workers")
    expect(page.get_by_role("main")).to_contain_text("No workers")
    made = [{"message": {"to": n}, "target": {"kind": "queue", "queue": "mail", "task": "send"}} for n in range(3)]
    server.call("POST", "me/jobs/bulk", [*made, {"message": "x", "target": {"kind": "queue", "queue": "reports"}}])
    worker = registered(server, "mailer", "mail")
    taken = worker.take()
    worker.report(taken["run"], {"sent": 40, "of": 100})
    worker.log(taken["run"], 0, "connecting", "\x1b[31m250\x1b[0m accepted")

    main = page.get_by_role("main")
    expect(main).to_contain_text("1 queue without a worker")
    queues, workers = page.get_by_role("region", name="Queues"), page.get_by_role("region", name="Workers")
    expect(queues.get_by_role("row", name=re.compile("^mail"))).to_contain_text("2")
    expect(queues.get_by_role("row", name=re.compile("^reports"))).to_contain_text(
        "No worker takes the queue 'reports'"
    )
    workers.get_by_role("button", name=re.compile("mailer")).click()
    expect(page.get_by_role("region", name="Runs", exact=True)).to_contain_text('{"sent":40,"of":100}')
    assert as_light_and_dark(page, "workers") == []
    page.set_viewport_size({"width": 400, "height": 800})
    fits(page, 400)
    page.set_viewport_size({"width": 1440, "height": 900})

    page.get_by_role("link", name=str(taken["job"])).click()
    expect(main).to_contain_text("At worker mailer")
    expect(main).to_contain_text('{"sent":40,"of":100}')
    log = page.get_by_label("Log", exact=True)
    expect(log).to_have_text("connecting\n250 accepted")
    assert as_light_and_dark(page, "job-at-worker") == []
    worker.log(taken["run"], 2, "queued as 7F3A")
    expect(log).to_have_text("connecting\n250 accepted\nqueued as 7F3A")
    worker.call("settle", {"outcomes": [{"run": taken["run"], "status": "succeeded", "result": {"id": "7F3A"}}]})
    expect(page.get_by_label("Result", exact=True)).to_contain_text('"id": "7F3A"')
    expect(log).to_contain_text("queued as 7F3A")


def test_a_worker_is_drained_and_taken_back(ada: BrowserContext, server: Server, watched: Watch) -> None:
    worker, page = registered(server, "drained", "other"), watched(ada)
    page.goto(f"{server.url}/workers")
    row = page.get_by_role("region", name="Workers").get_by_role("row", name=re.compile("drained"))
    row.get_by_role("button", name="Drain", exact=True).click()
    expect(row).to_contain_text("finishing")
    assert _drains(server, worker.name)
    page.get_by_role("status", name="Messages").get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("waiting")
    assert not _drains(server, worker.name)


def _drains(server: Server, name: str) -> bool:
    return next(one["drain"] for one in server.call("GET", "workers") if one["worker"] == name)


def test_create_a_job_for_a_worker(ada: BrowserContext, server: Server, watched: Watch) -> None:
    page = watched(ada)
    page.goto(f"{server.url}/jobs?new=1")
    form = page.locator("dialog[open]")
    form.get_by_role("button", name="Wait for a worker").click()
    form.get_by_role("button", name="Create job").click()
    expect(form).to_contain_text("Write the name of a queue")
    form.get_by_label("Queue").fill("mail")
    form.get_by_label("Task").fill("send")
    form.get_by_role("button", name="Create job").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    made = server.call("GET", f"me/jobs/{page.url.rsplit('/', 1)[1]}")
    assert (made["target"]["queue"], made["target"]["task"]) == ("mail", "send")


def test_a_program_shows_its_log_and_how_it_ended(ada: BrowserContext, server: Server, watched: Watch) -> None:
    target = {"kind": "shell", "script": "echo first; echo wrong >&2; exit 3"}
    made = server.call("POST", "me/jobs", {"message": "", "target": target, "retry": {"max_attempts": 1}})
    page = watched(ada)
    page.goto(f"{server.url}/jobs/{made['id']}")
    main = page.get_by_role("main")
    expect(main).to_contain_text("run echo first")
    expect(main).to_contain_text(re.compile(r"Exit code\s*3"))
    expect(page.get_by_label("Log", exact=True)).to_contain_text("first")
    expect(page.get_by_label("Errors", exact=True)).to_contain_text("wrong")
