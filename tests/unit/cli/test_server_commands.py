"""`up`, `migrate` and `check` hand a checked configuration to the wiring, and its verdict back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from duetime.cells.mover import Moved
from duetime.config import Config
from duetime.model.errors import StoreAway
from duetime.wiring.doctor import Finding
from duetime.wiring.shards import DatabaseShards
from unit.cli.conftest import Cli


class Wiring(ModuleType):
    """Takes the place of what starts processes; remembers what it was given."""

    def __init__(self) -> None:
        super().__init__("duetime.wiring")
        self.given: list[Config] = []
        self.code = 0
        self.order = b""
        self.applied: list[str] = []
        self.findings: list[Finding] = []
        self.error: Exception | None = None

    def _take(self, config: Config) -> None:
        self.given.append(config)
        if self.error is not None:
            raise self.error

    def run_configured(self, config: Config, program: str) -> int:
        assert program
        self._take(config)
        return self.code

    def serve_node(self, order: bytes, announce: Callable[[], None]) -> int:
        self.order = order
        announce()
        return self.code

    def migrate_databases(self, config: Config) -> list[str]:
        self._take(config)
        return self.applied

    def doctor(self, config: Config) -> list[Finding]:
        self._take(config)
        return self.findings

    def shards_by_database(self, config: Config) -> list[DatabaseShards]:
        self._take(config)
        return [DatabaseShards(0, "postgresql://a/d", True, "0-511", 7, "none", "none")]

    def move_shards(self, config: Config, shards: frozenset[int] | None, to: int | None, **more: Any) -> list[Moved]:
        self._take(config)
        self.move = (shards, to, more["patience"], more["dry_run"])
        more["announce"]("Moved shards 1-2 with 3 jobs (2 of 2).")
        return [Moved([1, 2], 3)]


@pytest.fixture
def wiring(monkeypatch: pytest.MonkeyPatch) -> Wiring:
    stand_in = Wiring()
    monkeypatch.setitem(sys.modules, "duetime.wiring", stand_in)
    return stand_in


def test_up_without_anything_is_the_default(cli: Cli, wiring: Wiring) -> None:
    assert cli("up").code == 0
    assert wiring.given == [Config()]


def test_up_collects_its_options(cli: Cli, wiring: Wiring, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("slots = 7\nport = 1")
    cli(
        *("up", "--host", "0.0.0.0", "--port", 0, "--data", "d", "--database", "postgresql://h/d"),
        *("--processes", 2, "--roles", "api,executor", "--signup", "admin", "--log-level", "debug"),
        *("--log-format", "json", "--grace", "3s", "--config", "own.toml"),
        *("--set", "engine.lease=4s", "--set", "outgoing.allow_private=10.0.0.0/8"),
        DUETIME_PROCESSES="9",
        DUETIME_ENGINE_LOOK_AHEAD="3s",
    )
    (config,) = wiring.given
    assert (config.host, config.port, config.data, config.database) == ("0.0.0.0", 0, Path("d"), "postgresql://h/d")
    assert (config.processes, config.roles, config.slots) == (2, ("api", "executor"), 7)
    assert (config.signup, config.log_level, config.log_format, config.grace) == ("admin", "debug", "json", 3.0)
    assert (config.engine.lease, config.engine.look_ahead) == (4.0, 3.0)
    assert config.outgoing.allow_private == ("10.0.0.0/8",)


@pytest.mark.parametrize(
    ("roles", "option", "value", "words"),
    [
        ("api,scheduler", "--slots", "5", "--slots needs the role 'executor'"),
        ("scheduler", "--labels", "zone=eu", "--labels needs the role 'executor'"),
        ("executor,scheduler", "--signup", "open", "--signup needs the role 'api'"),
    ],
)
def test_an_option_of_a_role_that_a_node_does_not_have_is_refused(
    cli: Cli, wiring: Wiring, roles: str, option: str, value: str, words: str
) -> None:
    ran = cli("up", "--roles", roles, option, value)
    assert (ran.code, words in ran.err) == (2, True)
    assert wiring.given == []


def test_a_role_alone_shares_a_database_and_leaves_the_port_to_the_system(cli: Cli, wiring: Wiring) -> None:
    database = ("--database", "postgresql://h/d")
    assert cli("executor", *database, "--slots", 5, "--labels", "zone=eu,gpu=a100").code == 0
    assert cli("scheduler", *database, "--processes", 2, DUETIME_PORT="81", DUETIME_ROLES="api").code == 0
    assert cli("api", *database, "--set", "signing_key_file=key").code == 0
    executor, scheduler, api = wiring.given
    assert (executor.roles, executor.slots, executor.port) == (("executor",), 5, 0)
    assert executor.labels == {"zone": "eu", "gpu": "a100"}
    assert (scheduler.roles, scheduler.processes, scheduler.port) == (("scheduler",), 2, 81)
    assert (api.roles, api.port, api.signing_key_file) == (("api",), 8080, Path("key"))


@pytest.mark.parametrize("role", ["api", "scheduler", "executor"])
def test_a_role_alone_needs_a_database(cli: Cli, wiring: Wiring, role: str) -> None:
    ran = cli(role)
    assert ran.code == 7
    assert ran.err.startswith(f"Error: 'duetime {role}' shares its database with other nodes: give ")
    assert wiring.given == []


@pytest.mark.parametrize("role", ["api", "scheduler", "executor"])
def test_a_role_alone_can_share_several_databases(cli: Cli, wiring: Wiring, tmp_path: Path, role: str) -> None:
    listed = '[[databases]]\ndsn = "postgresql://a/d"\nshards = "0-511"\n[[databases]]\ndsn = "postgresql://b/d"\n'
    (tmp_path / "duetime.toml").write_text(listed + 'shards = "512-1023"')
    assert cli(role).code == 0
    (config,) = wiring.given
    assert config.roles == (role,)
    assert [one.dsn for one in config.databases] == ["postgresql://a/d", "postgresql://b/d"]
    ran = cli(role, "--database", "postgresql://c/d")
    assert (ran.code, ran.err) == (7, "Error: 'database' and 'databases' are both set: use one of them.\n")


@pytest.mark.parametrize("command", ["up", "api"])
def test_what_has_an_option_can_be_set_too_and_the_option_counts_more(cli: Cli, wiring: Wiring, command: str) -> None:
    said = ("--set", "port=1", "--set", "host=::1", "--set", "database=postgresql://h/d", "--set", "data=here")
    assert cli(command, *said, "--port", 2).code == 0
    (config,) = wiring.given
    assert (config.port, config.host, config.database, config.data) == (2, "::1", "postgresql://h/d", Path("here"))


def test_what_is_set_is_not_taken_for_an_option_that_there_is_not(cli: Cli, wiring: Wiring) -> None:
    assert "but --set cluster says 'a b'." in cli("up", "--set", "cluster=a b").err
    assert "--set colour sets 'colour' to 'red'" in cli("up", "--set", "colour=red").err
    rows = [line.split() for line in cli("check", "--set", "port=9").out.splitlines()]
    assert ["port", "9", "--set", "port"] in rows


def test_up_exits_as_the_node_did(cli: Cli, wiring: Wiring) -> None:
    wiring.code = 9
    assert cli("up").code == 9
    wiring.error = StoreAway("The database is away.")
    ran = cli("up")
    assert (ran.code, ran.err) == (6, "Error: The database is away.\n")
    wiring.error = KeyboardInterrupt()  # type: ignore[assignment]
    ran = cli("up")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_an_unexpected_error_is_not_hidden(cli: Cli, wiring: Wiring) -> None:
    wiring.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        cli("up")


def test_a_node_takes_its_order_from_stdin_and_says_when_it_is_ready(cli: Cli, wiring: Wiring) -> None:
    wiring.code = 3
    ran = cli("node", stdin='{"port":1}')
    assert (ran.code, ran.out, wiring.order) == (3, "ready\n", b'{"port":1}')


def test_migrate(cli: Cli, wiring: Wiring) -> None:
    assert cli("migrate").out == "The schema is up to date.\n"
    wiring.applied = ["0001", "0002"]
    assert cli("migrate", "--database", "postgresql://h/d").out == "Applied 0001, 0002.\n"
    assert wiring.given[1].database == "postgresql://h/d"
    assert cli("migrate", "--json").lines == [{"applied": ["0001", "0002"]}]


def test_check_shows_settings_and_findings(cli: Cli, wiring: Wiring) -> None:
    wiring.findings = [Finding("database", True, "PostgreSQL 18."), Finding("clock", True, "2 ms off.")]
    ran = cli("check", DUETIME_DATABASE="postgresql://u:secret@h/d", DUETIME_PORT="9")
    assert ran.code == 0
    assert "secret" not in ran.out
    rows = [line.split() for line in ran.out.splitlines()]
    assert ["database", "postgresql://u:***@h/d", "DUETIME_DATABASE"] in rows
    assert ["port", "9", "DUETIME_PORT"] in rows
    assert ["host", "127.0.0.1", "default"] in rows
    assert ran.out.endswith("✓ database: PostgreSQL 18.\n✓ clock: 2 ms off.\n")


def test_check_fails_when_something_is_wrong(cli: Cli, wiring: Wiring) -> None:
    wiring.findings = [Finding("database", False, "It does not answer."), Finding("clock", True, "Fine.")]
    plain = cli("check")
    assert plain.code == 1
    assert "✗ database: It does not answer.\n" in plain.out
    told = cli("check", "--json")
    assert told.code == 1
    (report,) = told.lines
    assert report["ok"] is False
    assert report["findings"][0] == {"name": "database", "ok": False, "text": "It does not answer."}
    assert {"key": "port", "value": "8080", "source": "default"} in report["settings"]


TWO = '[{"dsn": "postgresql://a/d", "shards": "0-511"}, {"dsn": "postgresql://b/d", "shards": "512-1023"}]'


def test_shards_are_listed_and_moved(cli: Cli, wiring: Wiring) -> None:
    listed = cli("shards", "list", DUETIME_DATABASES=TWO)
    assert "0-511" in listed.out
    assert wiring.given[0].several
    assert cli("shards", "list", "--json", DUETIME_DATABASES=TWO).lines[0]["shards"] == "0-511"
    moved = cli("shards", "move", "1-2", "--to", "1", "--patience", "5m", DUETIME_DATABASES=TWO)
    assert moved.out == "Moved shards 1-2 with 3 jobs (2 of 2).\nMoved 2 shards with 3 jobs.\n"
    assert wiring.move == (frozenset({1, 2}), 1, 300.0, False)
    told = cli("shards", "move", "--json", DUETIME_DATABASES=TWO)
    assert (told.lines, told.err) == (
        [{"shards": [1, 2], "jobs": 3}],
        "Moved shards 1-2 with 3 jobs (2 of 2).\n",
    )
    assert wiring.move == (None, None, 60.0, False)


def test_a_move_needs_both_shards_and_a_database(cli: Cli, wiring: Wiring) -> None:
    assert cli("shards", "move", "1-2", DUETIME_DATABASES=TWO).code == 2
    assert cli("shards", "move", "--to", "1", DUETIME_DATABASES=TWO).code == 2
    refused = cli("shards", "move", "1-2000", "--to", "1", "--json", DUETIME_DATABASES=TWO)
    assert (refused.code, refused.error["code"]) == (2, "invalid")
