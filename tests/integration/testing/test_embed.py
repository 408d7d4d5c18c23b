"""Duetime inside a program: it starts, works, stops, and finds its schedules again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duetime
from duetime.work import Duetime
from harness.light_client import ROOT
from harness.process import duetime_directory, environment


def test_the_example_runs() -> None:
    command = [sys.executable, str(ROOT / "examples/functions.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment())
    assert done.returncode == 0, done.stderr
    assert "hello world, at attempt 2" in done.stdout
    assert "tick for " in done.stdout
    assert done.stderr == ""


async def test_data_outlives_the_program() -> None:
    app = Duetime(name="kept")

    @app.task
    async def add(a: int, b: int) -> int:
        return a + b

    with duetime_directory() as directory:
        data: Path = directory / "data"
        async with duetime.embed(app, data=data):
            handle = await add.enqueue(1, 2)
            assert await handle.result("30s") == 3
        async with duetime.embed(app, data=data):
            assert await handle.result("30s") == 3
