"""The commands around dead letters, lanes, breakers and users' settings."""

from __future__ import annotations

from typing import Any

import pytest

from unit.cli.conftest import Cli
from unit.client.scripted_api import AT, ScriptedApi, Seen, fail, job, ok

DEAD = "/api/v1/me/dead-letters"
LANES = "/api/v1/me/lanes"
JOBS = "/api/v1/me/jobs"
LANE = {"key": "k", "length": 2, "head": 1025, "head_status": "dead", "blocked": True, "reason": "busy"}


def chosen(seen: Seen) -> Any:
    dry = seen.json["dry_run"]
    return ok({"ids": [1025, 2049], "count": 2, "more_remain": True, "dry_run": dry})


def test_listing_and_showing(cli: Cli, api: ScriptedApi) -> None:
    dead = job(status="dead", reason="503 again", attempts=5, due_at="2030-01-31T09:00:00Z")
    api.on(f"GET {DEAD}", ok([dead], next_cursor=None))
    api.on(f"GET {DEAD}/1025", ok({"job": dead, "runs": [{"attempt": 5, "state": "dead"}]}))
    ran = cli("dead-letters", "list", "--error", "503", "--definition", 3, "--limit", 5)
    assert "503 again" in ran.out
    assert api.seen[0].query == {"error": "503", "definition_id": "3", "limit": "5"}
    assert cli("dead-letters", "list", "--json").lines[0]["reason"] == "503 again"
    assert "503 again" in cli("dead-letters", "show", 1025).out
    assert cli("dead-letters", "show", 1025, "--json").lines[0]["runs"][0]["attempt"] == 5


def test_redriving_by_id_asks_nothing(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {DEAD}/redrive", chosen)
    ran = cli("dead-letters", "redrive", 1025, 2049, "--per-second", 5)
    assert ran.out == "2 dead letters were redriven.\nMore remain: run the command again.\n"
    assert [seen.json for seen in api.seen] == [{"ids": [1025, 2049], "per_second": 5.0, "dry_run": False}]


@pytest.mark.parametrize("verb", ["redrive", "discard"])
def test_an_id_that_is_not_a_dead_letter_is_an_error(cli: Cli, api: ScriptedApi, verb: str) -> None:
    api.on(f"POST {DEAD}/{verb}", chosen)
    ran = cli("dead-letters", verb, 1025, 7, 2049, "--yes")
    assert (ran.code, ran.err) == (3, "Error: These are not among your dead letters: 7.\n")
    assert ran.out.startswith("2 dead letters were ")
    assert cli("dead-letters", verb, 7, "--yes", "--json").error["details"] == {"ids": [7]}


@pytest.mark.parametrize("verb", ["redrive", "discard"])
def test_many_are_counted_and_asked_about_first(cli: Cli, api: ScriptedApi, verb: str) -> None:
    api.on(f"POST {DEAD}/{verb}", chosen)
    refused = cli("dead-letters", verb, "--error", "503", stdin="n\n")
    assert refused.code == 1
    assert "2 dead letters" in refused.err
    assert [seen.json["dry_run"] for seen in api.seen] == [True]
    api.seen.clear()
    assert cli("dead-letters", verb, "--error", "503", stdin="y\n").code == 0
    assert [seen.json["dry_run"] for seen in api.seen] == [True, False]
    api.seen.clear()
    assert cli("dead-letters", verb, "--all", "--yes", "--json").lines[0]["count"] == 2
    assert [seen.json for seen in api.seen] == [{"filter": {}, "dry_run": False}]


def test_a_dry_run_does_nothing_and_says_which(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {DEAD}/discard", chosen)
    ran = cli("dead-letters", "discard", "--all", "--dry-run")
    assert ran.out.splitlines()[:2] == ["2 dead letters would be discarded.", "1025 2049"]
    assert [seen.json["dry_run"] for seen in api.seen] == [True]


@pytest.mark.parametrize(
    "args",
    [
        ("redrive", "--yes"),
        ("discard", "--dry-run"),
        ("redrive", 1025, "--error", "x"),
        ("discard", 1025, "--all"),
        ("redrive", 1025, 2049, "--message", "m"),
        ("redrive", "--all", "--message", "m"),
        ("redrive", 1025, "--message", "m", "--error", "503"),
        ("redrive", 1025, "--message", "m", "--all"),
        ("list", "--limit", 5, "--all"),
        ("redrive", 1025, "--message", "m", "--dry-run"),
    ],
)
def test_what_is_not_clear_is_wrong_usage(cli: Cli, api: ScriptedApi, args: tuple[object, ...]) -> None:
    assert cli("dead-letters", *args).code == 2
    assert api.seen == []


def test_one_can_be_changed_on_the_way(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {DEAD}/1025/redrive", ok(job()))
    ran = cli("dead-letters", "redrive", 1025, "--message", "m", "--url", "https://example.com", "--timeout", "5s")
    assert ran.code == 0
    target = {"kind": "http", "url": "https://example.com"}
    assert api.seen[0].json == {"message": "m", "target": target, "timeout": 5.0}


def test_lanes(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {LANES}", ok([LANE])).on(f"GET {LANES}/k", ok(LANE))
    api.on(f"POST {LANES}/k/skip", ok({"ids": [1025], "lane": None}))
    api.on(f"POST {LANES}/k/retry", ok({"ids": [1025], "lane": LANE}))
    api.on(f"POST {LANES}/k/clear", ok({"ids": [1025, 2049], "lane": None}))
    assert cli("lanes", "list", "--blocked").out.split()[6:12] == ["k", "2", "yes", "1025", "dead", "busy"]
    assert cli("lanes", "list", "--json").lines == [LANE]
    assert "busy" in cli("lanes", "show", "k").out
    assert cli("lanes", "skip", "k").out == "Skipped: job 1025. The lane is empty now.\n"
    assert cli("lanes", "retry", "k").out == "Redriven: job 1025. Jobs left in the lane: 2.\n"
    assert cli("lanes", "clear", "k", stdin="n\n").code == 1
    assert api.calls(f"POST {LANES}/k/clear") == []
    assert cli("lanes", "clear", "k", "--yes").out == "Cancelled: 2 jobs. The lane is empty now.\n"


def test_a_lane_that_is_not_blocked_is_a_conflict(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {LANES}/k/skip", fail(409, "conflict", "The lane is not blocked."))
    assert cli("lanes", "skip", "k").code == 5
    assert cli("lanes", "show", "none").code == 3


def test_breakers(cli: Cli, api: ScriptedApi) -> None:
    broken = {"host": "http://a:9", "failures": 10, "opened_at": "2030-01-01T00:00:00Z"}
    api.on("GET /api/v1/me/breakers", ok([broken]), ok([broken]), ok([]))
    assert "http://a:9" in cli("breakers", "list").out
    assert cli("breakers", "list", "--json").lines == [broken]
    assert cli("breakers", "list").out == "No host has an open breaker: no job waits for one.\n"
    everyone = {**broken, "user_id": 7, "next_probe_at": "2030-01-01T00:00:05Z"}
    api.on("GET /api/v1/cluster/breakers", ok([everyone]))
    shown = cli("breakers", "list", "--all-users").out
    assert "2030-01-01 00:00:05Z" in shown
    assert "USER" in shown


def test_resetting_a_breaker(cli: Cli, api: ScriptedApi) -> None:
    for path in ("/api/v1/me", "/api/v1/cluster"):
        api.on(f"POST {path}/breakers/http://a:9/reset", ok({"host": "http://a:9", "breakers": 1}))
    said = "Reset the circuit breaker of http://a:9: jobs for it start again.\n"
    assert cli("breakers", "reset", "http://a:9").out == said
    assert cli("breakers", "reset", "http://a:9", "--all-users").out == said
    assert [seen.raw for seen in api.seen] == [
        "/api/v1/me/breakers/http%3A%2F%2Fa%3A9/reset",
        "/api/v1/cluster/breakers/http%3A%2F%2Fa%3A9/reset",
    ]
    assert cli("breakers", "reset", "http://b").code == 3


def test_a_job_shows_what_it_waits_for(cli: Cli, api: ScriptedApi) -> None:
    reason = {"kind": "breaker", "message": "It is open.", "since": AT, "until": AT, "host": "http://a:9"}
    api.on(f"GET {JOBS}/1025", ok(job(waiting_for=[reason]))).on(f"GET {JOBS}/1025/runs", ok([]))
    api.on(f"GET {JOBS}", ok([job(waiting_for=[reason])]))
    shown = cli("jobs", "show", 1025).out
    assert "waiting for  breaker: It is open. Since 2030-01-31 09:00:00Z. Until 2030-01-31 09:00:00Z." in shown
    assert "breaker" in cli("jobs", "list").out


def test_a_job_with_limits_and_hours(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job())).on(f"PATCH {JOBS}/1025", ok(job()))
    options = ("--limit-concurrency", 3, "--rate", "10/minute", "--hours", "09:00-17:00", "--zone", "Europe/Riga")
    assert cli("jobs", "create", "m", *options, "--no-breaker").code == 0
    assert api.seen[0].json == {
        "message": "m",
        "limit": {"rate": 10.0, "per": "minute", "max_concurrency": 3},
        "hours": {"window": "09:00-17:00", "zone": "Europe/Riga"},
        "breaker": False,
    }
    assert cli("jobs", "edit", 1025, "--rate", "5").code == 0
    assert api.seen[1].json == {"limit": {"rate": 5.0, "per": "second"}}
    assert cli("jobs", "edit", 1025, "--no-limit", "--no-hours", "--breaker", "--no-requires").code == 0
    assert api.seen[2].json == {"limit": None, "hours": None, "breaker": True, "requires": None}
    assert cli("jobs", "edit", 1025, "--no-limit", "--rate", "5").code == 2
    assert cli("jobs", "edit", 1025, "--requires", "zone=eu", "--requires", "gpu=a").code == 0
    assert api.seen[3].json == {"requires": {"zone": "eu", "gpu": "a"}}


@pytest.mark.parametrize("option", [("--rate", "fast"), ("--rate", "0/second"), ("--rate", "1/day"), ("--zone", "UTC")])
def test_options_that_cannot_be_read(cli: Cli, api: ScriptedApi, option: tuple[str, str]) -> None:
    assert cli("jobs", "create", "m", *option).code == 2
    assert api.seen == []


ADA = {
    "id": 7,
    "username": "ada",
    "job_weight": 1.0,
    "limits": {"max_concurrency": 5, "rate": None, "per": "second", "burst": None},
    "quotas": {"pending_jobs": 10, "schedules": None, "payload_bytes": None, "requests_per_second": None},
}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        (("--weight", 3), {"job_weight": 3.0}),
        (("--rate", "10/second"), {"limits": {"max_concurrency": 5, "rate": 10.0, "per": "second"}}),
        (("--max-concurrency", 2), {"limits": {"max_concurrency": 2, "per": "second"}}),
        (("--quota-requests", 5), {"quotas": {**ADA["quotas"], "requests_per_second": 5.0}}),  # type: ignore[dict-item]
        (("--no-limits", "--no-quotas"), {"limits": None, "quotas": None}),
        (("--pin", "3,0-2,2"), {"distribution": {"kind": "pin", "shards": [0, 1, 2, 3]}}),
        (("--require", "zone=eu"), {"distribution": {"kind": "labels", "labels": {"zone": "eu"}}}),
        (("--spread",), {"distribution": {"kind": "spread"}}),
    ],
)
def test_setting_a_user_keeps_what_is_not_given(
    cli: Cli, api: ScriptedApi, options: tuple[object, ...], sent: dict[str, Any]
) -> None:
    api.on("GET /api/v1/users", ok([ADA], next_cursor=None)).on("PATCH /api/v1/users/7", ok(ADA))
    assert cli("users", "set", "ada", *options).code == 0
    assert api.seen[-1].json == sent


CONTRADICTING = [("--require", "a=b", "--pin", "1"), ("--require", "a=b", "--spread"), ("--require", "a")]


@pytest.mark.parametrize(
    "options",
    [
        ("--no-limits", "--rate", "1"),
        ("--spread", "--pin", "1"),
        ("--pin", "5-1"),
        ("--pin", "1024"),
        ("--pin", "x"),
        *CONTRADICTING,
    ],
)
def test_settings_that_contradict_themselves(cli: Cli, api: ScriptedApi, options: tuple[str, ...]) -> None:
    assert cli("users", "set", "ada", *options).code == 2
    assert api.seen == []
