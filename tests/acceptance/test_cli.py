"""The `duetime` command against a real server: what people read, what scripts read, and exit codes."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from harness.calls import PASSWORD, Api
from harness.process import ADMIN_PASSWORD, DuetimeProcess, environment
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

SECONDS = 60.0


class Ended(Struct, frozen=True):
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output, which must be one line of JSON."""
        assert self.code == 0, self
        return json.loads(self.out)

    def error(self, code: int) -> str:
        """Its error, which must be one sentence, with this exit code."""
        assert self.code == code, self
        assert self.out == "", self
        assert "Traceback" not in self.err, self
        assert self.err.startswith("Error: "), self
        return self.err


class Cli:
    """The command, for one person with a home of their own."""

    def __init__(self, url: str, home: Path) -> None:
        self.home = home
        self.env = environment(HOME=str(home), DUETIME_SERVER=url, XDG_CONFIG_HOME=str(home / ".config"))
        del self.env["DUETIME_ADMIN_PASSWORD"]

    async def run(self, *words: str, stdin: str = "", **env: str) -> Ended:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "duetime",
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=self.env | env,
            cwd=self.home,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin.encode()), SECONDS)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Ended(process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
def cli(shared_duetime: DuetimeProcess, ada: Api, tmp_path: Path) -> Cli:
    """The command, as a new user."""
    made = Cli(shared_duetime.url, tmp_path)
    made.env["DUETIME_TOKEN"] = ada.token or ""
    return made


async def test_logging_in_keeps_a_private_token_and_out_forgets_it(cli: Cli, ada: Api) -> None:
    del cli.env["DUETIME_TOKEN"]
    name = ada.user["username"]
    login = await cli.run("login", "--username", name, "--password-stdin", "--json", stdin=f"{PASSWORD}\n")
    assert login.json["username"] == name
    kept = cli.home / ".config" / "duetime" / "credentials.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert PASSWORD not in kept.read_text()
    assert (await cli.run("jobs", "list", "--json")).code == 0
    assert (await cli.run("logout")).code == 0
    assert "duetime login" in (await cli.run("jobs", "list")).error(4)
    wrong = await cli.run("login", "--username", "nobody", "--password-stdin", stdin="wrong password\n")
    assert "wrong" in wrong.error(4)


async def test_a_job_is_created_listed_shown_and_watched(cli: Cli, ada: Api) -> None:
    job = (await cli.run("jobs", "create", "hello [bold]you[/bold]", "--label", "a=b", "--json")).json
    watched = await cli.run("jobs", "watch", str(job["id"]))
    assert watched.code == 0
    assert f"job {job['id']}: succeeded" in watched.out
    shown = (await cli.run("jobs", "show", str(job["id"]), "--json")).json
    assert shown["job"]["message"] == "hello [bold]you[/bold]"
    assert shown["job"]["labels"] == {"a": "b"}
    assert [run["state"] for run in shown["runs"]] == ["succeeded"]
    table = await cli.run("jobs", "list")
    assert str(job["id"]) in table.out
    assert "hello [bold]you[/bold]" in table.out
    listed = [json.loads(line) for line in (await cli.run("jobs", "list", "--json")).out.splitlines()]
    assert [each["id"] for each in listed] == [job["id"]]
    assert (await ada.job(job["id"]))["status"] == "succeeded"


async def test_cancelling_says_what_it_did_and_what_it_could_not(cli: Cli, ada: Api) -> None:
    said = await cli.run("jobs", "create", "later", "--delay", "1h")
    assert said.code == 0
    [job] = (await ada.get("/api/v1/me/jobs")).data
    assert f"Created job {job['id']}" in said.out
    done = await cli.run("jobs", "cancel", str(job["id"]))
    assert (done.code, done.out) == (0, f"Cancelled: job {job['id']} (cancelled).\n")
    (await cli.run("jobs", "cancel", str(job["id"]))).error(5)
    (await cli.run("jobs", "cancel", "1")).error(3)
    failure = await cli.run("jobs", "cancel", "1", "--json")
    assert failure.code == 3
    assert json.loads(failure.err)["error"]["code"] == "not_found"


async def test_watching_a_job_that_fails_exits_with_1(cli: Cli, ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(status=500))
    words = ("jobs", "create", "m", "--url", url, "--retry-attempts", "1", "--json")
    job = (await cli.run(*words)).json
    watched = await cli.run("jobs", "watch", str(job["id"]), "--json")
    assert watched.code == 1
    assert json.loads(watched.out.splitlines()[-1])["status"] == "dead"


async def test_many_jobs_from_a_file(cli: Cli, ada: Api) -> None:
    lines = "\n".join(json.dumps({"message": f"n{i}", "delay": "1h"}) for i in range(300))
    made = (await cli.run("jobs", "create", "--file", "-", "--json", stdin=lines)).json
    assert made["created"] == 300
    assert (await ada.stats())["created"] == 300
    assert (await cli.run("jobs", "stats", "--json")).json["created"] == 300


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("jobs", "show", "1"), 3),
        (("jobs", "create", "m", "--delay", "soon"), 2),
        (("jobs", "create", "m", "--at", "2201-01-01T00:00:00Z"), 2),
        (("jobs", "create", "m", "--url", "ftp://example.com/"), 2),
        (("users", "list"), 4),
        (("up", "--port", "99999"), 7),
        (("up", "--set", "engine.leese=2s"), 7),
    ],
)
async def test_exit_codes_mean_something(cli: Cli, words: tuple[str, ...], code: int) -> None:
    (await cli.run(*words)).error(code)


async def test_a_server_that_is_not_there(cli: Cli) -> None:
    (await cli.run("jobs", "list", DUETIME_SERVER="http://127.0.0.1:9", DUETIME_TOKEN="a.b.c")).error(6)


async def test_a_terminal_is_not_at_the_mercy_of_a_message(cli: Cli, ada: Api) -> None:
    await ada.create("\x1b[2J\x1b]0;owned\x07red", delay="1h")
    table = await cli.run("jobs", "list")
    assert table.code == 0
    assert "\x1b" not in table.out


async def test_users_are_created_by_the_admin(cli: Cli, ada: Api) -> None:
    del cli.env["DUETIME_TOKEN"]
    login = ("login", "--username", "admin", "--password-stdin")
    assert (await cli.run(*login, stdin=f"{ADMIN_PASSWORD}\n")).code == 0
    name = f"{ada.user['username']}-made"
    words = ("users", "create", name, "--weight", "2.5", "--password-stdin", "--json")
    user = (await cli.run(*words, stdin=f"{PASSWORD}\n")).json
    assert (user["username"], user["job_weight"]) == (name, 2.5)
    (await cli.run(*words[:-1], stdin=f"{PASSWORD}\n")).error(5)
    assert (await ada.anonymous().login(name)).user["id"] == user["id"]


def entries(directory: Path) -> set[Path]:
    return set(directory.iterdir())


async def test_check_and_migrate_say_that_all_is_well_or_what_is_not(
    shared_duetime: DuetimeProcess, tmp_path: Path
) -> None:
    cli = Cli(shared_duetime.url, tmp_path)
    port = shared_duetime.url.rsplit(":", 1)[1]
    busy = await cli.run("check", "--data", str(shared_duetime.data), "--set", f"port={port}", "--json")
    assert busy.code == 1
    wrong = {found["name"]: found["text"] for found in json.loads(busy.out)["findings"] if not found["ok"]}
    assert "already runs" in wrong["data directory"]
    assert f"Cannot listen on 127.0.0.1:{port}" in wrong["address"]
    there = entries(tmp_path)
    fresh = (await cli.run("check", "--data", str(tmp_path / "a" / "d"), "--set", "port=0", "--json")).json
    assert fresh["ok"] is True
    assert f"{tmp_path / 'a' / 'd'} can be used." in [finding["text"] for finding in fresh["findings"]]
    assert entries(tmp_path) == there, "a look leaves nothing behind"
    migrated = await cli.run("migrate", "--data", str(tmp_path / "d"), "--json")
    assert migrated.code == 0, migrated
    fine = (await cli.run("check", "--data", str(tmp_path / "d"), "--set", "port=0", "--json")).json
    assert fine["ok"] is True
    [schema] = [finding["text"] for finding in fine["findings"] if finding["name"] == "schema"]
    assert "applies the rest" not in schema


async def test_the_canary_calls_its_url_again_and_again(cli: Cli, sink: Sink, path: str) -> None:
    made = (await cli.run("canary", sink.url(path), "--every", "1s", "--json")).json
    assert (made["name"], made["state"]) == ("duetime-canary", "active")
    again = (await cli.run("canary", sink.url(path), "--every", "1s", "--json")).json
    assert again["id"] == made["id"], "a repeat changes it"

    async def called_twice() -> bool:
        return await sink.count(path) >= 2

    await eventually(called_twice, 20)
    assert (await cli.run("canary", "--remove", "--json")).json["id"] == made["id"]
    assert "Give a URL, or --remove." in (await cli.run("canary", "--every", "1m")).error(2)


async def test_a_notification_rule_is_added_tried_and_removed(cli: Cli, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer())
    assert "Where to is missing" in (await cli.run("notifications", "add", "r")).error(2)
    secret = ("--secret-file", "-")
    made = await cli.run("notifications", "add", "r", "--webhook", url, *secret, "--json", stdin="a secret for hooks\n")
    assert made.json["events"] == ["failed", "recovered"]
    assert made.json["channels"][0]["secret"] == "(hidden)"
    assert "webhook" in (await cli.run("notifications", "rules")).out
    assert "Subject: [Duetime] 2 events" in (await cli.run("notifications", "preview", "r")).out
    assert (await cli.run("notifications", "test", "r")).code == 0
    (arrival,) = await eventually(lambda: sink.records(path))
    assert "webhook-signature" in arrival.headers
    assert (await cli.run("notifications", "pause", "r", "--json")).json["active"] is False
    assert "sent" in (await cli.run("notifications", "list")).out
    assert (await cli.run("notifications", "remove", "r")).out.startswith("Deleted the rule 'r'")
    (await cli.run("notifications", "show", "r")).error(3)


async def test_the_audit_is_listed_exported_and_verified(cli: Cli, admin: Api) -> None:
    await cli.run("calendars", "create", "days", "--date", "2030-12-25")
    assert "calendar.created" in (await cli.run("audit", "list")).out
    exported = [json.loads(line) for line in (await cli.run("audit", "export")).out.splitlines()]
    assert exported[0]["action"] == "calendar.created"
    (await cli.run("audit", "verify")).error(4)
    checked = await cli.run("audit", "verify", "--json", DUETIME_TOKEN=admin.token or "")
    assert checked.json["breaks"] == []
    wrong = await cli.run("audit", "verify", "--expect", "no such head", DUETIME_TOKEN=admin.token or "")
    assert wrong.code == 1
    assert "No link has the expected hash" in wrong.out
