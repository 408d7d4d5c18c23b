"""Targets `kafka` end to end, on a real broker: a job in, a record on its topic, partition and offset on record."""

from __future__ import annotations

import json
import signal
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from harness.calls import JOBS, Api, calling
from harness.kafka import Broker, running_broker
from harness.process import DuetimeProcess, running_duetime
from harness.waiting import eventually

USER = "ada"
EVERY_BYTE = bytes(range(256))


def clusters(broker: Broker, **more: Any) -> dict[str, str]:
    given = {"servers": [broker.servers], "topics": {"*": ["orders-*", "big-*", "gone-*"]}, **more}
    return {"DUETIME_KAFKA_CLUSTERS": json.dumps({"default": given})}


def to(topic: str, **more: Any) -> dict[str, Any]:
    return {"kind": "kafka", "topic": topic, **more}


@pytest.fixture(scope="module")
def duetime(broker: Broker) -> Iterator[DuetimeProcess]:
    with running_duetime(env=clusters(broker)) as process:
        yield process


@pytest.fixture
async def ada(duetime: DuetimeProcess) -> AsyncIterator[Api]:
    async with calling(duetime.url) as api:
        yield await api.new_user(USER)


async def test_a_job_is_a_record_and_its_run_says_where_the_record_is(ada: Api, broker: Broker) -> None:
    topic = broker.topic("orders", partitions=3)
    job = await ada.create("hello", target=to(topic, key="customer-7", headers={"source": "shop"}))
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    [record] = broker.read(topic, 1)
    [run] = await ada.runs(job["id"])
    assert (record.value(), record.key()) == (b"hello", b"customer-7")
    headers = dict(record.headers() or [])
    assert headers["source"] == b"shop"
    assert headers["duetime-job-id"] == str(job["id"]).encode()
    assert headers["duetime-attempt"] == b"1"
    assert headers["idempotency-key"].startswith(f"{job['id']}/".encode())
    assert "content-type" not in headers
    where = {"kind": "kafka", "topic": topic, "partition": record.partition(), "offset": record.offset()}
    assert run["response"] == where


async def test_a_message_that_is_not_text_is_sent_as_json(ada: Api, broker: Broker) -> None:
    topic = broker.topic("orders")
    job = await ada.create({"order": 7}, target=to(topic))
    await ada.until(job["id"])
    [record] = broker.read(topic, 1)
    assert record.value() == b'{"order":7}'
    assert dict(record.headers() or [])["content-type"] == b"application/json"


async def test_a_record_goes_to_the_partition_that_is_asked_for(ada: Api, broker: Broker) -> None:
    topic = broker.topic("orders", partitions=4)
    job = await ada.create("x", target=to(topic, partition=3))
    await ada.until(job["id"])
    [run] = await ada.runs(job["id"])
    assert (run["response"]["partition"], run["response"]["offset"]) == (3, 0)


async def test_every_byte_arrives_as_it_was_given(ada: Api, broker: Broker) -> None:
    topic = broker.topic("orders")
    encoded = b64encode(EVERY_BYTE).decode()
    await ada.create(encoded, target=to(topic, key=encoded, base64=["value", "key"]))
    envelope = {
        "key": encoded,
        "value": encoded,
        "headers": [["a", encoded], ["a", ""]],
        "base64": ["key", "value", "headers"],
    }
    last = await ada.create(envelope, target=to(topic, envelope=True))
    await ada.until(last["id"])
    first, second = sorted(broker.read(topic, 2), key=lambda one: len(one.headers() or []))
    assert (first.key(), first.value()) == (second.key(), second.value()) == (EVERY_BYTE, EVERY_BYTE)
    assert (second.headers() or [])[:2] == [("a", EVERY_BYTE), ("a", b"")]


async def test_an_envelope_without_a_value_is_a_tombstone_and_shares_its_definition(ada: Api, broker: Broker) -> None:
    topic = broker.topic("orders")
    jobs = [await ada.create({"key": key}, target=to(topic, envelope=True)) for key in ("a", "b")]
    for job in jobs:
        await ada.until(job["id"])
    records = broker.read(topic, 2)
    assert {one.key() for one in records} == {b"a", b"b"}
    assert [one.value() for one in records] == [None, None]
    assert len({(await ada.job(job["id"]))["definition_id"] for job in jobs}) == 1


@pytest.mark.parametrize(
    ("target", "message", "field", "says"),
    [
        (to("secret"), "x", "target.topic", "orders-*"),
        (to("orders-1", cluster="other"), "x", "target.cluster", "default"),
        (to("orders-1", headers={"Duetime-Job-Id": "1"}), "x", "target.headers", "set by Duetime"),
        (to("orders-1", key="ä", base64=["key"]), "x", "target.key", "base64"),
        (to("orders-1", envelope=True, key="a"), {}, "target.key", "leave 'key' out"),
        (to("orders-1", envelope=True), "text", "message", "envelope"),
        (to("orders-1", envelope=True), {"keys": "a"}, "message", "keys"),
    ],
)
async def test_what_cannot_be_published_is_refused_with_the_field(
    ada: Api, target: dict[str, Any], message: Any, field: str, says: str
) -> None:
    answer = await ada.post(JOBS, {"message": message, "target": target})
    assert says in answer.error(422, "invalid", field)["message"]


@pytest.mark.parametrize(
    ("topic", "more", "message", "says"),
    [
        ("gone-for-ever", {}, "x", "does not exist"),
        ("", {"partition": 9}, "x", "no partition 9"),
        ("", {}, "x" * 200_000, "larger"),
    ],
)
async def test_what_the_cluster_will_never_take_is_a_dead_letter_at_once(
    ada: Api, broker: Broker, topic: str, more: dict[str, Any], message: str, says: str
) -> None:
    topic = topic or broker.topic("big", max_message_bytes="100000")
    job = await ada.create(message, target=to(topic, **more))
    done = await ada.until(job["id"])
    assert (done["status"], done["attempts"]) == ("dead", 1)
    [run] = await ada.runs(job["id"])
    assert run["error"]["kind"] == "refused"
    assert says in run["error"]["message"]


async def test_runs_wait_for_a_broker_that_is_away_and_none_is_lost() -> None:
    with running_broker() as own, running_duetime(env=clusters(own, delivery_timeout="2s")) as process:
        async with calling(process.url) as anyone:
            ada = await anyone.new_user(USER)
            topic = own.topic("orders")
            await ada.until((await ada.create("before", target=to(topic)))["id"])
            own.signal(signal.SIGKILL)
            retry = {"backoff": "fixed", "base": 0.5, "max_attempts": 100}
            job = await ada.create("after", target=to(topic), retry=retry, timeout=3, breaker=False)

            async def failed() -> bool:
                kinds = {(run["error"] or {}).get("kind") for run in await ada.runs(job["id"])}
                return bool(kinds & {"connection", "timeout"})

            await eventually(failed, 30)
            own.stop()
            own.start()
            assert (await ada.until(job["id"], seconds=60))["status"] == "succeeded"
            values = [one.value() for one in own.read(topic, 2)]
            assert (values[0], set(values[1:])) == (b"before", {b"after"})
