"""Jobs in the caller's own transaction: a commit enqueues them, a rollback does not, whatever is killed in between."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from duetime.errors import Invalid
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.work.protocol.calls import WorkClient
from duetime.work.transaction.drivers import driver_of
from duetime.work.transaction.relay import Relay, migration
from duetime.work.transaction.write import write, write_sync
from harness.calls import JOBS, Api
from harness.process import DuetimeProcess
from harness.transactions import DRIVERS
from harness.waiting import eventually

LOG = {"target": {"kind": "log"}}
KILLED = """
import asyncio, os, signal, sys, asyncpg
from duetime.work.transaction.write import write

async def main(dsn, when, *job):
    connection = await asyncpg.connect(dsn)
    transaction = connection.transaction()
    await transaction.start()
    await write(connection, *job)
    if when == "after":
        await transaction.commit()
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture
def own(shared_duetime: DuetimeProcess) -> str:
    """Duetime's own database."""
    return EmbeddedServer(shared_duetime.data / "postgres").dsn


@pytest.fixture
async def shop(own: str) -> AsyncIterator[str]:
    """A database of another program, with the outbox."""
    name = f"shop_{uuid4().hex}"
    admin = await asyncpg.connect(own)
    await admin.execute(f"CREATE DATABASE {name}")
    dsn = own.replace("/duetime?", f"/{name}?")
    connection = await asyncpg.connect(dsn)
    await connection.execute(migration())
    await connection.execute(migration())
    await connection.close()
    yield dsn
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


@pytest.fixture
async def relay(shop: str, ada: Api) -> AsyncIterator[Relay]:
    """A relay for the shop's outbox, whose steps the test runs."""
    connection = await asyncpg.connect(shop)
    async with WorkClient(ada.url, token=ada.token) as client:
        yield Relay(connection, client)
    await connection.close()


def body(message: object, **more: Any) -> str:
    return json.dumps({"message": message, **LOG, **more})


async def by_key(api: Api, key: str) -> dict[str, Any] | None:
    found = await api.get(f"{JOBS}/by-key/{key}")
    return None if found.status == 404 else found.data


async def rows(dsn: str, table: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(f"SELECT * FROM {table}")
    finally:
        await connection.close()


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_commit_in_duetime_s_own_database_creates_the_job(driver: str, own: str, ada: Api) -> None:
    undone, done = uuid4().hex, uuid4().hex
    user = ada.user["username"]
    await DRIVERS[driver](own, [(body("undone"), undone, user)], False)
    await DRIVERS[driver](own, [(body("done"), done, user)], True)
    job = await eventually(lambda: by_key(ada, done))
    assert job["message"] == "done"
    await ada.until(job["id"], "succeeded")
    assert await by_key(ada, undone) is None


@pytest.mark.parametrize("driver", DRIVERS)
async def test_a_commit_in_another_database_reaches_the_server_once(
    driver: str, shop: str, relay: Relay, ada: Api
) -> None:
    keys = [uuid4().hex for _ in range(3)]
    await DRIVERS[driver](shop, [(body("undone"), uuid4().hex, None)], False)
    await DRIVERS[driver](shop, [(body(key, ordering_key="one"), key, None) for key in keys], True)
    step = await relay.run_once()
    assert (step.sent, step.refused) == (3, 0)
    jobs = [await by_key(ada, key) for key in keys]
    assert [job["message"] for job in jobs if job] == keys
    assert sorted(job["id"] for job in jobs if job) == [job["id"] for job in jobs if job]
    assert await rows(shop, "duetime_outbox") == []


@pytest.mark.parametrize("where", ["own", "shop"])
@pytest.mark.parametrize(("when", "exists"), [("before", False), ("after", True)])
async def test_a_program_killed_around_its_commit(
    where: str, when: str, exists: bool, own: str, shop: str, relay: Relay, ada: Api
) -> None:
    key = uuid4().hex
    dsn = own if where == "own" else shop
    command = [sys.executable, "-c", KILLED, dsn, when, body("x"), key, ada.user["username"]]
    assert await asyncio.to_thread(lambda: subprocess.run(command, check=False).returncode) == -signal.SIGKILL
    await relay.run_once()
    if exists:
        assert (await eventually(lambda: by_key(ada, key)))["message"] == "x"
    # A job that was enqueued later is there: so was the other, if it ever comes.
    later = uuid4().hex
    await DRIVERS["asyncpg"](own, [(body("later"), later, ada.user["username"])], True)
    await eventually(lambda: by_key(ada, later))
    assert (await by_key(ada, key) is not None) is exists


async def test_a_relay_that_dies_before_it_deletes_repeats_nothing(shop: str, relay: Relay, ada: Api) -> None:
    key = uuid4().hex
    await DRIVERS["asyncpg"](shop, [(body("once", delay="1h"), key, None)], True)
    connection = await asyncpg.connect(shop)
    async with WorkClient(ada.url, token=ada.token) as client:
        dying = Relay(_DiesAtDelete(connection), client)
        with pytest.raises(ConnectionResetError):
            await dying.run_once()
        assert len(await rows(shop, "duetime_outbox")) == 1
        assert (await relay.run_once()).sent == 1
    await connection.close()
    assert [job["message"] for job in await ada.all_jobs()] == ["once"]
    assert await rows(shop, "duetime_outbox") == []


async def test_two_relays_share_an_outbox(shop: str, ada: Api) -> None:
    keys = [uuid4().hex for _ in range(300)]
    await DRIVERS["asyncpg"](shop, [(body(key), key, None) for key in keys], True)
    connections = [await asyncpg.connect(shop) for _ in range(2)]
    async with WorkClient(ada.url, token=ada.token) as client:
        steps = await asyncio.gather(*(Relay(one, client).run_once() for one in connections))
    assert sum(step.sent for step in steps) == 300
    assert len(await ada.all_jobs()) == 300
    for connection in connections:
        await connection.close()


async def test_the_relay_hears_of_new_rows(shop: str, relay: Relay, ada: Api) -> None:
    stop, key = asyncio.Event(), uuid4().hex
    running = asyncio.ensure_future(relay.run(stop))
    await DRIVERS["asyncpg"](shop, [(body("x"), key, None)], True)
    await eventually(lambda: by_key(ada, key))
    stop.set()
    await asyncio.wait_for(running, 10)


async def test_what_cannot_be_a_job_stays_with_the_reason(own: str, shop: str, relay: Relay, ada: Api) -> None:
    wrong, key, user = json.dumps({"mesage": "x"}), uuid4().hex, ada.user["username"]
    await DRIVERS["asyncpg"](shop, [(wrong, key, None)], True)
    assert (await relay.run_once()).refused == 1
    assert (await relay.run_once()).refused == 0
    (row,) = await rows(shop, "duetime_outbox")
    assert "mesage" in row["refused"]
    await DRIVERS["asyncpg"](own, [(wrong, key, user)], True)

    async def refused() -> bool:
        found = [row["refused"] for row in await rows(own, "enqueued") if row["key"] == key]
        return bool(found and found[0] and "mesage" in found[0])

    await eventually(refused)


@pytest.mark.parametrize("user", [None, "nobody-of-this-name"])
async def test_the_function_refuses_users_that_there_are_not(own: str, user: str | None) -> None:
    with pytest.raises(asyncpg.RaiseError, match="user"):
        await DRIVERS["asyncpg"](own, [(body("x"), "k", user)], True)


async def test_a_role_needs_nothing_but_the_function(own: str, ada: Api) -> None:
    role, key, user = f"app_{uuid4().hex}", uuid4().hex, ada.user["username"]
    connection = await asyncpg.connect(own)
    await connection.execute(f"CREATE ROLE {role}")
    try:
        await connection.execute(f"SET ROLE {role}")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await write(connection, body("x"), key, user)
        await connection.execute("RESET ROLE")
        await connection.execute(f"GRANT EXECUTE ON FUNCTION duetime_enqueue TO {role}")
        await connection.execute(f"SET ROLE {role}")
        await write(connection, body("x"), key, user)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("SELECT * FROM enqueued")
        await connection.execute("RESET ROLE")
        await eventually(lambda: by_key(ada, key))
    finally:
        await connection.execute(f"RESET ROLE; DROP OWNED BY {role}; DROP ROLE {role}")
        await connection.close()


def test_django_s_own_connection_is_known() -> None:
    from django.db import connection

    assert driver_of(connection).name == "Django"


def test_other_objects_are_refused_by_name() -> None:
    with pytest.raises(Invalid, match=r"builtins\.dict: pass a session or connection"):
        write_sync({}, "{}", "k", None)


class _DiesAtDelete:
    """A connection that is lost when the relay deletes what it has sent."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def execute(self, statement: str, *arguments: object) -> None:
        raise ConnectionResetError
