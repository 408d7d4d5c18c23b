"""Logging in: where the token is kept, for whom, and who can read it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest

from duetime.client.credentials import credentials_file, forget, remember, token_for
from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, fail, ok, token

LOGIN = "POST /api/v1/auth/login"
FAR = datetime(2100, 1, 1, tzinfo=UTC)
STATS = "GET /api/v1/me/jobs/stats"


@pytest.fixture
def nobody(api: ScriptedApi, monkeypatch: pytest.MonkeyPatch) -> ScriptedApi:
    monkeypatch.delenv("DUETIME_TOKEN")
    return api.on(LOGIN, token("kept", FAR)).on(STATS, ok({}))


def test_the_password_is_asked_for_and_the_token_kept(cli: Cli, nobody: ScriptedApi, tmp_path: Path) -> None:
    ran = cli("login", stdin="ada\nsecret\n")
    assert ran.code == 0
    assert f"Logged in to {nobody.url} as ada, until 2100-01-01 00:00:00Z" in ran.out
    assert "secret" not in ran.out + ran.err
    assert nobody.seen[0].json == {"username": "ada", "password": "secret"}
    file = tmp_path / "config" / "duetime" / "credentials.json"
    assert json.loads(file.read_text()) == {nobody.url: "kept"}
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert list(file.parent.iterdir()) == [file]
    assert cli("jobs", "stats").code == 0
    assert nobody.calls(STATS)[0].bearer == "kept"


def test_the_password_can_come_from_stdin(cli: Cli, nobody: ScriptedApi) -> None:
    ran = cli("login", "--username", "ada", "--password-stdin", "--json", stdin=" pass word \nmore")
    assert nobody.seen[0].json == {"username": "ada", "password": " pass word "}
    assert ran.lines == [{"url": nobody.url, "username": "ada", "expire": "2100-01-01T00:00:00Z"}]


def test_a_wrong_password_changes_nothing(cli: Cli, nobody: ScriptedApi, tmp_path: Path) -> None:
    nobody.on(LOGIN, fail(401, "unauthorized", "The user name or the password is wrong."))
    ran = cli("login", "--username", "ada", "--password-stdin", stdin="x\n")
    assert (ran.code, ran.err) == (4, "Error: The user name or the password is wrong.\n")
    assert not (tmp_path / "config").exists()


def test_changing_the_password_keeps_one_logged_in(cli: Cli, nobody: ScriptedApi, tmp_path: Path) -> None:
    cli("login", "--username", "ada", "--password-stdin", stdin="old\n")
    nobody.on("POST /api/v1/me/password", token("newer", FAR))
    ran = cli("password", stdin="old\nnew one\nnew one\n")
    assert ran.code == 0
    assert ran.out.endswith(f"The password for {nobody.url} is changed.\n")
    assert "new one" not in ran.out + ran.err
    assert nobody.seen[-1].json == {"current": "old", "new": "new one"}
    file = tmp_path / "config" / "duetime" / "credentials.json"
    assert json.loads(file.read_text()) == {nobody.url: "newer"}
    assert cli("password", "--password-stdin", "--json", stdin="new one\nnewest\n").code == 0
    assert nobody.seen[-1].json == {"current": "new one", "new": "newest"}


def test_no_answer_to_the_question_ends_it(cli: Cli, nobody: ScriptedApi) -> None:
    ran = cli("login", stdin="")
    assert ran.code == 1
    assert ran.err.endswith("Aborted.\n")
    assert nobody.seen == []


def test_logging_out(cli: Cli, nobody: ScriptedApi) -> None:
    cli("login", "--username", "ada", "--password-stdin", stdin="x\n")
    assert cli("logout").out == f"Logged out of {nobody.url}.\n"
    again = cli("logout", "--json")
    assert (again.code, again.lines) == (0, [{"url": nobody.url, "was_logged_in": False}])
    assert cli("jobs", "stats").code == 4


def test_the_variable_beats_the_file_and_is_not_kept(cli: Cli, nobody: ScriptedApi) -> None:
    cli("login", "--username", "ada", "--password-stdin", stdin="x\n")
    cli("jobs", "stats", DUETIME_TOKEN="given")
    cli("jobs", "stats")
    assert [seen.bearer for seen in nobody.calls(STATS)] == ["given", "kept"]


def test_a_renewed_token_is_kept(cli: Cli, nobody: ScriptedApi, tmp_path: Path) -> None:
    issued = datetime.now(UTC) - timedelta(hours=1)
    claims = {"iat": issued.timestamp(), "exp": (issued + timedelta(hours=1, seconds=30)).timestamp()}
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    remember(environ, nobody.url, jwt.encode(claims, "k" * 32))
    nobody.on("POST /api/v1/auth/refresh", token("renewed", FAR))
    assert cli("jobs", "stats").code == 0
    assert nobody.calls(STATS)[0].bearer == "renewed"
    assert token_for(environ, nobody.url) == "renewed"


def test_a_token_that_ran_out_says_what_to_do(cli: Cli, nobody: ScriptedApi) -> None:
    nobody.on(STATS, fail(401, "unauthorized", "The token has expired: log in again."))
    ran = cli("jobs", "stats", DUETIME_TOKEN="old")
    assert (ran.code, ran.err) == (4, "Error: The token has expired: log in again. Run 'duetime login'.\n")


def test_each_server_has_its_own_token(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    remember(environ, "http://a:1/", "one")
    remember(environ, "http://b:1", "two")
    assert token_for(environ, "http://a:1") == "one"
    assert token_for(environ, "http://b:1/") == "two"
    assert token_for(environ, "http://a:2") is None
    assert forget(environ, "http://a:1")
    assert not forget(environ, "http://a:1")
    assert token_for(environ, "http://b:1") == "two"


def test_a_lax_file_is_tightened_when_written(tmp_path: Path) -> None:
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    remember(environ, "http://a", "one")
    file = credentials_file(environ)
    file.chmod(0o644)
    remember(environ, "http://b", "two")
    assert file.stat().st_mode & 0o777 == 0o600
    assert token_for(environ, "http://a") == "one"


def test_the_file_is_below_home_by_default() -> None:
    assert credentials_file({"HOME": "/h"}) == Path("/h/.config/duetime/credentials.json")
    assert credentials_file({"HOME": "/h", "XDG_CONFIG_HOME": ""}) == Path("/h/.config/duetime/credentials.json")


def test_a_broken_file_is_told(cli: Cli, nobody: ScriptedApi, tmp_path: Path) -> None:
    file = credentials_file({"XDG_CONFIG_HOME": str(tmp_path / "config")})
    file.parent.mkdir(parents=True)
    file.write_text("{")
    ran = cli("jobs", "stats")
    assert ran.code == 1
    assert f"{file} cannot be read" in ran.err
    assert "log in again" in ran.err
