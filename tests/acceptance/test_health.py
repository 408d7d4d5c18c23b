"""Alive, ready, and honest about it: what happens while PostgreSQL is away, and after."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter

from acceptance.conftest import StartDuetime
from harness.calls import JOBS, Api, calling
from harness.process import DuetimeProcess, command_of
from harness.waiting import eventually


async def ready(api: Api) -> bool:
    return (await api.get("/readyz")).status == 200


async def not_ready(api: Api) -> list[str]:
    reply = await api.get("/readyz")
    return [] if reply.status == 200 else reply.error(503, "not_ready")["details"]["reasons"]


def backends(process: DuetimeProcess) -> list[int]:
    """The server processes behind Duetime's connections."""
    return [pid for pid in process.descendants() if b"postgres: duetime duetime" in command_of(pid)]


async def test_a_serving_node_is_alive_and_ready(anyone: Api) -> None:
    assert (await anyone.get("/healthz")).data == {"alive": True}
    assert (await anyone.get("/readyz")).data == {"ready": True}


async def test_a_frozen_database_makes_it_unready_and_it_recovers(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        waiting = await user.create(delay="1s")
        frozen = process.descendants()
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        try:
            assert await eventually(lambda: not_ready(anyone), 10)
            assert (await anyone.get("/healthz")).status == 200, "alive does not mean ready"
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)
        await eventually(lambda: ready(anyone), 20)
        assert (await user.until(waiting["id"]))["status"] == "succeeded"
        after = await user.create("after")
        assert (await user.until(after["id"]))["status"] == "succeeded"


async def test_a_crash_of_the_database_loses_nothing_that_was_acknowledged(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        acknowledged, statuses, over = set[int](), Counter[int](), asyncio.Event()

        async def submit() -> None:
            while not over.is_set():
                reply = await user.post(JOBS, {"message": "m"})
                statuses[reply.status] += 1
                if reply.status == 201:
                    acknowledged.add(reply.data["id"])
                else:
                    reply.error(503, "store_away")
                    assert int(reply.headers["retry-after"]) >= 1

        submitters = [asyncio.ensure_future(submit()) for _ in range(8)]
        await eventually(lambda: len(acknowledged) > 100)
        # One server process killed brings all of them down: PostgreSQL recovers by itself.
        os.kill(backends(process)[0], signal.SIGKILL)
        await eventually(lambda: statuses[503] > 0)
        before = len(acknowledged)
        await eventually(lambda: len(acknowledged) > before + 100, 30)
        over.set()
        await asyncio.gather(*submitters)
        assert set(statuses) == {201, 503}
        await eventually(lambda: ready(anyone), 20)

        async def all_done() -> bool:
            done = {job["id"] for job in await user.all_jobs(status="succeeded")}
            assert acknowledged <= done, f"{len(acknowledged - done)} are missing"
            return True

        await eventually(all_done, 30, every=0.5)
        assert {job["attempts"] for job in await user.all_jobs(status="succeeded")} <= {1, 2}


async def test_when_the_database_dies_every_call_says_so_until_it_is_started_again(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        job = await user.create(execute_at="2099-01-01T00:00:00Z")
        statuses, over = Counter[int](), asyncio.Event()

        async def call() -> None:
            while not over.is_set():
                for reply in (
                    await user.post(JOBS, {"message": "m"}),
                    await user.post(f"{JOBS}/bulk", [{"message": "m"}] * 20),
                    await user.get(f"{JOBS}/stats"),
                    await user.post(f"{JOBS}/{job['id']}/run-now"),
                ):
                    statuses[reply.status] += 1
                    assert reply.status < 500 or reply.error(503, "store_away")

        callers = [asyncio.ensure_future(call()) for _ in range(8)]
        await eventually(lambda: statuses.total() > 100)
        os.kill(process.postgres_pid(), signal.SIGKILL)
        await eventually(lambda: statuses[503] > 20)
        assert (await anyone.get("/healthz")).status == 200
        accepted = statuses[201]
        await eventually(lambda: statuses[201] > accepted + 50, 60)
        over.set()
        await asyncio.gather(*callers)
        assert await eventually(lambda: ready(anyone), 30)
        again = await user.create()
        await user.until(again["id"], "succeeded", seconds=30)
        assert (await user.job(job["id"]))["status"] in ("created", "running", "succeeded")
        assert "Traceback" not in process.output
    process.stop()
