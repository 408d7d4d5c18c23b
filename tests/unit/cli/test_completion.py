"""Completion in a shell: a real bash, zsh or fish reads the script, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from unit.cli.conftest import Cli

CASES = {
    "duetime sch": ["scheduler", "schedules"],
    "duetime jobs c": ["cancel", "create"],
    "duetime jobs create hello --del": ["--delay", "--delivery"],
    "duetime schedules pause --ser": ["--server"],
    "duetime --ver": ["--version"],
    "duetime nod": [],
}
BASH = (
    'source {}; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _duetime; printf "%s\\n" "${{COMPREPLY[@]}}"'
)


@pytest.mark.parametrize("line", CASES)
def test_bash_completes(cli: Cli, tmp_path: Path, line: str) -> None:
    script = tmp_path / "script"
    script.write_text(cli("completion", "bash").out)
    ran = subprocess.run(["bash", "-c", BASH.format(script, line)], capture_output=True, text=True, timeout=60)
    assert (sorted(ran.stdout.split()), ran.stderr) == (CASES[line], "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("line", CASES)
def test_fish_completes(cli: Cli, tmp_path: Path, line: str) -> None:
    script = tmp_path / "script"
    script.write_text(cli("completion", "fish").out)
    ran = subprocess.run(
        ["fish", "-c", f"source {script}; complete -C '{line}'"], capture_output=True, text=True, timeout=60
    )
    assert (sorted(one.split("\t")[0] for one in ran.stdout.splitlines()), ran.stderr) == (CASES[line], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_can_be_read(cli: Cli, tmp_path: Path, shell: str) -> None:
    ran = cli("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    script = tmp_path / "script"
    script.write_text(ran.out)
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n", script], check=True, timeout=60)
    assert "/jobs/create" in ran.out
    assert "/node" not in ran.out, "a hidden command is hidden"


def test_another_shell_is_refused_with_those_that_are_known(cli: Cli) -> None:
    ran = cli("completion", "tcsh")
    assert ran.code == 2
    assert all(shell in ran.err for shell in ("bash", "zsh", "fish"))
