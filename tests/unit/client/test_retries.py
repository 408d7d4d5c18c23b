"""What is tried again and what never is, and how answers that are none are told."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from duetime.client import ApiError, Client, ConnectionLost, Unreachable
from duetime.client.transport import LONGEST_WAIT, backoff
from duetime.model.errors import Invalid
from unit.client.scripted_api import HANG_UP, Reply, ScriptedApi, fail, job, ok

CREATE = "POST /api/v1/me/jobs"
SHOW = "GET /api/v1/me/jobs/1025"


class Naps:
    """A sleep that returns at once and remembers for how long it should have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def naps() -> Naps:
    return Naps()


def client(api: ScriptedApi, naps: Naps, retries: int = 3) -> Client:
    return Client(api.url, token="t", retries=retries, sleep=naps)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_a_lost_creation_is_repeated_under_the_same_key(api: ScriptedApi, naps: Naps) -> None:
    api.on(CREATE, HANG_UP, HANG_UP, ok(job()))
    async with client(api, naps) as duetime:
        assert (await duetime.create_job("m")).id == 1025
    keys = {seen.headers["Idempotency-Key"] for seen in api.calls(CREATE)}
    assert len(api.calls(CREATE)) == 3
    assert len(keys) == 1
    assert len({seen.body for seen in api.seen}) == 1
    assert len(naps.seconds) == 2


async def test_each_creation_has_a_key_of_its_own(api: ScriptedApi, naps: Naps) -> None:
    api.on(CREATE, ok(job()))
    async with client(api, naps) as duetime:
        await duetime.create_job("m")
        await duetime.create_job("m")
        await duetime.create_job("m", idempotency_key="mine")
    keys = [seen.headers["Idempotency-Key"] for seen in api.seen]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"
    assert all(len(key) == 32 for key in keys[:2])


async def test_reading_is_repeated(api: ScriptedApi, naps: Naps) -> None:
    api.on(SHOW, HANG_UP, fail(503, "store_away"), fail(502, "x"), ok(job()))
    async with client(api, naps) as duetime:
        assert (await duetime.job(1025)).status == "created"
    assert len(api.seen) == 4


@pytest.mark.parametrize("trouble", [HANG_UP, fail(503, "store_away"), fail(429, "over_limit", Retry_After="1")])
async def test_what_may_have_been_done_is_not_repeated(api: ScriptedApi, naps: Naps, trouble: Reply) -> None:
    for path in ("jobs/1025/cancel", "jobs/1025/run-now", "jobs/bulk"):
        api.on(f"POST /api/v1/me/{path}", trouble, ok(job()))
    api.on("PATCH /api/v1/me/jobs/1025", trouble, ok(job()))
    api.on("POST /api/v1/users", trouble, ok({}))
    async with client(api, naps) as duetime:
        calls = [
            duetime.cancel(1025),
            duetime.run_now(1025),
            duetime.create_jobs([{"message": "m"}]),
            duetime.edit(1025, message="n"),
            duetime.create_user("ada", "password"),
        ]
        for call in calls:
            with pytest.raises((ConnectionLost, ApiError)):
                await call
    assert len(api.seen) == len(calls)
    assert naps.seconds == []


async def test_a_server_that_is_not_there(naps: Naps) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    async with Client(url, token="t", retries=3, sleep=naps) as duetime:
        with pytest.raises(Unreachable, match="cannot be reached: Connection refused") as caught:
            await duetime.cancel(1)
    assert not isinstance(caught.value, ConnectionLost)
    assert len(naps.seconds) == 3, "what was never sent may be repeated, whatever it is"
    assert url in caught.value.message


async def test_without_retries_the_first_failure_counts(api: ScriptedApi, naps: Naps) -> None:
    api.on(SHOW, HANG_UP)
    async with client(api, naps, retries=0) as duetime:
        with pytest.raises(ConnectionLost):
            await duetime.job(1025)
    assert naps.seconds == []


async def test_the_server_says_how_long_to_wait(api: ScriptedApi, naps: Naps) -> None:
    api.on(SHOW, fail(429, "over_limit", Retry_After="17"), ok(job()))
    async with client(api, naps) as duetime:
        await duetime.job(1025)
    assert naps.seconds == [17.0]


async def test_a_long_wait_is_left_to_the_caller(api: ScriptedApi, naps: Naps) -> None:
    api.on(SHOW, fail(429, "over_limit", Retry_After="600"), ok(job()))
    async with client(api, naps) as duetime:
        with pytest.raises(ApiError) as caught:
            await duetime.job(1025)
    assert (caught.value.status, caught.value.retry_after, naps.seconds) == (429, 600.0, [])


@pytest.mark.parametrize("header", ["soon", "Wed, 21 Oct 2026 07:28:00 GMT", ""])
async def test_a_wait_that_cannot_be_read_is_none(api: ScriptedApi, naps: Naps, header: str) -> None:
    api.on(SHOW, fail(503, "x", Retry_After=header), ok(job()))
    async with client(api, naps) as duetime:
        assert (await duetime.job(1025)).id == 1025


def test_waits_grow_and_are_capped_and_spread() -> None:
    waits = [backoff(n, 0.5) for n in range(12)]
    assert all(b >= a for a, b in pairwise(waits))
    assert waits[1] > waits[0]
    assert backoff(50, 0.999) <= LONGEST_WAIT
    assert backoff(3, 0.0) < backoff(3, 0.9)
    assert backoff(0, 0.0) > 0


async def test_errors_carry_what_the_server_said(api: ScriptedApi, naps: Naps) -> None:
    api.on(CREATE, fail(422, "invalid", "The 'priority' is wrong.", {"field": "priority"}))
    async with client(api, naps) as duetime:
        with pytest.raises(ApiError, match="The 'priority' is wrong") as caught:
            await duetime.create_job("m", priority=77)
    error = caught.value
    assert (error.status, error.code, error.details) == (422, "invalid", {"field": "priority"})
    assert len(api.seen) == 1


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply(200, b"<html>hello</html>"), 200),
        (Reply(200, b'{"hello": 1}'), 200),
        (Reply(200, b""), 200),
        (ok({"id": "not a number"}), 200),
        (ok([]), 200),
        (Reply(404, b"<html>nginx</html>"), 404),
        (Reply(500, b'{"error": "text"}'), 500),
    ],
)
async def test_answers_that_are_not_ours(api: ScriptedApi, naps: Naps, reply: Reply, status: int) -> None:
    api.on(SHOW, reply)
    async with client(api, naps) as duetime:
        with pytest.raises(ApiError) as caught:
            await duetime.job(1025)
    assert (caught.value.status, caught.value.code) == (status, "unreadable")


async def test_redirects_are_told_and_not_followed(api: ScriptedApi, naps: Naps) -> None:
    api.on(SHOW, Reply(302, b"", {"Location": f"{api.url}/elsewhere"})).on("GET /elsewhere", ok(job()))
    async with client(api, naps) as duetime:
        with pytest.raises(ApiError, match=r"redirects to .*/elsewhere: use that address"):
            await duetime.job(1025)
    assert len(api.seen) == 1


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8080", "ftp://h", "http://", "http://h:port", "http://u:p@h", "http://u@h", "http://[::1"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(Invalid, match="address of the server"):
        Client(url)


@pytest.mark.parametrize("url", ["http://h:1/", "http://h:1", "http://h:1//", "http://h:1/?q#f"])
def test_addresses_have_one_spelling(url: str) -> None:
    assert Client(url).url == "http://h:1"


async def test_a_server_below_a_path(api: ScriptedApi, naps: Naps) -> None:
    api.on("GET /below/api/v1/me/jobs/1025", ok(job()))
    async with Client(f"{api.url}/below/", token="t", sleep=naps) as duetime:
        assert (await duetime.job(1025)).execute_at == datetime(2030, 1, 31, 9, tzinfo=UTC)
