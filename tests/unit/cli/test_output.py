"""What people read: nothing is lost, in a pipe or on a terminal, and every instant says its offset."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from datetime import datetime, timedelta
from typing import Any

import pytest

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, job, ok

JOBS = "/api/v1/me/jobs"
REASON = "http_503: " + " ".join(f"word{n}" for n in range(60)) + " the-end"
COMMAND = [sys.executable, "-c", "from duetime.cli.main import main; main()"]


def on_a_terminal(*args: str, columns: int = 80) -> str:
    """What a command writes to a terminal of this width."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {**{name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}, "TERM": "xterm"}
    with subprocess.Popen([*COMMAND, *args], stdin=far, stdout=far, stderr=far, env=env) as process:
        os.close(far)
        written = b""
        while True:
            try:
                part = os.read(near, 65536)
            except OSError:  # Linux says so when the other side is closed.
                break
            if not part:
                break
            written += part
    os.close(near)
    assert process.returncode == 0, written
    return re.sub(r"\x1b\[[0-9;]*m", "", written.decode().replace("\r\n", "\n"))


def dead_letters(**more: Any) -> Any:
    return ok([job(7, "dead", reason=REASON, finished_at="2030-01-31T09:00:00Z", **more)], next_cursor=None)


def test_a_reason_is_whole_in_a_pipe(cli: Cli, api: ScriptedApi) -> None:
    api.on("GET /api/v1/me/dead-letters", dead_letters())
    header, row = cli("dead-letters", "list").out.splitlines()
    assert header.split() == ["ID", "ENDED", "KEY", "ATTEMPTS", "REASON", "MESSAGE"]
    assert REASON in row


@pytest.mark.parametrize("columns", [40, 100])
def test_a_reason_is_wrapped_on_a_terminal_and_no_word_is_lost(api: ScriptedApi, columns: int) -> None:
    api.on("GET /api/v1/me/dead-letters", dead_letters(message="m" * 500))
    shown = on_a_terminal("dead-letters", "list", columns=columns)
    assert max(map(len, shown.splitlines())) <= columns
    assert all(word in shown for word in ("word0", "word31", "word59", "the-e")), shown
    assert "…" in shown, "the message is shown by its beginning"


def test_people_see_local_time_with_its_offset(cli: Cli, api: ScriptedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Riga")
    time.tzset()
    api.on(f"POST {JOBS}", ok(job()))
    asked = ("jobs", "create", "m", "--at", "2030-01-31 11:00")
    assert cli(*asked).out == "Created job 1025: created, due 2030-01-31 11:00:00+02:00.\n"
    sent = datetime.fromisoformat(api.seen[0].json["execute_at"])
    assert (sent.utcoffset(), sent.hour) == (timedelta(hours=2), 11)
    assert cli(*asked, "--utc").out == "Created job 1025: created, due 2030-01-31 09:00:00Z.\n"
    assert cli(*asked, "--json").lines[0]["execute_at"] == "2030-01-31T09:00:00Z"
    assert "+02:00" in cli(*asked).out, "an option of one command is none of the next"


def test_every_instant_of_a_table_is_shown_alike(cli: Cli, api: ScriptedApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    api.on(f"GET {JOBS}/1025", ok(job(created_at="2030-07-01T00:00:00.25Z")))
    api.on(f"GET {JOBS}/1025/runs", ok([{"attempt": 1, "state": "failed", "due_at": "2030-01-31T09:00:00Z"}]))
    out = cli("jobs", "show", 1025).out
    assert "2030-06-30 20:00:00.250-04:00" in out
    assert out.count("2030-01-31 04:00:00-05:00") == 2
    assert "Z" not in out
    assert cli("jobs", "show", 1025, "--utc").out.count("2030-01-31 09:00:00Z") == 2
