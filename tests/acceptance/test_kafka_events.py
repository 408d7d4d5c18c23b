"""Ends of jobs and dead letters on topics, end to end on a real broker, and the commands that ask clusters."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from duetime.cli.main import app
from harness.calls import calling
from harness.kafka import Broker
from harness.process import DuetimeProcess, running_duetime
from harness.waiting import eventually

REFUSED = {"kind": "http", "url": "http://127.0.0.1:9/"}


def publishing(broker: Broker, topics: Topics) -> dict[str, str]:
    cluster = {"servers": [broker.servers]}
    source = {"topic": topics.back, "user": "admin"}
    given = {"cluster": "default", "topic": topics.events, "dead_topic": topics.dead}
    return {
        "DUETIME_KAFKA_CLUSTERS": json.dumps({"default": cluster}),
        "DUETIME_INJECTION_KAFKA": json.dumps([source]),
        **{f"DUETIME_EVENTS_{name.upper()}": value for name, value in given.items()},
    }


class Topics:
    """The topics of one test."""

    def __init__(self, broker: Broker) -> None:
        self.events, self.dead = broker.topic("events"), broker.topic("dead")
        self.back = broker.topic("back")


@pytest.fixture(scope="module")
def topics(broker: Broker) -> Topics:
    return Topics(broker)


@pytest.fixture(scope="module")
def duetime(broker: Broker, topics: Topics) -> Iterator[DuetimeProcess]:
    with running_duetime(env=publishing(broker, topics)) as process:
        yield process


def events_of(broker: Broker, topic: str, *job_ids: int) -> dict[int, list[dict[str, Any]]]:
    """The events of jobs so far, in order."""
    count = sum(broker.end_offsets(topic))
    found: dict[int, list[dict[str, Any]]] = {one: [] for one in job_ids}
    for message in broker.read(topic, count) if count else []:
        event = json.loads(message.value() or b"")
        assert (message.key() or b"").decode() == str(event["data"]["job_id"])
        found.setdefault(event["data"]["job_id"], []).append(event)
    return found


async def test_every_end_is_published_and_a_dead_letter_comes_back_as_a_job(
    duetime: DuetimeProcess, broker: Broker, topics: Topics
) -> None:
    async with calling(duetime.url) as anyone:
        admin = await anyone.admin()
        good = await admin.create({"order": 1})
        bad = await admin.create({"order": 2}, target=REFUSED, retry=False, labels={"test": "dead"})
        far = await admin.create("far", delay="1h")
        await admin.post(f"/api/v1/me/jobs/{far['id']}/cancel")
        ids = [one["id"] for one in (good, bad, far)]

        def all_there() -> dict[int, list[dict[str, Any]]] | None:
            found = events_of(broker, topics.events, *ids)
            return found if all(found[one] for one in ids) else None

        found = await eventually(all_there, 30, every=0.2)
        assert found is not None
        assert [found[one][0]["type"] for one in ids] == [
            "duetime.job.succeeded",
            "duetime.job.dead",
            "duetime.job.cancelled",
        ]
        [letter] = broker.read(topics.dead, 1)
        assert json.loads(letter.value() or b"")["message"] == {"order": 2}
        headers = dict(letter.headers() or [])
        assert headers["ce_id"] == found[bad["id"]][0]["id"].encode()
        broker.write(topics.back, {"value": letter.value()})

        async def twice() -> bool:
            return len(await admin.all_jobs(label="test=dead")) == 2

        await eventually(twice, 30)


async def test_nothing_is_missed_when_the_publisher_is_killed(broker: Broker, tmp_path: Path) -> None:
    own = Topics(broker)
    process = DuetimeProcess(tmp_path / "data", env=publishing(broker, own))
    try:
        process.env["DUETIME_FAILPOINTS"] = "outbox.acknowledge:before:crash@1"
        process.start()
        async with calling(process.url) as anyone:
            ids = await (await anyone.admin()).bulk([{"message": "m", "delay": "500ms"} for _ in range(200)])
        assert process.wait() == -signal.SIGKILL, process.output
        del process.env["DUETIME_FAILPOINTS"]
        process.start()

        def all_there() -> dict[int, list[dict[str, Any]]] | None:
            # What was published and not acknowledged is published again.
            found = events_of(broker, own.events, *ids)
            return found if all(found.values()) and any(len(one) > 1 for one in found.values()) else None

        found = await eventually(all_there, 30, every=0.2)
        assert found is not None
        assert all(len({one["id"] for one in events}) == 1 for events in found.values()), "under the same id"
    finally:
        process.clean_up()


def test_the_commands_ask_the_configured_clusters(
    duetime: DuetimeProcess, broker: Broker, topics: Topics, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in publishing(broker, topics).items():
        monkeypatch.setenv(name, value)

    def ran(*words: str) -> tuple[int, list[dict[str, Any]]]:
        result = CliRunner().invoke(app, ["kafka", *words, "--json"], catch_exceptions=False)
        return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]

    code, findings = ran("check")
    assert (code, all(one["ok"] for one in findings)) == (0, True), findings
    code, used = ran("topics")
    assert {one["topic"] for one in used} == {topics.back, f"{topics.back}.invalid", topics.events, topics.dead}
    code, lags = ran("lag")
    assert (code, [one["topic"] for one in lags]) == (0, [topics.back])
    monkeypatch.setenv("DUETIME_KAFKA_CLUSTERS", json.dumps({"default": {"servers": ["127.0.0.1:9"]}}))
    monkeypatch.setattr("duetime.kafka.inspection.ANSWER_SECONDS", 0.5)
    code, findings = ran("check")
    assert (code, findings[0]["ok"]) == (1, False)
