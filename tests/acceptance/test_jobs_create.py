"""Handing jobs in: every way to say when, what is refused and why, keys that make repeats harmless."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.calls import JOBS, Api
from harness.sink import Sink

FAR = "2099-06-01T12:00:00Z"
MAX_MESSAGE = 262_144


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("delay", "seconds"),
    [
        ("30m", 1800),
        ("1h30m", 5400),
        ("2d", 172_800),
        ("1w", 604_800),
        ("90s", 90),
        ("1500", 1500),
        (3600, 3600),
        (3600.5, 3600.5),
        ("PT30M", 1800),
        ("P1DT1H", 90_000),
        ("P2W", 1_209_600),
    ],
)
async def test_a_delay_counts_from_the_servers_now(ada: Api, delay: object, seconds: float) -> None:
    job = await ada.create(delay=delay)
    off = instant(job["execute_at"]) - instant(job["created_at"]) - timedelta(seconds=seconds)
    assert timedelta(seconds=-5) < off <= timedelta(0)
    assert job["due_at"] == job["execute_at"]


@pytest.mark.parametrize("delay", ["", "soon", "-5s", -1, "5 m", "1m1h", "P1Y", "P1M", True, [], "1e400", 1e300])
async def test_a_delay_that_cannot_be_read(ada: Api, delay: object) -> None:
    (await ada.post(JOBS, {"message": "m", "delay": delay})).error(422, "invalid", "delay")


@pytest.mark.parametrize(
    "execute_at",
    [
        "2099-06-01T12:00:00",
        "2099-06-01",
        "2099-02-30T12:00:00Z",
        "tomorrow",
        "",
        4_000_000_000,
        "2201-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "2200-12-31T23:59:59-23:00",
        "0001-01-01T00:00:00Z",
    ],
)
async def test_an_instant_that_is_refused(ada: Api, execute_at: object) -> None:
    (await ada.post(JOBS, {"message": "m", "execute_at": execute_at})).error(422, "invalid", "execute_at")


async def test_the_last_instants_that_are_taken(ada: Api) -> None:
    last = await ada.create(execute_at="2200-12-31T23:59:59.999999Z")
    assert last["execute_at"] == "2200-12-31T23:59:59.999999Z"
    assert (await ada.job(last["id"]))["execute_at"] == last["execute_at"]
    (await ada.post(JOBS, {"message": "m", "delay": "65000d"})).error(422, "invalid", "delay")


@pytest.mark.parametrize("execute_at", ["2001-02-03T04:05:06.000007+05:30", "0002-01-01T00:00:00Z"])
async def test_a_past_instant_runs_at_once_and_is_recorded_as_such(ada: Api, execute_at: str) -> None:
    job = await ada.create(execute_at=execute_at)
    assert instant(job["execute_at"]) == instant(execute_at)
    assert job["late"] is True
    done = await ada.until(job["id"])
    assert done["status"] == "succeeded"
    assert instant(done["execute_at"]) == instant(execute_at)
    [run] = await ada.runs(job["id"])
    assert run["lateness_ms"] > 0


async def test_both_ways_to_say_when_are_one_too_many(ada: Api) -> None:
    (await ada.post(JOBS, {"message": "m", "execute_at": FAR, "delay": "1h"})).error(422, "invalid", "delay")


async def test_neither_way_means_now(ada: Api) -> None:
    job = await ada.create("to the log")
    assert job["late"] is False
    done = await ada.until(job["id"])
    assert done["status"] == "succeeded"
    [run] = await ada.runs(job["id"])
    assert (run["log"], run["attempt"], run["state"]) == ("to the log", 1, "succeeded")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"Message": "capital"}, "Message"),
        ({"target": {"kind": "log", "level": "info"}}, "target.level"),
        ({"target": {"kind": "spell"}}, "target.kind"),
        ({"target": {"kind": "shell"}}, "target.command"),
        ({"target": {"kind": "http"}}, "target.url"),
        ({"target": {"kind": "http", "url": "ftp://example.com/x"}}, "target.url"),
        ({"target": {"kind": "http", "url": "http://user:pw@example.com/"}}, "target.url"),
        ({"target": {"kind": "http", "url": "https://example.com/", "method": "TRACE"}}, "target.method"),
        (
            {"target": {"kind": "http", "url": "https://example.com/", "headers": {"x": "a\r\nb: c"}}},
            "target.headers",
        ),
        (
            {"target": {"kind": "http", "url": "https://example.com/", "headers": {"webhook-signature": "v1,x"}}},
            "target.headers",
        ),
        ({"priority": 10}, "priority"),
        ({"priority": "high"}, "priority"),
        ({"ordering_key": ""}, "ordering_key"),
        ({"ordering_key": "k" * 256}, "ordering_key"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "2d"}, "timeout"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"delivery": "exactly_once"}, "delivery"),
        ({"retry": {"max_attempts": 0}}, "retry.max_attempts"),
        ({"retry": {"times": 3}}, "retry.times"),
        ({"labels": {"": "x"}}, "labels"),
        ({"labels": {"a": 1}}, "labels"),
        ({"message": "nul \x00 inside"}, "message"),
    ],
)
async def test_a_field_that_is_not_right_is_named(ada: Api, more: dict[str, object], field: str) -> None:
    error = (await ada.post(JOBS, {"message": "m", **more})).error(422, "invalid")
    assert error["details"]["field"].startswith(field), error
    assert (await ada.get(JOBS)).data == []


async def test_everything_that_can_be_said_is_kept(ada: Api) -> None:
    said = {
        "message": "all of it",
        "execute_at": FAR,
        "ordering_key": "order-7",
        "priority": 9,
        "timeout": 7.5,
        "expires_at": "2099-06-02T12:00:00Z",
        "delivery": "at_most_once",
        "on_failure": "skip",
        "labels": {"team": "billing", "ünïcode": "✓"},
        "target": {
            "kind": "http",
            "url": "https://example.com/hook?a=b",
            "method": "PUT",
            "headers": {"accept": "1"},
        },
    }
    job = (await ada.post(JOBS, said)).data
    kept = await ada.job(job["id"])
    assert (kept.pop("held"), kept.pop("result")) == (None, None)
    assert kept | {"created": True} == job
    for name, value in said.items():
        shown = kept[name]
        assert (shown | value if isinstance(value, dict) else value) == shown, name
    patient = await ada.create(execute_at=FAR, retry={"max_attempts": 3, "delays": [1, 2]})
    assert (patient["retry"]["max_attempts"], patient["retry"]["delays"]) == (3, [1.0, 2.0])


async def test_credentials_are_taken_and_never_shown(ada: Api, sink: Sink, path: str) -> None:
    secret = "s3cr3t-canary"
    target = {
        "kind": "http",
        "url": sink.url(path),
        "headers": {"X-Api-Key": secret, "cookie": secret},
        "auth": {"kind": "bearer", "token": secret},
    }
    job = await ada.create(target=target)
    await ada.until(job["id"], "succeeded")
    [arrival] = await sink.records(path)
    assert arrival.headers["authorization"] == f"Bearer {secret}"
    assert arrival.headers["x-api-key"] == secret
    for reply in (await ada.get(f"{JOBS}/{job['id']}"), await ada.get(JOBS), await ada.get(f"{JOBS}/{job['id']}/runs")):
        assert secret.encode() not in reply.body
    (await ada.post(JOBS, {"message": "again", "target": (await ada.job(job["id"]))["target"]})).error(422, "invalid")


async def test_the_largest_message_and_one_byte_more(ada: Api) -> None:
    for message in ("m" * MAX_MESSAGE, "é" * (MAX_MESSAGE // 2), "\x01" * MAX_MESSAGE):
        job = await ada.create(message, execute_at=FAR)
        assert (await ada.job(job["id"]))["message"] == message
    for message in ("m" * (MAX_MESSAGE + 1), "é" * (MAX_MESSAGE // 2 + 1)):
        (await ada.post(JOBS, {"message": message})).error(413, "too_large", "message")
    (await ada.post(JOBS, raw=b'{"message":"' + b"m" * 8_000_000 + b'"}')).error(413, "too_large")


async def test_a_body_without_a_length_is_cut_off_too(ada: Api) -> None:
    # Less beyond the limit than a server reads after a refusal (`LINGER_BYTES`), so that all of it is sent.
    pieces = (4 * 1024 * 1024 + 6 * MAX_MESSAGE) // 65_536 + 8

    async def long() -> Any:
        yield b'{"message":"'
        for _ in range(pieces):
            yield b"m" * 65_536

    reply = await ada.call("POST", JOBS, raw=long())  # type: ignore[arg-type]
    reply.error(413, "too_large")


async def test_the_same_key_and_body_is_the_same_job(ada: Api) -> None:
    key = {"Idempotency-Key": "order 7"}
    body = {"message": "once", "execute_at": "2099-06-01T12:00:00Z", "priority": 3}
    first = await ada.post(JOBS, body, headers=key)
    # The same instant in another spelling, and other key order.
    again = await ada.post(
        JOBS, {"priority": 3, "execute_at": "2099-06-01T14:00:00+02:00", "message": "once"}, headers=key
    )
    assert (first.status, again.status) == (201, 200)
    assert first.data | {"created": False} == again.data
    (await ada.post(JOBS, body | {"message": "twice"}, headers=key)).error(409, "conflict")
    assert len((await ada.get(JOBS)).data) == 1


async def test_a_key_holds_beyond_the_jobs_end_and_for_its_user_alone(ada: Api) -> None:
    key = {"Idempotency-Key": "k-1"}
    first = (await ada.post(JOBS, {"message": "once"}, headers=key)).data
    await ada.until(first["id"], "succeeded")
    again = await ada.post(JOBS, {"message": "once"}, headers=key)
    assert again.status == 200
    assert (again.data["id"], again.data["status"]) == (first["id"], "succeeded")
    bob = await ada.new_user("bob")
    other = await bob.post(JOBS, {"message": "another's"}, headers=key)
    assert other.status == 201
    assert other.data["id"] != first["id"]


async def test_one_key_from_many_at_once_makes_one_job(ada: Api) -> None:
    key = {"Idempotency-Key": "race"}
    replies = await asyncio.gather(*(ada.post(JOBS, {"message": "m", "delay": "1h"}, headers=key) for _ in range(30)))
    assert sorted({reply.status for reply in replies}) in ([200, 201], [201])
    assert [reply.status for reply in replies].count(201) == 1
    assert len({reply.data["id"] for reply in replies}) == 1


@pytest.mark.parametrize("key", ["", "k" * 256, "naïve"])
async def test_a_key_that_is_not_right(ada: Api, key: str) -> None:
    reply = await ada.post(JOBS, {"message": "m"}, headers={"Idempotency-Key": key})
    reply.error(422, "invalid", "Idempotency-Key")


async def test_a_job_waits_for_its_instant(ada: Api) -> None:
    at = datetime.now(UTC) + timedelta(seconds=1.2)
    job = await ada.create(execute_at=at.isoformat())
    await ada.until(job["id"], "succeeded")
    [run] = await ada.runs(job["id"])
    assert instant(run["launched_at"]) >= at, "launched early"
    assert instant(run["started_at"]) >= at, "started early"
    assert instant(run["due_at"]) == at
