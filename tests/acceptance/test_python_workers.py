"""Workers as users run them: real processes, killed, stopped, reloaded."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.calls import Api, calling
from harness.process import ADMIN_PASSWORD, DuetimeProcess, running_duetime
from harness.waiting import eventually, wait_for_end
from harness.workers import TASKS, WorkerProcess

FUNCTIONS = Path(__file__).parents[2] / "docs/functions.md"
EVERYWHERE = ("loop", "thread", "process")
StartWorker = Callable[..., WorkerProcess]


@pytest.fixture(scope="module")
def server() -> Iterator[DuetimeProcess]:
    """A Duetime that notices dead workers soon."""
    with running_duetime("--set", "engine.worker_lease=2s") as process:
        yield process


@pytest.fixture
async def api(server: DuetimeProcess) -> Any:
    async with calling(server.url) as anyone:
        yield await anyone.new_user("worker")


@pytest.fixture
def start_worker(tmp_path: Path, api: Api) -> Iterator[StartWorker]:
    shutil.copy(TASKS, tmp_path)
    started: list[WorkerProcess] = []

    def start(*options: str, app: str = "worker_tasks:app") -> WorkerProcess:
        started.append(WorkerProcess(tmp_path, api.url, api.user["username"], *options, app=app))
        return started[-1]

    yield start
    for process in started:
        process.clean_up()


async def enqueue(api: Api, task: str, message: object = None, **more: Any) -> int:
    target = {"kind": "queue", "queue": "default", "task": task}
    return (await api.create({} if message is None else message, target=target, **more))["id"]


async def result(api: Api, job_id: int, status: str = "succeeded") -> Any:
    job = await api.until(job_id, seconds=30)
    assert job["status"] == status, (job, await api.runs(job_id))
    return (await api.get(f"/api/v1/me/jobs/{job_id}/result")).data["result"]


async def noted(directory: Path, name: str, number: int) -> list[str]:
    """Wait until a task has noted so many lines."""

    def lines() -> list[str]:
        found = (directory / name).read_text().splitlines() if (directory / name).exists() else []
        assert len(found) >= number
        return found

    return await eventually(lines, 30)


async def test_functions_are_called_and_their_ends_recorded(api: Api, start_worker: StartWorker) -> None:
    await start_worker().ready()
    added = await enqueue(api, "add", {"a": 1})
    assert await result(api, added) == {"sum": 3, "attempt": 1}
    logs = (await api.get(f"/api/v1/me/jobs/{added}/runs/1/logs")).data
    assert "adding" in str(logs)
    assert "INFO own: with logging" in str(logs)
    assert await result(api, await enqueue(api, "retried", retry={"max_attempts": 5})) == 2
    assert await result(api, await enqueue(api, "snoozed", retry=False))
    dead = await enqueue(api, "failed", retry={"max_attempts": 5})
    await result(api, dead, "dead")
    (run,) = await api.runs(dead)
    assert run["error"]["message"] == "there is no such user"
    unusable = await enqueue(api, "add", {"a": "x"}, retry={"max_attempts": 5})
    await result(api, unusable, "dead")
    (run,) = await api.runs(unusable)
    assert run["error"]["kind"] == "unusable_message"
    assert "Expected `int`, got `str` - at `$.a`" in run["error"]["message"]


async def test_the_first_program_of_the_docs_needs_no_login_beside_a_local_server(
    server: DuetimeProcess, tmp_path: Path
) -> None:
    program = FUNCTIONS.read_text("utf-8").split("```python\n", 2)[1].split("```")[0]
    (tmp_path / "tasks.py").write_text(program)
    worker = WorkerProcess(tmp_path, server.url, None, app="tasks:app")
    assert await asyncio.to_thread(worker.wait) == 4, worker.output
    assert "log in with `duetime login`" in worker.output
    (tmp_path / ".duetime").mkdir()
    (tmp_path / ".duetime/admin-password").write_text(f"{ADMIN_PASSWORD}\n")
    worker = await WorkerProcess(tmp_path, server.url, None, app="tasks:app").ready()
    try:
        async with calling(server.url) as anyone:
            admin = await anyone.admin()
            target = {"kind": "queue", "queue": "mail", "task": "send"}
            job = await admin.create({"to": "a@b.c", "subject": "hi"}, target=target)
            assert await result(admin, job["id"]) == "sent to a@b.c"
        assert worker.stop() == 0, worker.output
    finally:
        worker.clean_up()


async def test_the_runs_of_a_killed_worker_go_again(api: Api, start_worker: StartWorker, tmp_path: Path) -> None:
    first = await start_worker().ready()
    jobs = {
        where: await enqueue(api, f"wait_in_{where}", {"name": f"killed-{where}"}, retry={"max_attempts": 3})
        for where in EVERYWHERE
    }
    for where in EVERYWHERE:
        await noted(tmp_path, f"killed-{where}", 1)
    children = first.children()
    first.signal(signal.SIGKILL)
    first.wait()
    for pid in children:
        assert wait_for_end(pid, 10), "a process of the worker outlived it"
    for where in EVERYWHERE:
        (tmp_path / f"killed-{where}.released").touch()
    await start_worker().ready()
    for where, job in jobs.items():
        assert await result(api, job) == "released"
        assert len(await noted(tmp_path, f"killed-{where}", 2)) == 2


async def test_a_cancel_reaches_the_function(api: Api, start_worker: StartWorker, tmp_path: Path) -> None:
    await start_worker().ready()
    jobs = {where: await enqueue(api, f"wait_in_{where}", {"name": f"stopped-{where}"}) for where in EVERYWHERE}
    for where, job in jobs.items():
        await noted(tmp_path, f"stopped-{where}", 1)
        (await api.post(f"/api/v1/me/jobs/{job}/cancel")).data  # noqa: B018
    for where, job in jobs.items():
        await result(api, job, "cancelled")
        if where != "process":
            assert (await noted(tmp_path, f"stopped-{where}", 2))[1] == "cancelled"
    # The worker goes on.
    assert await result(api, await enqueue(api, "add", {"a": 1})) == {"sum": 3, "attempt": 1}


async def test_a_function_that_hangs_is_killed_in_time(api: Api, start_worker: StartWorker) -> None:
    worker = await start_worker("--slots", "1").ready()
    job = await enqueue(api, "hang", timeout="1s", retry=False)
    await result(api, job, "dead")
    (run,) = await api.runs(job)
    assert run["error"]["kind"] == "timeout"
    assert await result(api, await enqueue(api, "add", {"a": 1})) == {"sum": 3, "attempt": 1}, worker.output


async def test_a_blocked_loop_does_not_starve_the_beat(api: Api, start_worker: StartWorker) -> None:
    await start_worker().ready()
    job = await enqueue(api, "block_the_loop", {"seconds": 3})
    assert await result(api, job) == "blocked"
    assert len(await api.runs(job)) == 1


async def test_a_stop_waits_for_functions(api: Api, start_worker: StartWorker, tmp_path: Path) -> None:
    worker = await start_worker("--grace", "30s").ready()
    job = await enqueue(api, "wait_in_thread", {"name": "finished"})
    await noted(tmp_path, "finished", 1)
    worker.signal(signal.SIGTERM)
    (tmp_path / "finished.released").touch()
    assert worker.wait() == 0, worker.output
    assert await result(api, job) == "released"


async def test_what_a_stop_does_not_wait_for_is_handed_back(
    api: Api, start_worker: StartWorker, tmp_path: Path
) -> None:
    worker = await start_worker("--grace", "100ms").ready()
    jobs = {
        where: await enqueue(api, f"wait_in_{where}", {"name": f"back-{where}"}, retry=False) for where in EVERYWHERE
    }
    for where in EVERYWHERE:
        await noted(tmp_path, f"back-{where}", 1)
    assert worker.stop() == 8, worker.output
    for where in EVERYWHERE:
        (tmp_path / f"back-{where}.released").touch()
    await start_worker().ready()
    for where, job in jobs.items():
        assert await result(api, job) == "released"
        # The job has one attempt only, and the run that was handed back did not cost it.
        assert len([line for line in await noted(tmp_path, f"back-{where}", 2) if line != "cancelled"]) == 2


async def test_a_process_that_dies_is_replaced(api: Api, start_worker: StartWorker) -> None:
    worker = await start_worker("--processes", "2").ready(2)
    first = await result(api, await enqueue(api, "which_process"))
    os.kill(first, signal.SIGKILL)
    await worker.ready(3)
    assert await result(api, await enqueue(api, "which_process")) != first
    assert worker.stop() == 0, worker.output


async def test_a_changed_file_is_loaded_again(api: Api, start_worker: StartWorker, tmp_path: Path) -> None:
    worker = await start_worker("--reload").ready()
    text = TASKS.read_text()
    (tmp_path / "worker_tasks.py").write_text(text.replace("a + b", "a * b"))
    await worker.ready(2)
    assert (await result(api, await enqueue(api, "add", {"a": 5})))["sum"] == 10
    (tmp_path / "worker_tasks.py").write_text("this is no Python")
    await eventually(lambda: "waiting for a change" in worker.output, 30)
    (tmp_path / "worker_tasks.py").write_text(text)
    await worker.ready(3)
    assert (await result(api, await enqueue(api, "add", {"a": 5})))["sum"] == 7
    assert worker.stop() == 0, worker.output


async def test_schedules_come_change_and_go_with_the_code(api: Api, start_worker: StartWorker, tmp_path: Path) -> None:
    async def names() -> dict[str, str]:
        found = (await api.get("/api/v1/me/schedules")).data
        return {one["name"]: one["cron"] for one in found}

    head = "from duetime.work import Duetime\napp = Duetime.from_env()\n"
    one = "@app.schedule('0 {hour} * * *')\n@app.task\ndef {name}(): ...\n"
    stages = [
        (one.format(hour=3, name="a") + one.format(hour=4, name="b"), {"own/a": "0 3 * * *", "own/b": "0 4 * * *"}),
        (one.format(hour=5, name="a"), {"own/a": "0 5 * * *"}),
        ("@app.task\ndef a(): ...\n", {}),
    ]
    (await api.post("/api/v1/me/schedules", {"name": "other", "cron": "0 1 * * *"})).data  # noqa: B018
    for tasks, expected in stages:
        (tmp_path / "own.py").write_text(head + tasks)
        worker = await start_worker(app="own:app").ready()
        assert await names() == {"other": "0 1 * * *", **expected}
        assert worker.stop() == 0, worker.output


@pytest.mark.parametrize(
    ("app", "code", "said"),
    [
        ("nowhere:app", 2, "There is no module 'nowhere'"),
        ("worker_tasks:ap", 2, "did you mean 'worker_tasks:app'?"),
        ("worker_tasks:app", 4, "password"),
    ],
)
def test_what_cannot_work_says_why(app: str, code: int, said: str, server: DuetimeProcess, tmp_path: Path) -> None:
    shutil.copy(TASKS, tmp_path)
    worker = WorkerProcess(tmp_path, server.url, "nobody", app=app)
    assert worker.wait() == code, worker.output
    assert said in worker.output


def test_a_worker_s_process_has_no_server_in_it() -> None:
    program = "import sys, duetime.work.__main__; print([n for n in sys.modules if n in sys.argv[1:]])"
    heavy = ["asyncpg", "starlette", "uvicorn", "typer", "duetime.engine", "duetime.api", "duetime.store", "structlog"]
    done = subprocess.run([sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
