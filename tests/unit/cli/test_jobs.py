"""The commands around jobs and users: what they ask of the server and what they show."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from duetime.model.targets.http import HttpTarget
from unit.cli.conftest import Cli
from unit.client.scripted_api import Reply, ScriptedApi, Seen, fail, job, ok

JOBS = "/api/v1/me/jobs"
SCHEDULES = "/api/v1/me/schedules"
RUN = {"id": "1025-1", "attempt": 1, "state": "failed", "due_at": "2030-01-31T09:00:00Z", "lateness_ms": 1.25}
USERS = [{"id": 7, "username": "12", "job_weight": 1.0}, {"id": 12, "username": "ada", "job_weight": 2.0}]


def test_creating(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job()))
    ran = cli(
        *("jobs", "create", "hi", "--at", "2030-01-31T09:00:00+01:00", "--url", "https://example.com/x"),
        *("--method", "put", "--header", "X-A: b:c", "--header", "Y:", "--key", "k", "--priority", 0),
        *("--timeout", "1m", "--expires-at", "2030-02-01T00:00:00Z", "--retry-attempts", 2),
        *("--delivery", "at_most_once", "--on-failure", "skip", "--label", "a=b=c", "--idempotency-key", "once"),
    )
    assert (ran.code, ran.out) == (0, "Created job 1025: created, due 2030-01-31 09:00:00Z.\n")
    (seen,) = api.seen
    assert seen.headers["Idempotency-Key"] == "once"
    assert seen.bearer == "t"
    target = {"kind": "http", "url": "https://example.com/x", "method": "PUT", "headers": {"X-A": "b:c", "Y": ""}}
    assert seen.json == {
        "message": "hi",
        "execute_at": "2030-01-31T09:00:00+01:00",
        "target": target,
        "ordering_key": "k",
        "priority": 0,
        "timeout": 60.0,
        "expires_at": "2030-02-01T00:00:00Z",
        "retry": {"max_attempts": 2},
        "delivery": "at_most_once",
        "on_failure": "skip",
        "labels": {"a": "b=c"},
    }


def test_creating_as_json_with_the_message_from_stdin(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job()))
    ran = cli("jobs", "create", "-", "--delay", "30s", "--json", stdin="a\nb\n")
    assert api.seen[0].json == {"message": "a\nb\n", "delay": "30s"}
    assert ran.lines[0]["id"] == 1025


def test_an_instant_without_an_offset_is_local(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job()))
    cli("jobs", "create", "m", "--at", "2030-06-01 12:00")
    sent = datetime.fromisoformat(api.seen[0].json["execute_at"])
    assert sent == datetime(2030, 6, 1, 12).astimezone()


def bulk(seen: Seen) -> Reply:
    return ok({"ids": [json.loads(line)["message"] for line in seen.body.splitlines()]})


def test_creating_many(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    api.on(f"POST {JOBS}/bulk", bulk)
    file = tmp_path / "jobs.ndjson"
    file.write_text("".join(f'{{"message": {n}}}\n\n' for n in range(10_500)))
    assert cli("jobs", "create", "--file", file).out == "Created 10500 jobs.\n"
    assert len(api.seen) == 2
    ran = cli("jobs", "create", "--file", "-", "--json", stdin='{"message": 5}\n{"message": 6}')
    assert ran.lines == [{"created": 2, "ids": [5, 6]}]


def test_a_bad_line_is_found_before_anything_is_sent(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    file = tmp_path / "jobs.ndjson"
    file.write_text('{"message": "a"}\n' * 20_000 + "[1]\n")
    ran = cli("jobs", "create", "--file", file)
    assert ran.code == 2
    assert f"Line 20001 of {file} is not a job in JSON" in ran.err
    assert api.seen == []


def test_a_refused_part_says_what_was_created(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    api.on(f"POST {JOBS}/bulk", bulk, fail(422, "invalid", "Line 4: 'x' is wrong.", {"index": 3, "line": 4}))
    file = tmp_path / "jobs.ndjson"
    file.write_text('\n\n{"message": 1}\n' + '{"message": 1}\n' * 10_002 + "\n" + '{"message": 1}\n' * 7)
    plain = cli("jobs", "create", "--file", file)
    assert plain.code == 2
    assert plain.err == (f"Error: Line 10007 of {file}: 'x' is wrong. The 10000 jobs before it were created.\n")
    told = cli("jobs", "create", "--file", file, "--json")
    assert told.error["details"] == {"index": 3, "line": 6, "created": 0}


def test_what_is_said_beside_a_file_would_be_lost(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    file = tmp_path / "jobs.ndjson"
    file.write_text('{"message": 1}\n')
    ran = cli(
        "jobs", "create", "--file", file, "--delay", "1h", "--no-breaker", "--label", "a=b", "--retry-attempts", 1
    )
    assert ran.code == 2
    assert "leave out --delay, --label, --retry-attempts, --breaker, " in ran.err
    assert api.seen == []


def test_listing(cli: Cli, api: ScriptedApi) -> None:
    hostile = "evil \x1b]0;title\x07\n[bold red]x[/] \u202e"
    jobs = [job(1, "succeeded", message=hostile), job(2, "dead", message="y" * 500, ordering_key="k")]
    api.on(f"GET {JOBS}", ok(jobs, next_cursor=None))
    ran = cli("jobs", "list", "--status", "dead", "--from", "2030-01-01T00:00:00Z", "--key", "k", "-q", "z")
    header, first, second = ran.out.splitlines()
    assert header.split() == ["ID", "STATUS", "EXECUTE", "AT", "KEY", "ATTEMPTS", "WAITING", "FOR", "MESSAGE"]
    assert first.startswith("1 ")
    assert first.isprintable()
    assert "[bold red]x[/]" in first
    assert second.endswith(" " + "y" * 500)
    assert api.seen[0].query == {
        "status": "dead",
        "from": "2030-01-01T00:00:00+00:00",
        "ordering_key": "k",
        "q": "z",
        "limit": "20",
    }


def test_listing_all_as_json_is_a_job_a_line(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", ok([job(1)], next_cursor="c"), ok([job(2)], next_cursor=None))
    assert [entry["id"] for entry in cli("jobs", "list", "--all", "--json").lines] == [1, 2]
    assert cli("jobs", "list", "--all", "--limit", 5).code == 2


def test_listing_nothing(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", ok([], next_cursor=None))
    assert cli("jobs", "list").out == "There are no such jobs. Create one with 'duetime jobs create'.\n"
    assert cli("jobs", "list", "--json").out == ""


def test_showing(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1025", ok(job(message="line 1\nline \x1b[31m2", target={"kind": "log"}, attempts=0)))
    api.on(f"GET {JOBS}/1025/runs", ok([{**RUN, "error": {"kind": "http_503", "message": "busy"}}]))
    ran = cli("jobs", "show", 1025)
    assert ran.code == 0
    assert "status      created" in ran.out
    assert "line 1\n" in ran.out
    assert "\x1b" not in ran.out
    assert "http_503: busy" in ran.out
    told = cli("jobs", "show", 1025, "--json").lines[0]
    assert (told["job"]["id"], told["runs"][0]["error"]["kind"]) == (1025, "http_503")


ANSWERS = [
    {
        "kind": "http",
        "status": 503,
        "headers": {"content-type": "text/plain", "retry-after": "5"},
        "body": "busy: \x1b[31mtry later\nplease",
        "body_cut": True,
    },
    {"kind": "novel", "depth": 3},
]


def test_the_targets_answer_is_shown_and_an_unknown_kind_by_its_name(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1025", ok(job()))
    api.on(f"GET {JOBS}/1025/runs", ok([{**RUN, "attempt": n, "response": one} for n, one in enumerate(ANSWERS, 1)]))
    ran = cli("jobs", "show", 1025)
    assert "HTTP 503" in ran.out
    assert "The target's answer to attempt 2:\nanswer kind   novel\nanswer depth  3\n" in ran.out
    shown = cli("jobs", "show", 1025, "--json").lines[0]
    assert [run["response"] for run in shown["runs"]] == ANSWERS
    lines = cli("jobs", "runs", 1025, "--attempt", 1).out.splitlines()
    assert lines[:2] == ["attempt          1", "state            failed"]
    assert lines[-7:] == [
        "answer kind      http",
        "answer status    503",
        "answer headers   content-type: text/plain",
        "                 retry-after: 5",
        "answer body      busy: \N{REPLACEMENT CHARACTER}[31mtry later",
        "                 please",
        "answer body cut  True",
    ]
    assert [run["response"] for run in cli("jobs", "runs", 1025, "--json").lines] == ANSWERS
    assert len([line for line in cli("jobs", "runs", 1025).out.splitlines() if line.startswith("attempt ")]) == 2
    gone = cli("jobs", "runs", 1025, "--attempt", 3)
    assert (gone.code, gone.err) == (3, "Error: Job 1025 has no attempt 3; it has had 2.\n")


@pytest.mark.parametrize(
    ("auth", "sent"),
    [
        ("basic:ada:se:same", {"username": "ada", "password": "se:same"}),
        ("basic:ada:@secret", {"username": "ada", "password": "from a file"}),
        ("bearer:abc:def", {"token": "abc:def"}),
        ("bearer:@secret", {"token": "from a file"}),
    ],
)
def test_credentials_and_redirects_of_a_request(
    cli: Cli, api: ScriptedApi, tmp_path: Path, auth: str, sent: dict[str, str]
) -> None:
    (tmp_path / "secret").write_text("from a file\n")
    api.on(f"POST {JOBS}", ok(job()))
    ran = cli("jobs", "create", "m", "--url", "https://example.com", "--auth", auth, "--follow-redirects", 3)
    assert ran.code == 0
    target = msgspec.convert(api.seen[0].json["target"], HttpTarget)
    assert target.follow_redirects == 3
    assert sent.items() <= msgspec.to_builtins(target.auth).items()


@pytest.mark.parametrize("auth", ["sesame", "basic:sesame", "digest:ada:sesame", "bearer:", "bearer:@none"])
def test_credentials_that_cannot_be_read_are_not_quoted(cli: Cli, api: ScriptedApi, auth: str) -> None:
    ran = cli("jobs", "create", "m", "--url", "https://example.com", "--auth", auth)
    assert ran.code == 2
    assert "sesame" not in ran.err
    assert api.seen == []
    assert "need a --url" in cli("jobs", "create", "m", "--auth", "bearer:x").err


def test_cancelling_goes_on_after_one_that_cannot_be(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}/1/cancel", ok(job(1, "cancelled"))).on(f"POST {JOBS}/3/cancel", ok(job(3, "running")))
    api.on(f"POST {JOBS}/2/cancel", fail(409, "conflict", "It is finished."))
    ran = cli("jobs", "cancel", 1, 2, 404, 3)
    assert ran.code == 5
    assert ran.out == "Cancelled: job 1 (cancelled).\nAsked to stop: job 3 (running).\n"
    assert ran.err == "Error: Job 2: It is finished.\nError: Job 404: There is no such thing.\n"
    told = cli("jobs", "cancel", 1, 2, "--json")
    assert [entry["id"] for entry in told.lines] == [1]
    assert told.error["details"] == {"job": 2}


def test_a_job_is_named_by_its_idempotency_key(cli: Cli, api: ScriptedApi) -> None:
    path = f"{JOBS}/by-key/order-7"
    api.on(f"GET {path}", ok(job())).on(f"GET {JOBS}/1025/runs", ok([RUN]))
    api.on(f"PATCH {path}", ok(job())).on(f"POST {path}/cancel", ok(job(status="cancelled")))
    assert cli("jobs", "show", "--idempotency-key", "order-7", "--json").lines[0]["job"]["id"] == 1025
    assert cli("jobs", "edit", "--idempotency-key", "order-7", "--delay", "1h").out.startswith("Changed job 1025")
    assert cli("jobs", "cancel", "--idempotency-key", "order-7").out == "Cancelled: job 1025 (cancelled).\n"
    for wrong in (("show", "--json"), ("show", 1025, "--idempotency-key", "k"), ("edit", "--delay", "1h")):
        ran = cli("jobs", *wrong)
        assert ran.code == 2
        assert "either the job's ID or its --idempotency-key" in ran.err


def test_a_key_that_has_a_job_creates_nothing(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job(created=False, status="cancelled")), ok(job(created=False)))
    ran = cli("jobs", "create", "m", "--idempotency-key", "once")
    assert ran.out == (
        "Created nothing: the idempotency key belongs to job 1025, which is cancelled. It has ended as cancelled: "
        "use another key to create a new job.\n"
    )
    ran = cli("jobs", "create", "m", "--idempotency-key", "once")
    assert ran.out == "Created nothing: the idempotency key belongs to job 1025, which is created.\n"


def test_a_schedule_is_given_by_its_name(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {SCHEDULES}", ok([{"id": 9, "name": "nightly", "state": "active"}], next_cursor=None))
    api.on(f"GET {JOBS}", ok([], next_cursor=None))
    api.on(f"POST {JOBS}/cancel", ok({"ids": [], "stopping": [], "count": 0, "ended": [], "unknown_keys": []}))
    assert cli("jobs", "list", "--schedule", "nightly").code == 0
    assert api.seen[-1].query["schedule_id"] == "9"
    assert cli("jobs", "cancel", "--schedule", "nightly", "--yes").code == 0
    assert api.seen[-1].json["filter"] == {"schedule_id": 9}
    assert cli("jobs", "list", "--schedule", "nigh").code == 3


def test_the_jobs_that_options_select_are_cancelled_after_a_question(cli: Cli, api: ScriptedApi) -> None:
    done = {"ids": [1, 2], "stopping": [3], "count": 3, "ended": [], "unknown_keys": []}
    would = {**done, "ids": [1, 2, 3], "stopping": [], "dry_run": True}
    api.on(f"POST {JOBS}/cancel", lambda seen: ok(would if seen.json["dry_run"] else done))
    api.on(f"GET {SCHEDULES}", ok([], next_cursor=None))
    asked = ("jobs", "cancel", "--label", "order=7", "--status", "created", "--schedule", 9)
    ran = cli(*asked, stdin="n\n")
    assert (ran.code, [seen.method for seen in api.seen]) == (1, ["GET", "POST"])
    assert "Cancel 3 jobs?" in ran.err
    ran = cli(*asked, stdin="y\n")
    assert ran.out.endswith("Cancelled 2 jobs.\nAsked 1 job to stop: 3.\n")
    assert api.seen[-1].json["filter"] == {"labels": {"order": "7"}, "status": "created", "schedule_id": 9}
    assert cli("jobs", "cancel", "--all", "--dry-run").out == "3 jobs would be cancelled.\n1 2 3\n"
    assert cli("jobs", "cancel", 5, "--label", "a=b").code == 2
    assert cli("jobs", "cancel", "--yes").code == 2
    assert cli("jobs", "cancel", 5, "--dry-run").code == 2


@pytest.mark.parametrize(("end", "code"), [("succeeded", 0), ("dead", 1), ("cancelled", 1)])
def test_watching(cli: Cli, api: ScriptedApi, end: str, code: int) -> None:
    api.on(f"GET {JOBS}/1025", ok(job()), ok(job(status=end, attempts=1, finished_at="2030-01-31T09:00:01.5Z")))
    ran = cli("jobs", "watch", 1025)
    assert ran.code == code
    assert ran.out.splitlines() == [
        "job 1025: created, due 2030-01-31 09:00:00Z",
        f"job 1025: {end}, attempt 1, finished 2030-01-31 09:00:01.500Z",
    ]


def test_editing_and_bringing_forward(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"PATCH {JOBS}/1025", ok(job())).on(f"POST {JOBS}/1025/run-now", ok(job()))
    assert cli("jobs", "edit", 1025, "--delay", "1h", "--url", "https://example.com").code == 0
    assert api.seen[0].json == {"delay": "1h", "target": {"kind": "http", "url": "https://example.com"}}
    assert cli("jobs", "run-now", 1025, "--json").lines[0]["id"] == 1025


def test_editing_takes_away_too(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"PATCH {JOBS}/1025", ok(job()))
    assert cli("jobs", "edit", 1025, "--no-expiry", "--no-hours").code == 0
    assert api.seen[0].json == {"expires_at": None, "hours": None}
    ran = cli("jobs", "edit", 1025, "--no-expiry", "--expires-at", "2030-01-01T00:00:00Z")
    assert (ran.code, ran.err) == (2, "Error: --no-expiry removes what another option sets: give one of them.\n")


def test_counting(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/stats", ok({"created": 3, "dead": 1}))
    assert cli("jobs", "stats").out.split() == ["STATE", "JOBS", "created", "3", "dead", "1"]
    assert cli("jobs", "stats", "--json").lines == [{"created": 3, "dead": 1}]


def test_users(cli: Cli, api: ScriptedApi) -> None:
    api.on("POST /api/v1/users", ok(USERS[1])).on("GET /api/v1/users", ok(USERS, next_cursor=None))
    api.on("PATCH /api/v1/users/12", ok(USERS[1])).on("PATCH /api/v1/users/7", ok(USERS[0]))
    ran = cli("users", "create", "ada", "--weight", 2, "--password-stdin", stdin="secret\n")
    assert ran.out == "Created user ada with id 12 and weight 2.\n"
    assert api.seen[0].json == {"username": "ada", "password": "secret", "job_weight": 2.0}
    cli("users", "create", "ada", "--role", "admin", "--password-stdin", stdin="secret\n")
    assert api.seen[-1].json == {"username": "ada", "password": "secret", "role": "admin"}
    assert [user["username"] for user in cli("users", "list", "--json").lines] == ["12", "ada"]
    assert cli("users", "set-weight", "ada", 3).code == 0
    assert api.seen[-1].path == "/api/v1/users/12"
    cli("users", "set-weight", "12", 3)
    assert api.seen[-1].path == "/api/v1/users/7", "a name counts before an id"
    assert cli("users", "set-weight", "nobody", 3).code == 3


def test_a_new_password_is_asked_for_twice(cli: Cli, api: ScriptedApi) -> None:
    api.on("POST /api/v1/users", ok(USERS[1]))
    ran = cli("users", "create", "ada", stdin="one\ntwo\nsame\nsame\n")
    assert ran.code == 0
    assert api.seen[0].json["password"] == "same"


def test_counts_with_blocked_lanes(cli: Cli, api: ScriptedApi) -> None:
    found = {"jobs": {"created": 3, "dead": 1}, "blocked_lanes": 2}
    api.on("GET /api/v1/me/stats", ok(found))
    lines = cli("stats").out.splitlines()
    assert lines[1].split() == ["created", "3"]
    assert lines[-1] == "Blocked lanes: 2."
    assert cli("stats", "--json").lines == [found]


def test_what_an_answer_lacks_is_said_beside_it(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/stats", ok({"created": 1})._replace(headers={"Duetime-Incomplete": "Database 1 is away."}))
    ran = cli("jobs", "stats", "--json")
    assert (ran.code, ran.lines, ran.err) == (0, [{"created": 1}], "Incomplete: Database 1 is away.\n")
