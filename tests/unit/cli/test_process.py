"""The command as a process: what it loads, and how it takes signals and closed pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from unit.client.scripted_api import ScriptedApi, job, ok

COMMAND = [sys.executable, "-c", "from duetime.cli.main import main; main()"]
LOADED = """
import sys
from duetime.cli.main import main
try:
    main()
finally:
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""
HEAVY = {"aiohttp", "asyncpg", "asyncio", "starlette", "uvicorn", "rich", "structlog", "jwt", "msgspec"}


def started(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )


@pytest.mark.parametrize("args", [["--help"], ["jobs", "create", "--help"], ["up", "--help"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    ran = subprocess.run([sys.executable, "-c", LOADED, *args], capture_output=True, text=True, timeout=60, check=True)
    assert "Usage: " in ran.stdout
    assert HEAVY & set(ran.stderr.split()) == set()


def test_ctrl_c_ends_quietly(api: ScriptedApi) -> None:
    api.on("GET /api/v1/me/jobs/1025", ok(job()))
    with started("jobs", "watch", "1025") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("job 1025: created")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")


def test_a_closed_pipe_is_no_error_to_shout_about(api: ScriptedApi) -> None:
    pages = ok([job(n, message="x" * 1000) for n in range(1000)], next_cursor="more")
    api.on("GET /api/v1/me/jobs", pages)
    with started("jobs", "list", "--all", "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(60)
    assert err == ""
    assert process.returncode == 1


@pytest.mark.parametrize("args", [["login", "--username", "ada"], ["password"], ["users", "create", "ada"]])
def test_a_password_is_not_taken_from_a_pipe_by_chance(api: ScriptedApi, args: list[str]) -> None:
    ran = subprocess.run(
        [*COMMAND, *args], input="secret\nsecret\n", capture_output=True, text=True, timeout=60, start_new_session=True
    )
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[1:] == [
        "Error: There is no terminal to ask for the password on: add --password-stdin to read it from standard input."
    ]
    assert api.seen == []
