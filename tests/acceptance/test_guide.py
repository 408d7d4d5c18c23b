"""The guide is true: every command and program in it runs against a real server, page by page."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import Struct

from duetime.config import Config, load
from harness.light_client import ROOT, install_light_client
from harness.process import ADMIN_PASSWORD, DuetimeProcess, environment, running_duetime

PAGES = [ROOT / "docs/guide.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
NEEDS_JQ = pytest.mark.skipif(not shutil.which("jq"), reason="needs jq")
RUN_TOO = [ROOT / "README.md", pytest.param(ROOT / "docs/workers.md", marks=NEEDS_JQ)]
LOGIN = "duetime login --username admin --password-stdin < .duetime/admin-password"
STARTS_A_SERVER = re.compile(r"\bduetime (up|api|scheduler|executor)\b")
SECONDS = 240.0


class Block(Struct, frozen=True):
    """A block of code on a page."""

    language: str
    note: str
    line: int
    text: str


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = re.finditer(r"^```(\w+)?[ \t]*([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(one[1] or "", one[2], text.count("\n", 0, one.start()) + 1, one[3]) for one in found]


def script_of(page: Path) -> str:
    """All blocks of a page that run, as one script that names the line of the block that it is at."""
    steps = ["set -euo pipefail\n"] + ([] if LOGIN in page.read_text("utf-8") else [f"{LOGIN} >/dev/null\n"])
    for block in blocks_of(page):
        if block.note != "no-run" and block.language in ("sh", "python") and not STARTS_A_SERVER.search(block.text):
            program = "light-python" if "duetime_client" in block.text else "python3"
            run = block.text if block.language == "sh" else f"{program} - <<'PROGRAM'\n{block.text}PROGRAM\n"
            steps.append(f"echo '== line {block.line}'\n{run}")
    return "".join(steps)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.fixture(scope="module")
def duetime() -> Iterator[DuetimeProcess]:
    """A Duetime for the guide alone: it creates users and schedules that other tests could meet."""
    with running_duetime() as process:
        yield process


@pytest.fixture(scope="module")
def light_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_light_client(tmp_path_factory.mktemp("light"))


@pytest.fixture
def home(tmp_path: Path, light_python: Path) -> Path:
    """A directory as the guide's reader has it: the programs, the examples, the admin's password."""
    programs = tmp_path / "bin"
    programs.mkdir()
    starts = {"duetime": [sys.executable, "-m", "duetime"], "python3": [sys.executable], "light-python": [light_python]}
    for name, words in starts.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
        (programs / name).chmod(0o755)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/activate").touch()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / ".duetime").mkdir()
    (tmp_path / ".duetime/admin-password").write_text(ADMIN_PASSWORD)
    return tmp_path


@pytest.mark.parametrize("page", [*RUN_TOO, *PAGES], ids=lambda page: page.stem)
def test_every_command_and_program_works(page: Path, home: Path, duetime: DuetimeProcess) -> None:
    port = free_port()
    script = script_of(page).replace("http://127.0.0.1:8080", duetime.url)
    script = script.replace(
        "receiver.py 9000 &", f"receiver.py {port} &\nuntil : 2>/dev/null </dev/tcp/127.0.0.1/{port}; do :; done"
    )
    for other in ("http://127.0.0.1:9000", "https://example.org"):
        script = script.replace(other, f"http://127.0.0.1:{port}")
    env = environment(HOME=str(home), PATH=f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    env["DUETIME_SERVER"] = duetime.url
    code, said = run(script, home, env)
    assert code == 0, f"{page.name}:\n{said}"
    assert "Traceback" not in said
    assert said.count("== line ") == script.count("echo '== line ")


def run(script: str, directory: Path, env: dict[str, str]) -> tuple[int, str]:
    """Runs a script, and ends every process that it has started."""
    said = directory / "output"
    with (
        said.open("wb") as output,
        subprocess.Popen(
            ["bash", "-c", script],
            cwd=directory,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as bash,
    ):
        try:
            code = bash.wait(SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(bash.pid, signal.SIGKILL)
    return code, said.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_run_or_says_that_it_is_not(page: Path) -> None:
    for block in blocks_of(page):
        assert block.language in ("sh", "python", "toml"), f"{page.name}:{block.line}"
        assert block.note in ("", "no-run"), f"{page.name}:{block.line}"


def test_settings_in_the_guide_exist(tmp_path: Path) -> None:
    found = [block.text for page in PAGES for block in blocks_of(page) if block.language == "toml"]
    assert found
    for text in found:
        (tmp_path / "duetime.toml").write_text(text)
        assert load({}, {}, tmp_path / "duetime.toml") != Config()


def test_the_guide_leads_to_every_page() -> None:
    text = PAGES[0].read_text("utf-8")
    assert [page.name for page in PAGES[1:] if f"(guide/{page.name})" not in text] == []
