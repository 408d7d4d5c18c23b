"""`duetime demo` shows a new user a living server with one command, and leaves nothing when it is taken out."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from typing import Any

from harness.calls import calling
from harness.process import DuetimeProcess, environment


async def demo(server: DuetimeProcess, *more: str, expect: int = 0) -> dict[str, Any]:
    where = ("--data", str(server.data), "--server", server.url, "--json")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "duetime", "demo", *where, *more, stdout=PIPE, stderr=PIPE, env=environment()
    )
    out, error = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == expect, error
    return json.loads(out if expect == 0 else error)


async def test_a_week_is_there_and_goes_again(start_duetime: Any) -> None:
    server: DuetimeProcess = start_duetime()
    made = await demo(server)
    assert set(made["past"]) == {"demo-billing", "demo-reports", "demo-imports"}
    assert min(made["past"].values()) > 1000
    await demo(server, expect=5)
    async with calling(server.url) as anyone:
        billing = await anyone.anonymous().login("demo-billing", made["password"])
        seen = (await billing.get("/api/v1/me/overview", window="7d")).data
        assert seen["counts"]["launched"] > 1000
        assert seen["lateness"]["p99_ms"] > 0
        assert seen["needs"]["dead_letters"] > 0
        assert (await billing.get("/api/v1/me/planned")).data["total"] > 100
        schedules = (await billing.get("/api/v1/me/schedules")).data
        assert {one["state"] for one in schedules} == {"active", "paused"}
        record = (await billing.get("/api/v1/me/jobs", status="succeeded", limit="1")).data[0]
        assert record["labels"] == {"demo": "true"}
        assert await demo(server, "--remove") == {"removed": 3}
        body = {"username": "demo-billing", "password": made["password"]}
        (await anyone.post("/api/v1/auth/login", body)).error(401, "unauthorized")
        assert [user["username"] for user in (await (await anyone.admin()).get("/api/v1/users")).data] == ["admin"]
    assert await demo(server, "--remove") == {"removed": 0}
