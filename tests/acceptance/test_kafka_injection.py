"""Topics whose records become jobs, end to end on a real broker, also under kills."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Message

from harness.calls import Api, calling
from harness.kafka import Broker
from harness.process import DuetimeProcess, running_duetime
from harness.waiting import eventually

EVERY_BYTE = bytes(range(256))
FAR_OFF = "2099-01-01T00:00:00Z"


def reading(broker: Broker, *sources: dict[str, Any]) -> dict[str, str]:
    cluster = {"servers": [broker.servers], "topics": {"admin": ["out-*"]}}
    return {
        "DUETIME_KAFKA_CLUSTERS": json.dumps({"default": cluster}),
        "DUETIME_INJECTION_KAFKA": json.dumps([{"user": "admin", **one} for one in sources]),
    }


class Topics:
    """The topics of the sources that all tests of this file share."""

    def __init__(self, broker: Broker) -> None:
        self.jobs, self.events = broker.topic("jobs", partitions=2), broker.topic("events", partitions=2)


@pytest.fixture(scope="module")
def topics(broker: Broker) -> Topics:
    return Topics(broker)


@pytest.fixture(scope="module")
def duetime(broker: Broker, topics: Topics) -> Iterator[DuetimeProcess]:
    sources = {"topic": topics.jobs}, {"topic": topics.events, "form": "event"}
    with running_duetime(env=reading(broker, *sources)) as process:
        yield process


def body(message: object, **more: Any) -> bytes:
    return json.dumps({"message": message, **more}).encode()


async def labelled(api: Api, label: str, count: int = 1, **params: str) -> list[dict[str, Any]]:
    """The jobs with a label, once there are so many."""

    async def found() -> list[dict[str, Any]]:
        jobs = await api.all_jobs(label=f"test={label}", **params)
        assert len(jobs) == count, jobs
        return jobs

    return await eventually(found, 30)


def headers(message: Message) -> dict[str, bytes]:
    return {name: bytes(value) for name, value in message.headers() or [] if isinstance(value, bytes)}


async def test_a_record_becomes_a_job_of_the_configured_user(
    duetime: DuetimeProcess, topics: Topics, broker: Broker
) -> None:
    broker.write(topics.jobs, {"value": body({"order": 7}, labels={"test": "plain"}, priority=8)})
    async with calling(duetime.url) as anyone:
        admin = await anyone.admin()
        [job] = await labelled(admin, "plain")
        assert (job["message"], job["priority"]) == ({"order": 7}, 8)
        assert (await admin.until(job["id"]))["status"] == "succeeded"


async def test_a_record_that_is_no_job_is_published_with_the_reason_and_the_next_one_is_read(
    duetime: DuetimeProcess, topics: Topics, broker: Broker
) -> None:
    wrong = [b"not json", body("x", priority=99), body("x", target={"kind": "kafka", "topic": "secret"}), EVERY_BYTE]
    broker.write(
        topics.jobs,
        *({"value": one, "key": b"k", "headers": {"a": EVERY_BYTE}, "partition": 0} for one in wrong),
        {"value": body("good", labels={"test": "after-poison"}), "partition": 0},
    )
    async with calling(duetime.url) as anyone:
        await labelled(await anyone.admin(), "after-poison")
    refused = broker.read(f"{topics.jobs}.invalid", len(wrong))
    assert [one.value() for one in refused] == wrong
    assert {one.key() for one in refused} == {b"k"}
    assert {headers(one)["a"] for one in refused} == {EVERY_BYTE}
    assert {headers(one)["duetime-origin-topic"] for one in refused} == {topics.jobs.encode()}
    assert [headers(one).get("duetime-field") for one in refused] == [None, b"priority", b"target.topic", None]
    assert all(headers(one)["duetime-reason"].endswith(b".") for one in refused)


async def test_a_record_replaces_the_waiting_job_of_its_key_and_one_without_a_value_cancels_it(
    duetime: DuetimeProcess, topics: Topics, broker: Broker
) -> None:
    def record(message: str, key: bytes = b"order-7") -> dict[str, Any]:
        return {"key": key, "value": body(message, execute_at=FAR_OFF, labels={"test": "keys"})}

    async with calling(duetime.url) as anyone:
        admin = await anyone.admin()
        broker.write(topics.jobs, record("first"), record("other", b"order-8"))
        await labelled(admin, "keys", 2, status="created")
        broker.write(topics.jobs, record("second"), record("third"))

        async def waiting() -> set[str]:
            return {job["message"] for job in await admin.all_jobs(label="test=keys", status="created")}

        async def so() -> bool:
            return await waiting() == {"third", "other"}

        await eventually(so, 30)
        broker.write(topics.jobs, {"key": b"order-7", "value": None}, {"key": b"unknown", "value": None})

        async def cancelled() -> bool:
            return await waiting() == {"other"}

        await eventually(cancelled, 30)
        ended = Counter(job["reason"] for job in await admin.all_jobs(label="test=keys", status="cancelled"))
        assert ended == {"replaced by another job": 1, "cancelled": 1}, "the second was overtaken within its batch"


async def test_headers_of_another_scheduler_publish_an_event_at_its_instant(
    duetime: DuetimeProcess, topics: Topics, broker: Broker
) -> None:
    out = broker.topic("out")
    at = datetime.now(UTC) + timedelta(seconds=2)
    given = {
        "scheduler-epoch": str(int(at.timestamp()) + 1).encode(),
        "scheduler-target-topic": out.encode(),
        "scheduler-target-key": b"video-1",
        "ce_id": b"e-1",
        "ce_specversion": b"1.0",
    }
    broker.write(topics.events, {"key": b"schedule-1", "value": EVERY_BYTE, "headers": given})
    [event] = broker.read(out, 1)
    assert (event.key(), event.value()) == (b"video-1", EVERY_BYTE)
    assert {name: value for name, value in headers(event).items() if name.startswith("ce_")} == {
        "ce_id": b"e-1",
        "ce_specversion": b"1.0",
    }
    assert "scheduler-epoch" not in headers(event)
    assert event.timestamp()[1] >= (int(at.timestamp()) + 1) * 1000, "not before its instant"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, b"duetime-target-topic"),
        ({"duetime-target-topic": b"secret"}, b"target.topic"),
        ({"duetime-target-topic": b"out-1", "duetime-execute-at": b"soon"}, b"duetime-execute-at"),
        ({"duetime-target-topic": b"out-1", "duetime-unknown": b"1"}, b"duetime-unknown"),
    ],
)
async def test_an_event_that_cannot_be_published_is_refused(
    duetime: DuetimeProcess, topics: Topics, broker: Broker, given: dict[str, bytes], field: bytes
) -> None:
    name = json.dumps([*given, field.decode()]).encode()
    broker.write(topics.events, {"key": name, "value": b"x", "headers": given})

    def refused() -> Message | None:
        before = broker.end_offsets(f"{topics.events}.invalid") if f"{topics.events}.invalid" in known() else [0]
        found = broker.read(f"{topics.events}.invalid", sum(before)) if sum(before) else []
        return next((one for one in found if one.key() == name), None)

    def known() -> set[str]:
        return set(broker.admin().list_topics(timeout=10).topics)

    found = await eventually(refused, 30, every=0.2)
    assert found is not None
    assert headers(found)["duetime-field"] == field


@pytest.mark.parametrize(
    ("count", "whens"),
    [
        (8_000, ("after", "before")),
        pytest.param(200_000, ("after", "before") * 20, marks=pytest.mark.long),
    ],
)
async def test_every_record_becomes_one_job_whatever_is_killed(
    broker: Broker, tmp_path: Path, count: int, whens: tuple[str, ...]
) -> None:
    topic = broker.topic("many", partitions=3)
    broker.write(topic, *({"value": body(n, execute_at=FAR_OFF), "partition": n % 3} for n in range(count)))
    process = DuetimeProcess(tmp_path / "data", env=reading(broker, {"topic": topic}))
    try:
        for when in whens:
            process.env["DUETIME_FAILPOINTS"] = f"injection.inject:{when}:crash@2"
            process.launch()
            assert process.wait() == -signal.SIGKILL, process.output
        del process.env["DUETIME_FAILPOINTS"]
        process.start()
        await every_record_is_one_job(process, count)
        process.stop()
    finally:
        process.clean_up()


async def test_a_reader_that_was_stopped_past_its_session_stores_nothing_twice(
    broker: Broker, dsn: str, tmp_path: Path
) -> None:
    topic, count = broker.topic("slept"), 8_000
    env = reading(broker, {"topic": topic}) | {"DUETIME_SIGNING_KEY": "k" * 40}
    options = ("--database", dsn)
    stopped = DuetimeProcess(tmp_path / "a", options, env | {"DUETIME_FAILPOINTS": "injection.inject:before:sleep=5@2"})
    other = DuetimeProcess(tmp_path / "b", options, env)
    try:
        stopped.start()
        broker.write(topic, *({"value": body(n, execute_at=FAR_OFF)} for n in range(count)))
        stopped.wait_for(re.compile('"point": "injection.inject"'))
        stopped.signal(signal.SIGSTOP)  # with a batch in hand, and the partition as it believes
        other.start()
        await every_record_is_one_job(other, count)
        stopped.signal(signal.SIGCONT)
        stopped.wait_for(re.compile("begins again from its stored offsets"))
        await every_record_is_one_job(other, count)
    finally:
        stopped.signal(signal.SIGCONT)
        stopped.clean_up()
        other.clean_up()


async def every_record_is_one_job(process: DuetimeProcess, count: int) -> None:
    async with calling(process.url) as anyone:
        admin = await anyone.admin()

        async def stored() -> bool:
            return (await admin.stats())["created"] >= count

        await eventually(stored, 60, every=0.2)
        assert Counter(job["message"] for job in await admin.all_jobs()) == dict.fromkeys(range(count), 1)
