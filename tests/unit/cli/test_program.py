"""A hint can be copied and works: it names the program as the shell finds it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from duetime.cli.serve.program import program


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in a virtual environment in this directory."""
    script = tmp_path / ".venv/bin/duetime"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(script), "up"])
    monkeypatch.setenv("PATH", "/nowhere")
    return script


def test_off_the_path_it_is_named_by_its_path(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert program() == ".venv/bin/duetime"
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert program() == str(script)


def test_on_the_path_it_is_named_by_its_name(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(script.parent))
    assert program() == "duetime"
    other = tmp_path / "other"
    other.mkdir()
    (other / "duetime").write_text("#!/bin/sh\n")
    (other / "duetime").chmod(0o755)
    monkeypatch.setenv("PATH", f"{other}:{script.parent}")
    assert program() == ".venv/bin/duetime", "another program has the name"


def test_as_a_module_it_is_named_by_its_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/somewhere/duetime/__main__.py", "up"])
    assert program() == f"{sys.executable} -m duetime"
