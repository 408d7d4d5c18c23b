"""Targets `shell` end to end: a job in, a program run, its output on record; and a crontab that moves over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.calls import JOBS, Api, calling
from harness.process import DuetimeProcess, environment, running_duetime
from harness.waiting import eventually

CRONTAB = """\
# What a small machine runs at night.
SHELL=/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin
HOME=/
REPORTS="week and month"
*/5 * * * * echo every five minutes
0 * * * * date -u +\\%H
15 2 * * * echo backup && true
30 2 * * 0 test -d / && echo weekly
0 3 1 * * echo "$REPORTS"
0 4 * * 1-5 cat%first%second
@daily uname -s
@hourly echo a | tr a b
# name: nightly-report
5 5 * * * for n in 1 2 3; do echo $n; done
10 5 * * * (echo one; echo two) | wc -l
20 5 * * * echo out; echo err >&2
25 5 * * * pwd
30 5 * * * echo "quoted  words" 'and more'
35 5 * * * [ -n "$PATH" ] && echo has path
40 5 * * * sleep 0
45 5 * * * printf '\\%s\\n' percent
50 5 * * * echo $((6 * 7))
55 5 * * * ls / > /dev/null
0 6 * * * exit 3
5 6 * * * curl -fsS https://example.com/ping
10 6 * * * command -v sh
"""


def allowed(users: dict[str, list[str]]) -> dict[str, str]:
    env = {"DUETIME_PROGRAMS_ALLOW": json.dumps(users)}
    return {**env, "DUETIME_PROGRAMS_RUN_AS": "nobody"} if os.geteuid() == 0 else env


@pytest.fixture(scope="module")
def duetime() -> Iterator[DuetimeProcess]:
    with running_duetime(env=allowed({"*": ["/bin/sh", "cat"], "backup": ["rm"]})) as process:
        yield process


@pytest.fixture
async def ada(duetime: DuetimeProcess) -> AsyncIterator[Api]:
    async with calling(duetime.url) as api:
        yield await api.new_user("ada")


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    """A directory that every user of the machine can write."""
    for one in tmp_path.parents[:3]:
        one.chmod(0o755)
    tmp_path.chmod(0o777)
    return tmp_path


def sh(script: str, **more: Any) -> dict[str, Any]:
    return {"kind": "shell", "script": script, **more}


def cli(duetime: DuetimeProcess, user: Api, *words: str) -> str:
    command = [sys.executable, "-m", "duetime", *words]
    env = environment(DUETIME_SERVER=duetime.url, DUETIME_TOKEN=user.token)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def log_of(user: Api, job: int, attempt: int = 1) -> list[str]:
    return (await user.get(f"{JOBS}/{job}/runs/{attempt}/logs")).data["lines"]


async def test_a_job_is_a_program_and_its_output_is_on_record(ada: Api) -> None:
    job = await ada.create({"order": 7}, target=sh('cat; echo; echo "$LEVEL" >&2', env={"LEVEL": "info"}))
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    [run] = await ada.runs(job["id"])
    shown = {name: run["response"][name] for name in ("kind", "exit_code", "stdout", "stderr", "output_bytes")}
    assert shown == {"kind": "shell", "exit_code": 0, "stdout": '{"order":7}\n', "stderr": "info\n", "output_bytes": 17}
    assert sorted(await log_of(ada, job["id"])) == ["info", '{"order":7}']


async def test_a_program_that_fails_is_tried_again_unless_its_code_says_otherwise(ada: Api) -> None:
    retry = {"max_attempts": 2, "backoff": "fixed", "base": 0.1}
    again = await ada.create("", target=sh("exit 1"), retry=retry)
    final = await ada.create("", target=sh("echo no >&2; exit 4", fail_codes=[4]), retry=retry)
    assert (await ada.until(again["id"]))["attempts"] == 2
    done = await ada.until(final["id"])
    assert (done["status"], done["attempts"]) == ("dead", 1)
    [run] = await ada.runs(final["id"])
    assert run["error"] == {"kind": "exit_4", "message": "The program ended with code 4: no"}


async def test_a_cancelled_job_ends_its_program(ada: Api, open_path: Path) -> None:
    job = await ada.create("", target=sh(f"echo $$ > {open_path}/pid; sleep 600"), timeout=900)
    await eventually(lambda: (open_path / "pid").exists() and (open_path / "pid").read_text(), 20)
    pid = int((open_path / "pid").read_text())
    await ada.post(f"{JOBS}/{job['id']}/cancel")
    assert (await ada.until(job["id"]))["status"] == "cancelled"
    await eventually(lambda: not Path(f"/proc/{pid}").exists(), 20)


async def found(user: Api, path: str = "/api/v1/me/logs", **asked: str) -> list[str]:
    return [line["text"] for hit in (await user.get(path, **asked)).data for line in hit["lines"]]


async def test_what_programs_printed_is_found_by_its_words(ada: Api, duetime: DuetimeProcess) -> None:
    script = "echo 'ERROR connection refused by db.internal'; echo 'refused a connection'; echo quiet"
    job = await ada.create("", target=sh(script), labels={"team": "billing"})
    await ada.until(job["id"])
    both = ["ERROR connection refused by db.internal", "refused a connection"]

    async def stored() -> bool:
        return await found(ada, q="connection refused") == both

    await eventually(stored)
    assert await found(ada, q='"connection refused"') == both[:1]
    assert await found(ada, q="internal", level="error", job_id=str(job["id"])) == both[:1]
    assert await found(ada, q="quiet", label="team=billing", status="succeeded") == ["quiet"]
    assert await found(ada, q="quiet", status="dead") == []
    assert await found(ada, q="quiet", **{"from": "2099-01-01T00:00:00Z"}) == []
    (await ada.get("/api/v1/me/logs", q="...")).error(422, "invalid", "q")
    (await ada.get("/api/v1/me/logs", status="running")).error(422, "invalid", "status")
    eve = await ada.new_user("eve")
    assert await found(eve, q="connection") == []
    (await eve.get(f"/api/v1/users/{ada.user['id']}/logs")).error(403, "forbidden")
    admin = await ada.admin()
    assert await found(admin, f"/api/v1/users/{ada.user['id']}/logs", q="connection refused") == both
    said = cli(duetime, ada, "logs", "search", "connection refused", "--since", "1h")
    assert [line.partition("  ")[2] for line in said.splitlines()] == [
        f"job {job['id']}.1:{number}  {text}" for number, text in enumerate(both, 1)
    ]
    assert cli(duetime, ada, "logs", "search", "nothing like it") == "No line matches.\n"


async def test_a_log_is_followed_while_the_program_runs(ada: Api, duetime: DuetimeProcess, open_path: Path) -> None:
    script = f"echo begun; while [ ! -e {open_path}/go ]; do sleep 0.1; done; echo ended; exit 1"
    job = await ada.create("", target=sh(script), retry={"max_attempts": 2, "base": 0.1, "backoff": "fixed"})
    command = [sys.executable, "-m", "duetime", "jobs", "logs", str(job["id"]), "--follow"]
    env = environment(DUETIME_SERVER=duetime.url, DUETIME_TOKEN=ada.token)
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n", "before the program has ended"
        (open_path / "go").touch()
        assert process.stdout.read() == "ended\n-- attempt 2 --\nbegun\nended\n"
    assert cli(duetime, ada, "jobs", "logs", str(job["id"]), "--attempt", "1") == "begun\nended\n"


@pytest.mark.parametrize(
    ("target", "field", "says"),
    [
        ({"kind": "shell", "command": ["rm", "-r"]}, "target.command", "You may not run 'rm'"),
        ({"kind": "shell", "command": ["cat"], "cwd": "/srv"}, "target.cwd", "may not run in '/srv'"),
        ({"kind": "shell", "command": ["cat"], "env": {"LD_PRELOAD": "x"}}, "target.env", "LD_PRELOAD"),
        ({"kind": "shell", "command": ["./cat"]}, "target.command", "absolute path"),
        ({"kind": "shell", "command": ["/bin/../bin/sh"]}, "target.command", "absolute path"),
        ({"kind": "shell"}, "target.command", "either 'command' or 'script'"),
        (sh("x", success_codes=[0], fail_codes=[0]), "target.success_codes", "one of the three lists"),
    ],
)
async def test_what_is_not_allowed_is_refused_with_its_field(
    ada: Api, target: dict[str, Any], field: str, says: str
) -> None:
    reply = await ada.post(JOBS, {"message": "", "target": target})
    error = reply.error(422, "invalid", field)
    assert says in str(error)


async def test_a_crontab_is_imported_and_its_lines_run(ada: Api, duetime: DuetimeProcess, tmp_path: Path) -> None:
    file = tmp_path / "crontab"
    file.write_text(CRONTAB)
    command = [sys.executable, "-m", "duetime", "import", "crontab", str(file), "--zone", "UTC", "--programs", "--yes"]
    env = environment(DUETIME_SERVER=duetime.url, DUETIME_TOKEN=ada.token)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)  # noqa: ASYNC221
    assert done.returncode == 0, done.stdout + done.stderr
    schedules = {one["name"]: one for one in (await ada.get("/api/v1/me/schedules", limit="100")).data}
    assert len(schedules) == 21
    assert "crontab-nightly-report" in schedules
    found: list[str] = []
    for one in schedules.values():
        if one["target"]["kind"] == "shell":
            job = (await ada.post(f"/api/v1/me/schedules/{one['id']}/run-now")).data
            ended = await ada.until(job["id"], seconds=30)
            script = one["target"]["script"].splitlines()[-1]
            assert ended["status"] == ("dead" if script == "exit 3" else "succeeded"), (script, ended)
            found += await log_of(ada, job["id"])
    assert {"every five minutes", "backup", "weekly", "week and month", "first", "second", "b", "3", "2"} <= set(found)
    assert {"out", "err", "/", "quoted  words and more", "has path", "percent", "42"} <= set(found)
