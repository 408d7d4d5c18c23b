"""Help that helps: every command says what it is for and shows how it is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from duetime.cli.main import app
from duetime.cli.shared.exits import Exit
from unit.cli.conftest import Cli


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


ALL = [path for path in commands(get_command(app)) if path != ("node",)]
GROUPS = [(), ("jobs",), ("users",), ("dead-letters",), ("lanes",), ("schedules",), ("calendars",)]
GROUPS += [("import",), ("export",), ("cluster",)]
SERVERS = [("up",), ("api",), ("scheduler",), ("executor",), ("work",), ("relay",)]
GROUPS += [("shards",), ("breakers",), ("workers",), ("notifications",), ("audit",), ("workflows",), ("kafka",)]
GROUPS += [("logs",), ("artifacts",)]
LEAVES = [path for path in ALL if path not in GROUPS]


def test_all_commands_are_there() -> None:
    assert {" ".join(path) for path in LEAVES} == {
        *(
            "up",
            "migrate",
            "check",
            "cron",
            "version",
            "apply",
            "bench",
            "stats",
            "overview",
            "planned",
            "completion",
            "canary",
            "demo",
        ),
        *("login", "password", "logout"),
        *("api", "scheduler", "executor", "work", "relay"),
        *("shards list", "shards move", "breakers list", "breakers reset"),
        *("import file", "import crontab", "export crontab", "export yaml"),
        *(f"schedules {verb}" for verb in ("create", "edit", "list", "show", "pause", "resume", "delete", "run-now")),
        *(f"schedules {verb}" for verb in ("preview", "history", "backfill")),
        *(f"calendars {verb}" for verb in ("list", "show", "create", "edit", "delete")),
        *(f"jobs {verb}" for verb in ("create", "edit", "list", "show", "cancel", "run-now", "watch", "stats", "runs")),
        *(f"users {verb}" for verb in ("create", "list", "set-weight", "set")),
        *(f"dead-letters {verb}" for verb in ("list", "show", "redrive", "discard")),
        *(f"cluster {verb}" for verb in ("status", "shares", "drain", "undrain", "rebalance")),
        *(f"notifications {verb}" for verb in ("add", "rules", "show", "pause", "resume", "remove", "test", "preview")),
        "notifications list",
        *(f"workflows {verb}" for verb in ("create", "list", "show", "cancel", "signal")),
        *("kafka check", "kafka topics", "kafka lag"),
        *("workers list", "workers show", "workers queues", "workers drain"),
        *("audit list", "audit export", "audit verify"),
        *("jobs logs", "logs search"),
        *(f"artifacts {verb}" for verb in ("push", "list", "show", "remove")),
        *(f"lanes {verb}" for verb in ("list", "show", "skip", "retry", "clear")),
    }


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_each_has_a_purpose_and_explained_options(cli: Cli, path: tuple[str, ...]) -> None:
    ran = cli(*path, "--help")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.startswith(f"Usage: duetime {' '.join(path)}".rstrip())
    command = get_command(app)
    for name in path:
        command = command.commands[name]  # type: ignore[attr-defined]
    for param in command.params:
        assert getattr(param, "help", "x"), f"{param.name} is not explained"
    assert command.help


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_each_shows_examples_of_itself(cli: Cli, path: tuple[str, ...]) -> None:
    out = cli(*path, "--help").out
    examples = out[out.index("Examples:") :]
    assert f"    duetime {' '.join(path)}" in examples


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_each_has_json_except_servers_and_scripts(cli: Cli, path: tuple[str, ...]) -> None:
    assert ("--json" in cli(*path, "--help").out) is (path not in [*SERVERS, ("completion",)])


def options(path: tuple[str, ...]) -> dict[str, Any]:
    command: Any = get_command(app)
    for name in path:
        command = command.commands[name]
    return {option: one for one in command.params for option in one.opts}


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_url_is_the_target_and_server_is_the_server(path: tuple[str, ...]) -> None:
    found = options(path)
    if "--url" in found:
        assert found["--url"].envvar is None
        assert "HTTP request" in found["--url"].help
    if "--server" in found:
        assert (found["--server"].opts, found["--server"].envvar) == (["--server"], "DUETIME_SERVER")


def test_exit_codes_are_listed(cli: Cli) -> None:
    out = cli("--help").out
    for code in Exit:
        assert f"\n    {code:d}  " in out or code is Exit.INTERRUPTED


def test_the_hidden_command_is_hidden(cli: Cli) -> None:
    listed = cli("--help").out.partition("Commands:")[2].splitlines()
    assert "up" in [line.split()[0] for line in listed if line.split()]
    assert "node" not in [line.split()[0] for line in listed if line.split()]
    assert cli("node", "--help").code == 0


def test_without_a_command_help_is_shown_as_wrong_usage(cli: Cli) -> None:
    for path in GROUPS:
        ran = cli(*path)
        assert ran.code == 2
        assert "Commands:" in ran.err


def test_version(cli: Cli) -> None:
    assert cli("version").out.startswith("duetime 0.")
    assert cli("--version").out == cli("version").out
    assert set(cli("version", "--json").lines[0]) == {"duetime", "python"}


def test_a_list_of_benchmarks_measures_nothing(cli: Cli) -> None:
    for more in (("b1",), ("--rounds", 2), ("--quick",), ("--out", "here")):
        ran = cli("bench", "--list", *more)
        assert (ran.code, ran.out) == (2, "")


def test_benchmarks_are_listed_one_a_line(cli: Cli) -> None:
    lines = cli("bench", "--list").out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["limit", "b1"]
    assert all(line.isprintable() and "\N{REPLACEMENT CHARACTER}" not in line for line in lines)
