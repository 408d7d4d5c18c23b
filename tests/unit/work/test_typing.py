"""A wrong argument of a task is a type error, and a right one is not: pyright says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CALLS = Path(__file__).parent / "typed/calls.py"


def test_pyright_refuses_exactly_the_wrong_calls() -> None:
    root = Path(__file__).parents[3]
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(CALLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    wrong = {number for number, line in enumerate(CALLS.read_text().splitlines(), 1) if line.endswith("# WRONG")}
    assert len(wrong) > 10
    assert errors == wrong, done.stdout
