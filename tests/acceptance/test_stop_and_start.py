"""Stopping, killing and starting again: what is open is finished or handed back, and everything is found again."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import stat

import aiohttp
import asyncpg
import pytest

from acceptance.conftest import StartDuetime
from duetime.config.tree import RESERVED_CONNECTIONS, PostgresConfig
from harness.calls import JOBS, PASSWORD, Api, calling
from harness.process import DuetimeProcess
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually, wait_for_end

FAR = "2099-06-01T12:00:00Z"


def port_of(process: DuetimeProcess) -> int:
    return int(process.url.rsplit(":", 1)[1])


async def refused(api: Api) -> bool:
    try:
        return (await api.get("/healthz")).status != 200
    except aiohttp.ClientError:
        return True


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_starting_again_finds_everything(start_duetime: StartDuetime, how: str) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user("keeper", job_weight=2.0)
        done = await user.create("done")
        await user.until(done["id"], "succeeded")
        waiting = await user.create("waiting", execute_at=FAR, labels={"a": "b"})
        key = {"Idempotency-Key": "before"}
        keyed = (await user.post(JOBS, {"message": "keyed", "execute_at": FAR}, headers=key)).data
        before = (await user.get(JOBS)).data, await user.runs(done["id"]), await user.stats()
    postgres = process.postgres_pid()
    assert postgres in process.descendants()
    if how == "stop":
        process.stop()
    else:
        process.kill()
    assert wait_for_end(postgres, 1.0), "the embedded PostgreSQL outlived its parent"
    process.start()
    assert "password" not in process.output, "the password of the admin was given, and is not to be shown"
    async with calling(process.url) as anyone:
        assert user.token is not None
        again = anyone.holding(user.token)
        assert ((await again.get(JOBS)).data, await again.runs(done["id"]), await again.stats()) == before
        assert (await anyone.anonymous().login(user.user["username"], PASSWORD)).user == user.user
        repeated = await again.post(JOBS, {"message": "keyed", "execute_at": FAR}, headers=key)
        assert (repeated.status, repeated.data["id"]) == (200, keyed["id"])
        (await again.post(f"{JOBS}/{waiting['id']}/run-now")).data  # noqa: B018
        assert (await again.until(waiting["id"]))["status"] == "succeeded"
        new = await again.create("new")
        assert new["id"] // 1024 > max(done["id"], keyed["id"]) // 1024


async def test_a_stop_lets_open_runs_end_and_records_them(start_duetime: StartDuetime, sink: Sink, path: str) -> None:
    process = start_duetime()
    url = await sink.rule(path, SinkAnswer(delay=1.5))
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        ids = await user.bulk([{"message": "m", "target": {"kind": "http", "url": url}} for _ in range(5)])
        await eventually(lambda: _came(sink, path, 5))
        process.signal(signal.SIGTERM)
        await eventually(lambda: refused(anyone))
    assert await asyncio.to_thread(process.wait) == 0
    assert {each.state for each in await sink.records(path)} == {"answered"}
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        for job_id in ids:
            job = await again.job(job_id)
            assert (job["status"], job["attempts"]) == ("succeeded", 1)
    assert await sink.count(path) == 5


async def test_a_stop_hands_back_what_does_not_end_in_time(start_duetime: StartDuetime, sink: Sink, path: str) -> None:
    process = start_duetime("--grace", "500ms")
    url = await sink.rule(path, SinkAnswer(mode="hang"), SinkAnswer())
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        job = await user.create(target={"kind": "http", "url": url}, timeout=300)
        await eventually(lambda: _came(sink, path, 1))
    await asyncio.to_thread(process.stop)
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        done = await again.until(job["id"], seconds=30)
        assert done["status"] == "succeeded"
        states = [run["state"] for run in await again.runs(job["id"])]
        assert states[-1] == "succeeded"
        assert len(states) == 2
    assert [each.state for each in await sink.records(path)] == ["closed", "answered"]


async def test_runs_open_at_a_kill_are_rescued_by_their_delivery(
    start_duetime: StartDuetime, sink: Sink, path: str
) -> None:
    process = start_duetime()
    hanging = [SinkAnswer(mode="hang"), SinkAnswer()]
    least, most = await sink.rule(path + "/least", *hanging), await sink.rule(path + "/most", *hanging)
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        again_job = await user.create(target={"kind": "http", "url": least}, timeout=300)
        once_job = await user.create(target={"kind": "http", "url": most}, timeout=300, delivery="at_most_once")
        await eventually(lambda: _came(sink, path, 2))
    await asyncio.to_thread(process.kill)
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        assert (await again.until(again_job["id"], seconds=30))["status"] == "succeeded"
        lost = await again.until(once_job["id"], seconds=30)
        assert lost["status"] == "lost"
        assert lost["reason"]
        assert [run["state"] for run in await again.runs(once_job["id"])] == ["lost"]
    assert await sink.count(path + "/most") == 1, "an at-most-once run went twice"
    assert [each.attempt for each in await sink.records(path + "/least")] == [1, 2]


async def _came(sink: Sink, path: str, count: int) -> bool:
    return await sink.count(path) >= count


async def test_jobs_that_came_due_while_it_was_down_run_at_the_start(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        ids = await user.bulk([{"message": "m", "delay": "1s"} for _ in range(50)])
    await asyncio.to_thread(process.stop)
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        for job_id in ids:
            assert (await again.until(job_id))["status"] == "succeeded"


async def test_ctrl_c_stops_cleanly_and_quietly(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    process.signal(signal.SIGINT)
    assert process.wait() == 0
    assert "Traceback" not in process.output


async def test_a_second_one_on_the_same_data_is_refused_with_a_sentence(start_duetime: StartDuetime) -> None:
    first = start_duetime()
    second = DuetimeProcess(first.data)
    second.launch()
    assert second.wait() == 7
    assert f"Duetime already runs on {first.data} (process {first.pid})" in second.output
    assert "Traceback" not in second.output
    async with calling(first.url) as anyone:
        assert (await anyone.get("/readyz")).status == 200


@pytest.mark.parametrize("options", [(), ("--processes", "2")], ids=["one", "two"])
async def test_a_second_one_on_the_same_port_is_refused_with_a_sentence(
    start_duetime: StartDuetime, options: tuple[str, ...]
) -> None:
    first = start_duetime(*options)
    second = DuetimeProcess(first.data.with_name("other"), options)
    try:
        second.launch(port=port_of(first))
        assert second.wait() == 7
        assert f"Cannot listen on 127.0.0.1:{port_of(first)}" in second.output
        assert "Traceback" not in second.output
    finally:
        second.clean_up()


async def test_the_admins_password_is_made_shown_once_and_kept_private(start_duetime: StartDuetime) -> None:
    process = start_duetime(DUETIME_ADMIN_PASSWORD="")
    shown = re.search(r"The administrator is 'admin' with the password (\S+)", process.output)
    assert shown
    kept = process.data / "admin-password"
    assert kept.read_text().strip() == shown[1]
    for file in (kept, process.data / "signing.key"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE(process.data.stat().st_mode) == 0o700
    async with calling(process.url) as anyone:
        assert (await anyone.login("admin", shown[1])).user["username"] == "admin"
    process.stop()
    process.start()
    assert process.output.count(shown[1]) == 1


async def _connections(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'duetime' AND datname = current_database()"
        )
    finally:
        await connection.close()


async def test_a_database_of_ones_own(start_duetime: StartDuetime, dsn: str) -> None:
    process = start_duetime("--database", dsn)
    assert not (process.data / "postgres").exists()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        job = await user.create("m")
        await user.until(job["id"], "succeeded")
    assert await _connections(dsn) <= PostgresConfig().pool_size + RESERVED_CONNECTIONS
    await asyncio.to_thread(process.kill)
    process.start()
    async with calling(process.url) as anyone:
        again = anyone.holding(user.token or "")
        assert (await again.job(job["id"]))["status"] == "succeeded"
        assert (await again.until((await again.create())["id"]))["status"] == "succeeded"
    await asyncio.to_thread(process.stop)


async def test_a_password_that_is_not_the_admins_is_reported_and_the_admins_is_not(start_duetime: StartDuetime) -> None:
    said = re.compile("DUETIME_ADMIN_PASSWORD is ignored: .* To change a password, use 'duetime password'")
    process = start_duetime()
    process.stop()
    process.start()
    assert not said.search(process.output)
    process.stop()
    process.env["DUETIME_ADMIN_PASSWORD"] = "another password"
    process.start()
    assert len(said.findall(process.output)) == 1
    assert "another password" not in process.output
    async with calling(process.url) as anyone:
        assert (await anyone.admin()).user["username"] == "admin", "the password is what it was"


async def test_a_database_that_ends_is_away_once_and_back_once(start_duetime: StartDuetime) -> None:
    process = start_duetime("--log-format", "json")
    before = process.postgres_pid()
    os.kill(before, signal.SIGKILL)
    back = json.loads(process.wait_for(re.compile(r"^.*the database is back.*$", re.MULTILINE))[0])
    async with calling(process.url) as anyone:
        # Other connections of the process may be in their pause before the next try.
        user = await eventually(anyone.new_user)
        await user.until((await user.create("m"))["id"], "succeeded")
    await asyncio.to_thread(process.stop)
    assert back["away_seconds"] >= 0
    for event in ("the database is away", "the database is back"):
        assert len(re.findall(rf'"{event}"', process.output)) == 1, process.output


async def test_the_start_says_where_it_is(shared_duetime: DuetimeProcess) -> None:
    assert f"Duetime listens on {shared_duetime.url} " in shared_duetime.output
    assert f"Its data is in {shared_duetime.data}" in shared_duetime.output
    assert shared_duetime.output.count("\nready ") == 1
