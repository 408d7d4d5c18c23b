"""The command line in a clean place, beside a scripted server."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from duetime.cli.main import app
from unit.client.scripted_api import ScriptedApi, ThreadedApi


class Ran:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def lines(self) -> list[Any]:
        """Standard output, read as lines of JSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> Any:
        """The error on standard error, read as JSON."""
        return json.loads(self.err)["error"]


Cli = Callable[..., Ran]


@pytest.fixture(autouse=True)
def _clean_place(tmp_path: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("DUETIME_")]:
            patch.delenv(name)
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        patch.setenv("TZ", "UTC")
        time.tzset()
        patch.chdir(tmp_path)
        yield
    time.tzset()


@pytest.fixture
def cli() -> Cli:
    def run(*args: Any, stdin: str | None = None, **env: str) -> Ran:
        result = CliRunner().invoke(app, [str(arg) for arg in args], input=stdin, env=env, catch_exceptions=False)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedApi]:
    with ThreadedApi() as scripted:
        monkeypatch.setenv("DUETIME_SERVER", scripted.url)
        monkeypatch.setenv("DUETIME_TOKEN", "t")
        yield scripted
