"""Docs that speak of the source must be true of it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from duetime.cli.main import app
from duetime.config import EngineConfig
from duetime.engine.node.retention import KEYS_FOR
from duetime.engine.recurring import plan as occurrence
from duetime.engine.recurring import repair as schedule_upkeep
from duetime.engine.recurring import schedules
from duetime.model.states import TRANSITIONS
from duetime.wiring.node import MEASURE_CLOCK_EVERY

ROOT = Path(__file__).parents[2]
SQL = ROOT / "src/duetime/store/postgres"


def names_in(page: Path) -> list[str]:
    return sorted(set(re.findall(r"`(duetime(?:\.\w+)+)`", page.read_text())))


def resolve(name: str) -> object:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            found = getattr(found, attribute)
        return found
    raise AssertionError(f"{name} is not to be found")


@pytest.mark.parametrize("name", names_in(ROOT / "docs/one-job.md"))
def test_every_symbol_of_one_job_resolves(name: str) -> None:
    assert resolve(name) is not None


def test_every_sql_file_that_is_named_exists() -> None:
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    named = {name for page in pages for name in re.findall(r"(sql/[\w/]+\.sql)", page.read_text())}
    assert named
    assert [name for name in sorted(named) if not (SQL / name).exists()] == []


def test_the_states_page_shows_the_table() -> None:
    text = (ROOT / "docs/states.md").read_text()
    for before, after in TRANSITIONS.items():
        row = ", ".join(f"`{one}`" for one in sorted(after)) or "(final)"
        assert f"| `{before}` | {row} |" in text


def test_every_sql_file_says_its_purpose_and_is_used() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "src/duetime").rglob("*.py"))
    for path in SQL.rglob("sql/**/*.sql"):
        name = path.relative_to(SQL / "sql").with_suffix("").as_posix()
        assert path.read_text().startswith("-- "), f"{name}.sql has no purpose line"
        folder, _, last = name.rpartition("/")
        assert f'"{name}"' in source or (folder and f'"{last}"' in source), f"{name}.sql is not used"


def commands_in(page: Path) -> list[str]:
    """What stands in code and begins as a command of ours, a line each."""
    text = page.read_text()
    spans = re.findall(r"`(duetime [^`]+)`", text)
    return spans + re.findall(r"^ *(?:[A-Z_]+=\S+ )*(duetime [a-z].*)$", text, re.MULTILINE)


@pytest.mark.parametrize("page", [ROOT / "README.md", *ROOT.glob("docs/**/*.md")], ids=lambda page: page.name)
def test_every_command_and_option_that_is_named_exists(page: Path) -> None:
    for line in commands_in(page):
        command: Any = get_command(app)
        words = line.replace("\n", " ").split()[1:]
        while words and hasattr(command, "commands"):
            # Verbs may be listed: `duetime cluster status|drain`.
            verbs = words.pop(0).rstrip(",").split("|")
            assert set(verbs) <= set(command.commands), line
            command = command.commands[verbs[0]]
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        assert {word.split("=")[0].rstrip(",.") for word in words if word.startswith("--")} <= known | {"--help"}, line


def test_figures_in_docs_are_those_of_the_source() -> None:
    operating, readme = (ROOT / "docs/operating.md").read_text(), (ROOT / "README.md").read_text()
    assert MEASURE_CLOCK_EVERY == 5.0
    assert "measure their offset to it every five seconds" in operating
    assert f"({schedules.COUNTED:,} of a pause, {occurrence.COUNTED:,} that a calendar or window leaves out" in readme
    assert f"{schedule_upkeep.COUNTED:,} when a calendar or zone has changed" in readme
    assert f"Idempotency keys are kept for {KEYS_FOR.days} days." in operating
    assert f"`engine.retention_days` ({EngineConfig().retention_days})" in operating
