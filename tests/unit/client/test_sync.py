"""The blocking client is the asynchronous one, whole, behind a thread."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from duetime.client import ApiError, Client, SyncClient
from unit.client.scripted_api import ScriptedApi, ThreadedApi, fail, job, ok

JOBS = "/api/v1/me/jobs"


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    with ThreadedApi() as scripted:
        yield scripted


def test_every_method_of_the_client_is_there() -> None:
    def public(kind: type) -> dict[str, object]:
        return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}

    asynchronous, blocking = public(Client), public(SyncClient)
    assert set(asynchronous) <= set(blocking)
    for name, method in asynchronous.items():
        if callable(method) and name != "close":
            assert inspect.signature(blocking[name]) == inspect.signature(method)  # type: ignore[arg-type]
            assert blocking[name].__doc__ == method.__doc__


def test_calls_block_until_the_answer(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job())).on(f"GET {JOBS}", ok([job(1), job(2)], next_cursor=None))
    with SyncClient(api.url, token="t") as client:
        assert client.url == api.url
        assert client.create_job("m", delay="1s").id == 1025
        assert [found.id for found in client.jobs(status="created")] == [1, 2]
    assert api.calls(f"POST {JOBS}")[0].json == {"message": "m", "delay": "1s"}


def test_errors_come_through(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1", fail(404, "not_found"))
    with SyncClient(api.url, token="t") as client, pytest.raises(ApiError) as caught:
        client.job(1)
    assert caught.value.status == 404


def test_an_iteration_can_be_left(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", ok([job(1), job(2)], next_cursor="more"))
    with SyncClient(api.url, token="t") as client:
        for found in client.jobs():
            assert found.id == 1
            break
        assert len(api.seen) == 1


def test_watching(api: ScriptedApi) -> None:
    async def at_once(_: float) -> None:
        pass

    api.on(f"GET {JOBS}/1025", ok(job()), ok(job(status="succeeded")))
    with SyncClient(api.url, token="t", sleep=at_once) as client:
        assert [found.status for found in client.watch(1025)] == ["created", "succeeded"]


def test_threads_may_share_it(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}/1025", ok(job()))
    with SyncClient(api.url, token="t") as client, ThreadPoolExecutor(8) as pool:
        assert {found.id for found in pool.map(client.job, [1025] * 40)} == {1025}
    assert len(api.seen) == 40


async def test_it_works_inside_a_running_loop() -> None:
    with ThreadedApi() as api, SyncClient(api.on(f"GET {JOBS}/1025", ok(job())).url, token="t") as client:
        assert client.job(1025).id == 1025


def test_closing_ends_the_thread_and_may_be_repeated(api: ScriptedApi) -> None:
    before = threading.active_count()
    client = SyncClient(api.url, token="t")
    assert threading.active_count() == before + 1
    client.close()
    client.close()
    assert threading.active_count() == before
