"""Artifacts end to end: pushed once, run many times, on several executors; and what strangers cannot do with them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from harness.calls import JOBS, Api, Reply, calling
from harness.process import DuetimeProcess, environment, running_duetime

ARTIFACTS = "/api/v1/me/artifacts"
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
"""A Python that every user of the machine can run."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where executors keep what they run: a directory that every user of the machine can reach."""
    made = tmp_path_factory.mktemp("programs")
    for one in (made, *made.parents[:3]):
        one.chmod(0o755)
    return made


@pytest.fixture(scope="module")
def duetime(programs: Path) -> Iterator[DuetimeProcess]:
    env = {
        "DUETIME_PROGRAMS_ALLOW": json.dumps({"*": ["artifact:*", "/bin/sh"], "root": ["cat"]}),
        "DUETIME_PROGRAMS_DIRECTORY": str(programs),
        "DUETIME_ARTIFACTS_MAX_SIZE": "1MB",
        "DUETIME_ARTIFACTS_STORED": "2MB",
        "DUETIME_ARTIFACTS_VERSIONS": "2",
    }
    if os.geteuid() == 0:
        env["DUETIME_PROGRAMS_RUN_AS"] = "nobody"
    with running_duetime(env=env) as process:
        yield process


@pytest.fixture
async def ada(duetime: DuetimeProcess) -> AsyncIterator[Api]:
    async with calling(duetime.url) as api:
        yield await api.new_user("ada")


def cli(duetime: DuetimeProcess, user: Api, *words: str) -> str:
    command = [sys.executable, "-m", "duetime", *words]
    env = environment(DUETIME_SERVER=duetime.url, DUETIME_TOKEN=user.token)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def described(data: bytes, name: str = "nightly", **more: Any) -> dict[str, Any]:
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return {"name": name, "digest": digest, "size": len(data), "filename": "job.sh", **more}


async def put(user: Api, path: str, data: bytes) -> Reply:
    async with aiohttp.ClientSession() as session, session.put(user.url + path, data=data) as answer:
        return Reply(answer.status, dict(answer.headers), await answer.read())


async def push(user: Api, data: bytes, name: str = "nightly", **more: Any) -> str:
    """Push a content over HTTP; the reference of the version."""
    body = described(data, name, **more)
    begun = (await user.post(ARTIFACTS, body)).data
    if begun["version"] is not None:
        return begun["version"]["reference"]
    assert (await put(user, begun["upload"]["url"], data)).status == 200
    done = await user.post(f"{ARTIFACTS}/complete", {**body, "upload": begun["upload"]["key"]})
    return done.data["reference"]


async def ran(user: Api, artifact: str, *command: str) -> dict[str, Any]:
    target = {"kind": "shell", "artifact": artifact, "command": list(command)}
    job = await user.create("", target=target, retry={"max_attempts": 1})
    await user.until(job["id"], seconds=30)
    [run] = await user.runs(job["id"])
    return run


@pytest.mark.skipif(PYTHON is None, reason="the machine has no Python for every user")
async def test_a_python_program_with_a_dependency_is_pushed_and_run(
    ada: Api, duetime: DuetimeProcess, tmp_path: Path
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "greeting.py").write_text("def hello(name): return f'hello {name}'\n")
    (tmp_path / "main.py").write_text("import sys, greeting\nprint(greeting.hello(sys.argv[1]))\n")
    run = tmp_path / "run"
    start = f'PYTHONPATH="$DUETIME_ARTIFACT/lib" exec {PYTHON} "$DUETIME_ARTIFACT/main.py" "$@"'
    run.write_text(f"#!/bin/sh\n{start}\n")
    run.chmod(0o755)
    with tarfile.open(tmp_path / "job.tar.gz", "w:gz") as archive:
        for name in ("lib", "main.py", "run"):
            archive.add(tmp_path / name, name)
    said = cli(duetime, ada, "artifacts", "push", str(tmp_path / "job.tar.gz"), "--name", "report")
    assert said.startswith("Pushed report@sha256:")
    assert "report" in cli(duetime, ada, "artifacts", "list")
    for _ in range(2):
        done = await ran(ada, "report@latest", "./run", "ada")
        assert done["response"].get("stdout") == "hello ada\n", done
        assert done["response"]["artifact"] == said.split()[1]
    job = cli(duetime, ada, "jobs", "create", "", "--artifact", "report", "--run", "./run world", "--json")
    assert (await ada.until(json.loads(job)["id"], seconds=30))["status"] == "succeeded"
    assert cli(duetime, ada, "jobs", "logs", str(json.loads(job)["id"]), "--follow") == "hello world\n"


async def test_latest_is_what_was_pushed_last_and_a_digest_stays(ada: Api) -> None:
    first = await push(ada, b"#!/bin/sh\necho one\n")
    assert (await ran(ada, "nightly@latest", "./job.sh"))["response"]["stdout"] == "one\n"
    second = await push(ada, b"#!/bin/sh\necho two\n")
    latest = await ran(ada, "nightly@latest", "./job.sh")
    assert (latest["response"]["stdout"], latest["response"]["artifact"]) == ("two\n", second)
    assert (await ran(ada, first, "./job.sh"))["response"]["stdout"] == "one\n"
    third = await push(ada, b"#!/bin/sh\necho three\n")
    versions = (await ada.get(f"{ARTIFACTS}/nightly")).data
    assert [one["reference"] for one in versions] == [third, second, first], "a job names the first: it is kept"
    assert await push(ada, b"#!/bin/sh\necho two\n") == second, "a content that is there is not sent again"
    assert [one["reference"] for one in (await ada.get(f"{ARTIFACTS}/nightly")).data][:2] == [second, third]


async def test_another_user_finds_nothing(ada: Api, duetime: DuetimeProcess) -> None:
    reference = await push(ada, b"#!/bin/sh\ncat /etc/shadow\n", "private")
    key = (await ada.post(ARTIFACTS, described(b"half", "half"))).data["upload"]["key"]
    async with calling(duetime.url) as api:
        eve = await api.new_user("eve")
        (await eve.get(f"{ARTIFACTS}/private")).error(404, "not_found")
        (await eve.call("DELETE", f"{ARTIFACTS}/private")).error(404, "not_found")
        assert (await eve.get(ARTIFACTS)).data == []
        complete = {**described(b"half", "half"), "upload": key}
        (await eve.post(f"{ARTIFACTS}/complete", complete)).error(404, "not_found")
        for name in (reference, "private@latest"):
            run = await ran(eve, name, "./job.sh")
            assert run["error"]["kind"] == "artifact"
            assert "There is no artifact" in run["error"]["message"]
        begun = (await eve.post(ARTIFACTS, described(b"#!/bin/sh\ncat /etc/shadow\n", "mine"))).data
        assert begun["version"] is None, "that another user has the content does not show"


async def test_an_upload_must_be_what_was_announced_and_its_address_is_the_permission(ada: Api) -> None:
    data = b"#!/bin/sh\necho uploaded\n"
    body = described(data, "uploaded")
    upload = (await ada.post(ARTIFACTS, body)).data["upload"]
    complete = {**body, "upload": upload["key"]}
    (await ada.post(f"{ARTIFACTS}/complete", complete)).error(404, "not_found")
    for wrong in (data[:-1], b"X" + data[1:]):
        (await put(ada, upload["url"], wrong)).error(422, "invalid")
    (await put(ada, upload["url"], data + b"x")).error(413, "too_large")
    for old, new in (("size=", "size=1"), ("expires=", "expires=9"), ("signature=", "signature=A"), ("%2F", "%2F0")):
        (await put(ada, upload["url"].replace(old, new, 1), data)).error(404, "not_found")
    (await ada.get(f"{ARTIFACTS}/uploaded")).error(404, "not_found")
    assert (await put(ada, upload["url"], data)).data == {"bytes": len(data)}
    (await ada.post(f"{ARTIFACTS}/complete", {**complete, "size": 7})).error(422, "invalid", "digest")
    assert (await ada.post(f"{ARTIFACTS}/complete", complete)).data["name"] == "uploaded"
    assert (await ada.post(f"{ARTIFACTS}/complete", complete)).status == 201, "a repeat is harmless"


async def test_sizes_and_quotas_are_bounds(ada: Api) -> None:
    (await ada.post(ARTIFACTS, {**described(b"x"), "size": (1 << 20) + 1})).error(413, "too_large")
    for number in range(2):
        body = {**described(bytes([number]), "big"), "size": 1 << 20}
        assert (await ada.post(ARTIFACTS, body)).status == 201
    (await ada.post(ARTIFACTS, described(b"one more", "big"))).error(429, "over_limit")
    for wrong in ({"name": "../up"}, {"digest": "sha256:00"}, {"filename": "a/b"}, {"filename": ".."}, {"size": 0}):
        assert (await ada.post(ARTIFACTS, {**described(b"y"), **wrong})).status == 422


async def test_what_jobs_name_is_removed_only_by_force(ada: Api, duetime: DuetimeProcess) -> None:
    old = await push(ada, b"#!/bin/sh\necho old\n", "kept")
    await push(ada, b"#!/bin/sh\necho new\n", "kept")
    target = {"kind": "shell", "artifact": old, "command": ["./job.sh"]}
    await ada.create("", target=target, delay="1h")
    (await ada.call("DELETE", f"{ARTIFACTS}/{old.replace('@', '%40')}")).error(409, "conflict")
    (await ada.call("DELETE", f"{ARTIFACTS}/kept")).error(409, "conflict")
    assert len((await ada.call("DELETE", f"{ARTIFACTS}/kept@latest")).data["removed"]) == 1, "no job names it"
    assert "Removed 1 version." in cli(duetime, ada, "artifacts", "remove", "kept", "--force", "--yes")
    (await ada.get(f"{ARTIFACTS}/kept")).error(404, "not_found")
    audit = [one["action"] for one in (await ada.get("/api/v1/me/audit", action="artifact.")).data]
    assert audit.count("artifact.removed") == 2


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ({"artifact": "nightly", "command": ["./x"]}, "target.artifact"),
        ({"artifact": "nightly@latest", "command": ["./../x"]}, "target.command"),
        ({"artifact": "nightly@latest", "command": ["cat"]}, "target.command"),
        ({"command": ["./x"]}, "target.command"),
        ({"command": ["artifact:x"]}, "target.command"),
    ],
)
async def test_a_target_that_cannot_be_run_is_refused(ada: Api, target: dict[str, Any], field: str) -> None:
    (await ada.post(JOBS, {"message": "", "target": {"kind": "shell", **target}})).error(422, "invalid", field)


async def test_a_hostile_archive_ends_the_run_and_nothing_else(ada: Api, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        info = tarfile.TarInfo("../../evil")
        archive.addfile(info)
    reference = await push(ada, (tmp_path / "evil.tar").read_bytes(), "evil", unpack=True)
    run = await ran(ada, reference, "./evil")
    assert run["error"] == {
        "kind": "artifact",
        "message": "The artifact was not unpacked: '../../evil' leaves the directory.",
    }
