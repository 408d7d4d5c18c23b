"""A file can be hostile: what it costs to read has a bound, and a sentence says which."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from duetime.cli.shared.input_files import MAX_BYTES, MAX_DEPTH, MAX_LINE_BYTES, MAX_VALUES
from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
DEEP = 200_000
HOSTILE = {
    "aliases": (BOMB, "Line 2 of {} has the alias '*a', which is not read: write the value in full."),
    "lists": ("[" * DEEP + "]" * DEEP, "Line 1 of {} is nested too deeply: at most 64 levels are read."),
    "objects": ('{"a":' * DEEP + "1" + "}" * DEEP, "Line 1 of {} is nested too deeply: at most 64 levels are read."),
    "blocks": ("".join(" " * n + "a:\n" for n in range(200)), "Line 65 of {} is nested too deeply: at most 64 levels"),
    "itself": ("schedules: &a [*a]", "Line 1 of {} has the alias '*a', "),
    "size": ("# " + "x" * MAX_BYTES, "{} is larger than 16 MiB, the most that is read."),
    "number": ("schedules: [" + "9" * 10_000 + "]", "{} has a value that cannot be read: "),
    "date": ("schedules: [2030-13-45]", "{} has a value that cannot be read: "),
    "object": ("schedules: !!python/object/apply:os.system [true]", "{} is not valid YAML: could not determine"),
    "values": ("[" + "1," * MAX_VALUES + "1]", "{} has more than 500,000 values, the most that are read."),
    "surrogate": (r'schedules: ["\ud800"]', "{} is not valid YAML: "),
    "no text": ("schedules: [{yes: 2}]", "{} has a value that cannot be read: Only dicts with str-like"),
    "key": ("schedules: [{? [1] : 2}]", "{} "),
}


@pytest.mark.parametrize("command", [("apply",), ("calendars", "create", "c", "--file")], ids=" ".join)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_document_is_refused_with_a_sentence(
    cli: Cli, api: ScriptedApi, tmp_path: Path, kind: str, command: tuple[str, ...]
) -> None:
    text, expected = HOSTILE[kind]
    file = tmp_path / "file.yaml"
    file.write_text(text)
    ran = cli(*command, file)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: " + expected.format(file)), ran.err[:300]
    assert len(ran.err.splitlines()) == 1
    assert api.seen == []


def test_nesting_up_to_the_bound_is_read(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert "must have a list 'schedules'" in cli("apply", file).err


def test_a_bomb_costs_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "bomb.yaml"
    file.write_text(BOMB)
    limit = 400 * 1024**2
    ran = subprocess.run(
        [sys.executable, "-c", "from duetime.cli.main import main; main()", "apply", file],
        capture_output=True, text=True, timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1), ran.stderr


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"message": ' + "[" * DEEP + "]" * DEEP + "}", "is nested too deeply."),
        ('{"message": "' + "x" * MAX_LINE_BYTES + '"}', "is longer than 4 MiB, the most that is read."),
        ("{", "is not a job in JSON: "),
    ],
    ids=["deep", "long", "broken"],
)
def test_a_hostile_line_of_jobs_is_refused_before_anything_is_sent(
    cli: Cli, api: ScriptedApi, tmp_path: Path, line: str, reason: str
) -> None:
    file = tmp_path / "jobs.ndjson"
    file.write_text('{"message": "m"}\n' + line + "\n")
    ran = cli("jobs", "create", "--file", file)
    assert (ran.code, ran.out) == (2, "")
    assert f"Line 2 of {file} {reason}" in ran.err
    assert api.seen == []


def test_a_message_from_a_pipe_has_a_bound(cli: Cli, api: ScriptedApi) -> None:
    ran = cli("jobs", "create", "-", stdin="x" * (MAX_BYTES + 1))
    assert (ran.code, ran.err) == (2, "Error: Standard input is larger than 16 MiB, the most that is read.\n")


def test_a_missing_file_is_named(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    for words in (("apply", "gone"), ("jobs", "create", "--file", "gone"), ("import", "crontab", "gone")):
        ran = cli(*words)
        assert (ran.code, ran.err) == (2, "Error: gone cannot be read: No such file or directory.\n")
    assert cli("apply", tmp_path).err == f"Error: {tmp_path} cannot be read: Is a directory.\n"
