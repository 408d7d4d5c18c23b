"""Docs that speak of the source must be true of it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from duetime.model.states import TRANSITIONS

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
