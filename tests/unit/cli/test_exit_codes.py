"""Exit codes mean something, errors are sentences, and with --json they are JSON on stderr."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from duetime.cli.shared.exits import Exit, exit_code
from duetime.client import ApiError, ConnectionLost, NotLoggedIn, Unreachable
from duetime.model import errors
from unit.cli.conftest import Cli
from unit.client.scripted_api import HANG_UP, Reply, ScriptedApi, fail

SHOW = "POST /api/v1/me/jobs/1025/cancel"


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (fail(400, "malformed"), 2),
        (fail(401, "unauthorized"), 4),
        (fail(403, "forbidden"), 4),
        (fail(404, "not_found"), 3),
        (fail(409, "conflict"), 5),
        (fail(413, "too_large"), 2),
        (fail(422, "not_yet_active"), 2),
        (fail(429, "over_limit"), 1),
        (fail(500, "internal"), 1),
        (fail(503, "store_away"), 6),
        (Reply(502, b"<html>"), 6),
        (Reply(404, b"<html>"), 3),
        (Reply(200, b"<html>"), 1),
        (HANG_UP, 6),
    ],
)
def test_each_refusal_has_its_code(cli: Cli, api: ScriptedApi, reply: Reply, code: int) -> None:
    api.on("POST /api/v1/me/jobs/1025/run-now", reply)
    plain = cli("jobs", "run-now", 1025)
    assert plain.code == code
    assert plain.out == ""
    assert plain.err.startswith("Error: ")
    assert plain.err.count("\n") == 1
    told = cli("jobs", "run-now", 1025, "--json")
    assert told.code == code
    assert told.out == ""
    assert set(told.error) == {"code", "message", "details"}
    assert told.error["message"] in plain.err


def test_a_server_that_is_not_there(cli: Cli) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    ran = cli("jobs", "list", "--server", url, DUETIME_TOKEN="t")
    assert ran.code == 6
    assert url in ran.err


def test_nobody_is_logged_in(cli: Cli) -> None:
    ran = cli("jobs", "list", "--json")
    assert ran.code == 4
    assert ran.error["code"] == "unauthorized"
    assert "run 'duetime login'" in ran.error["message"]


@pytest.mark.parametrize(
    "args",
    [
        ["jobs", "show", "x"],
        ["jobs", "show", "1", "--nope"],
        ["jobs", "cancle", "1"],
        ["jobs", "create", "m", "--at", "tomorrow"],
        ["jobs", "create", "m", "--timeout", "long"],
        ["jobs", "create", "m", "--header", "a:b"],
        ["jobs", "create", "m", "--url", "http://h", "--header", "nocolon"],
        ["jobs", "create", "m", "--label", "novalue"],
        ["jobs", "create", "m", "--priority", "10"],
        ["jobs", "create", "m", "--delivery", "maybe"],
        ["jobs", "create"],
        ["jobs", "create", "m", "--file", "f"],
        ["jobs", "create", "--file", "missing.ndjson"],
        ["jobs", "list", "--server", "nowhere"],
        ["users", "set-weight", "ada", "much"],
        ["up", "--set", "port"],
        ["up", "--port", "many"],
    ],
)
def test_wrong_usage(cli: Cli, args: list[str]) -> None:
    plain = cli(*args, DUETIME_TOKEN="t")
    assert plain.code == 2
    assert "Error: " in plain.err
    assert "Traceback" not in plain.err
    if args[0] != "up":
        told = cli(*args, "--json", DUETIME_TOKEN="t")
        assert told.code == 2
        assert told.error["message"]


def test_a_mistyped_command_is_guessed(cli: Cli) -> None:
    assert "Did you mean 'cancel'" in cli("jobs", "cancle").err


@pytest.mark.parametrize("command", ["up", "check", "migrate"])
def test_a_wrong_configuration(cli: Cli, tmp_path: Path, command: str) -> None:
    (tmp_path / "duetime.toml").write_text("prot = 1")
    ran = cli(command)
    assert ran.code == 7
    assert ran.err == "Error: duetime.toml sets 'prot' to 1, but there is no such key. Did you mean port?\n"
    assert cli(command, "--set", "port=x", "--config", "none.toml").code == 7


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ConfigError(), Exit.CONFIG),
        (errors.StoreAway(), Exit.UNREACHABLE),
        (errors.Invalid(), Exit.USAGE),
        (errors.NotYetActive(), Exit.USAGE),
        (errors.NotFound(), Exit.NOT_FOUND),
        (errors.SchemaTooNew(), Exit.FAILURE),
        (errors.EmbeddedServerError(), Exit.FAILURE),
        (Unreachable(), Exit.UNREACHABLE),
        (ConnectionLost(), Exit.UNREACHABLE),
        (NotLoggedIn(), Exit.FORBIDDEN),
        (ApiError(418, "teapot", "No."), Exit.FAILURE),
    ],
)
def test_each_error_has_its_code(error: errors.DuetimeError, code: Exit) -> None:
    assert exit_code(error) is code


def test_a_hostile_message_does_not_reach_the_terminal(cli: Cli, api: ScriptedApi) -> None:
    api.on("POST /api/v1/me/jobs/1/run-now", fail(409, "conflict", "\x1b[2Jgone\r\nError: fine \x9b31m\u202e"))
    err = cli("jobs", "run-now", 1).err
    assert err.rstrip("\n").isprintable()
    assert "gone" in err


def test_a_message_that_looks_like_the_option(cli: Cli, api: ScriptedApi) -> None:
    api.on("POST /api/v1/me/jobs", fail(409, "conflict", "No."))
    assert cli("jobs", "create", "--", "--json").err == "Error: No.\n"
    assert api.seen[0].json == {"message": "--json"}
