"""The commands around calendars: what they ask of the server and what they show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, ok

CALENDARS = "/api/v1/me/calendars"
HOLIDAYS = {"id": 3, "name": "holidays", "dates": ["2030-12-24", "2030-12-25"], "mode": "exclude"}
SEVEN = {"id": 7, "name": "3", "dates": [f"2030-01-0{n}" for n in range(1, 6)], "mode": "only"}


@pytest.fixture
def server(api: ScriptedApi) -> ScriptedApi:
    """A server that has two calendars, one of which is called as the other's id."""
    api.on(f"GET {CALENDARS}", ok([HOLIDAYS, SEVEN]))
    for calendar in (HOLIDAYS, SEVEN):
        api.on(f"PATCH {CALENDARS}/{calendar['id']}", ok(calendar))
        api.on(f"DELETE {CALENDARS}/{calendar['id']}", ok(calendar))
    return api.on(f"POST {CALENDARS}", ok(HOLIDAYS))


def test_listing(cli: Cli, server: ScriptedApi) -> None:
    lines = cli("calendars", "list").out.splitlines()
    assert lines[0].split() == ["ID", "NAME", "MODE", "DATES", "WHICH"]
    assert lines[1].split() == ["3", "holidays", "exclude", "2", "2030-12-24,", "2030-12-25"]
    assert lines[2].endswith("2030-01-01, 2030-01-02, 2030-01-03 and 2 more")
    assert cli("calendars", "list", "--json").lines == [HOLIDAYS, SEVEN]


def test_one_is_shown_by_name_else_by_id(cli: Cli, server: ScriptedApi) -> None:
    assert cli("calendars", "show", "3", "--json").lines == [SEVEN]
    assert cli("calendars", "show", "7", "--json").lines == [SEVEN]
    out = cli("calendars", "show", "holidays").out
    assert "2030-12-24\n" in out
    assert out.splitlines()[0].split() == ["id", "3"]
    missing = cli("calendars", "show", "nothing")
    assert (missing.code, missing.err) == (3, "Error: There is no calendar 'nothing'.\n")


def test_creating(cli: Cli, server: ScriptedApi) -> None:
    ran = cli("calendars", "create", "holidays", "--date", "2030-12-25", "--date", "2030-12-24", "--mode", "only")
    assert (ran.code, ran.out) == (0, "Created calendar 3 'holidays': exclude, 2 dates.\n")
    assert server.seen[0].json == {"name": "holidays", "dates": ["2030-12-25", "2030-12-24"], "mode": "only"}


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("- 2030-12-25\n- '2030-12-26'\n", "exclude"),
        ("dates: [2030-12-25, 2030-12-26]\nmode: only\n", "only"),
        (json.dumps({"dates": ["2030-12-25", "2030-12-26"]}), "exclude"),
    ],
)
def test_creating_from_a_file(cli: Cli, server: ScriptedApi, tmp_path: Path, text: str, mode: str) -> None:
    file = tmp_path / "dates"
    file.write_text(text)
    assert cli("calendars", "create", "c", "--file", file, "--json").lines == [HOLIDAYS]
    assert cli("calendars", "create", "c", "--file", "-", stdin=text).code == 0
    wanted = {"name": "c", "dates": ["2030-12-25", "2030-12-26"], "mode": mode}
    assert [seen.json for seen in server.seen] == [wanted, wanted]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("create", "c"), "Dates are missing"),
        (("create", "c", "--date", "25.12.2030"), "write it as 2030-12-25"),
        (("create", "c", "--date", "2030-12-25", "--file", "f"), "either --date or a --file"),
        (("create", "c", "--file", "good"), "must be a list of dates"),
        (("create", "c", "--file", "broken"), "is not valid YAML"),
        (("create", "c", "--file", "missing"), "cannot be read"),
        (("edit", "holidays"), "nothing to change"),
        (("edit", "holidays", "--date", "2030-12-25", "--add", "2030-12-26"), "either all dates"),
        (("edit", "holidays", "--remove", "2031-12-25"), "2031-12-25 is not in the calendar 'holidays'"),
    ],
)
def test_what_is_refused(
    cli: Cli, server: ScriptedApi, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "good").write_text("{dates: [2030-12-25], days: 2}")
    (tmp_path / "broken").write_text("{dates: [2030-02-31]")
    ran = cli("calendars", *arguments)
    assert ran.code == 2
    assert sentence in ran.err
    assert all(seen.method == "GET" for seen in server.seen)


def test_editing(cli: Cli, server: ScriptedApi) -> None:
    cli("calendars", "edit", "holidays", "--add", "2031-01-01", "--add", "2030-12-25", "--remove", "2030-12-24")
    cli("calendars", "edit", "7", "--mode", "exclude")
    ran = cli("calendars", "edit", "holidays", "--date", "2031-05-01")
    assert ran.out == "Changed calendar 3 'holidays': exclude, 2 dates.\n"
    assert [(seen.path, seen.json) for seen in server.seen if seen.method == "PATCH"] == [
        (f"{CALENDARS}/3", {"dates": ["2030-12-25", "2031-01-01"]}),
        (f"{CALENDARS}/7", {"mode": "exclude"}),
        (f"{CALENDARS}/3", {"dates": ["2031-05-01"]}),
    ]


def test_the_last_date_can_be_removed(cli: Cli, server: ScriptedApi) -> None:
    cli("calendars", "edit", "holidays", "--remove", "2030-12-24", "--remove", "2030-12-25")
    assert server.calls(f"PATCH {CALENDARS}/3")[0].json == {"dates": []}


def test_deleting_asks(cli: Cli, server: ScriptedApi) -> None:
    ran = cli("calendars", "delete", "holidays", stdin="n\n")
    assert (ran.code, "Delete the calendar 'holidays'?" in ran.err) == (1, True)
    assert not server.calls(f"DELETE {CALENDARS}/3")
    assert cli("calendars", "delete", "holidays", "--yes").out.startswith("Deleted calendar 3")
    assert len(server.calls(f"DELETE {CALENDARS}/3")) == 1
