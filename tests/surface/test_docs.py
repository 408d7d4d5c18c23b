"""Docs that speak of the source must be true of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from duetime.cli.main import app
from duetime.config import EngineConfig
from duetime.coordination import queries as coordination
from duetime.engine.node.retention import KEYS_FOR
from duetime.engine.recurring import plan as occurrence
from duetime.engine.recurring import repair, schedules
from duetime.model.states import TRANSITIONS
from duetime.postgres import pool
from duetime.store.postgres import queries as store
from duetime.wiring.cell_database import MEASURE_CLOCK_EVERY
from surface.names import PAGES, ROOT, file_of, names_in, resolve

SQL = ROOT / "src/duetime/store/postgres"
FILES = {file: package.STATEMENTS for package in (store, coordination, pool) for file in package.STATEMENTS.files()}
STATEMENTS = [f"{file}.{block}" for file, package in FILES.items() for block in package.blocks(file)]
ONE_JOB = ROOT / "docs/one-job.md"
MOST_FILES = 25
"""A job's way from request to record is read in at most so many files."""
NOT_BUILT_YET: set[str] = set()
"""Named by the docs, and not in the tree yet. Empty it when they are."""
DESIGNS = sorted((ROOT / "src").glob("**/*.md"))


@pytest.mark.parametrize("page", [*PAGES, *DESIGNS], ids=lambda page: page.name)
def test_every_name_on_a_page_resolves(page: Path) -> None:
    for name in names_in(page):
        if name not in NOT_BUILT_YET:
            assert resolve(name) is not None


@pytest.mark.parametrize("page", [*PAGES, *DESIGNS], ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_one_job_names_few_files() -> None:
    named = names_in(ONE_JOB)
    paths = {str(file_of(name)) for name in named} | set(re.findall(r"[\w/]+\.sql", ONE_JOB.read_text("utf-8")))
    assert {name.split(".")[1] for name in named} >= {"api", "engine", "store", "bus", "executor"}
    assert len(paths) <= MOST_FILES, sorted(paths)


def test_every_sql_statement_and_migration_that_is_named_exists() -> None:
    text = "\n".join(page.read_text("utf-8") for page in [*PAGES, *DESIGNS])
    named = set(re.findall(r"`sql/(\w+)\.sql#(\w+)`", text))
    assert named
    assert sorted({".".join(one) for one in named} - set(STATEMENTS)) == []
    assert re.findall(r"\bsql/\w+/|\bsql/\w+\.sql`", text) == [], "name a statement as `sql/FILE.sql#BLOCK`"
    migrations = set(re.findall(r"(migrations/\w+\.sql)", text))
    assert [name for name in sorted(migrations) if not (SQL / name).exists()] == []


def test_the_states_page_shows_the_table() -> None:
    text = (ROOT / "docs/states.md").read_text()
    for before, after in TRANSITIONS.items():
        row = ", ".join(f"`{one}`" for one in sorted(after)) or "(final)"
        assert f"| `{before}` | {row} |" in text


@pytest.mark.parametrize("file", FILES)
def test_every_sql_file_says_what_it_is_for(file: str) -> None:
    head, _, _ = FILES[file].text(file).partition("-- name:")
    assert re.fullmatch(r"(-- .+\n)+\n", head), head


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_sql_statement_says_its_purpose(name: str) -> None:
    comment, statement = FILES[name.partition(".")[0]].sql(name).splitlines()[:2]
    assert re.match(r"-- [A-Z].{10}", comment), f"{name} has no purpose line"
    assert statement


def test_every_sql_statement_is_used() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "src/duetime").rglob("*.py"))
    used = {name for name in STATEMENTS if f'"{name}"' in source}
    # The coordinator names the blocks of its own file without the file.
    reserved = (ROOT / "src/duetime/coordination/postgres.py").read_text()
    used |= {name for name in STATEMENTS if name.startswith("leases.") and f'ows("{name[7:]}"' in reserved}
    assert sorted(set(STATEMENTS) - used) == []


def commands_in(page: Path) -> list[str]:
    """What stands in code and begins as a command of ours, a line each."""
    text = page.read_text()
    spans = re.findall(r"`(duetime [^`]+)`", text)
    return spans + re.findall(r"^ *(?:[A-Z_]+=\S+ )*(duetime [a-z].*)$", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_that_is_named_exists(page: Path) -> None:
    for line in commands_in(page):
        command: Any = get_command(app)
        words = line.replace("\n", " ").split()[1:]
        while words and hasattr(command, "commands"):
            # Verbs may be listed: `duetime cluster status|drain`.
            verbs = words.pop(0).rstrip(",").split("|")
            if default := getattr(command, "default_command", None):
                # `duetime import FILE` means `duetime import file FILE`.
                verbs = [verb if verb in command.commands else default for verb in verbs]
            assert set(verbs) <= set(command.commands), line
            command = command.commands[verbs[0]]
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        assert {word.split("=")[0].rstrip(",.") for word in words if word.startswith("--")} <= known | {"--help"}, line


def test_figures_in_docs_are_those_of_the_source() -> None:
    operating, limits = (" ".join((ROOT / f"docs/{name}.md").read_text().split()) for name in ("operating", "limits"))
    assert MEASURE_CLOCK_EVERY == 5.0
    assert "measure their offset to it every five seconds" in operating
    assert f"({schedules.COUNTED:,} of a pause, {occurrence.COUNTED:,} that a calendar or window leaves out" in limits
    assert f"{repair.COUNTED:,} when a calendar or zone has changed" in limits
    assert f"Idempotency keys are kept for {KEYS_FOR.days} days." in operating
    assert f"`engine.retention_days` ({EngineConfig().retention_days})" in operating
