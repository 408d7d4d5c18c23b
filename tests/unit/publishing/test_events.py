"""Published ends: CloudEvents with stable ids, dead letters without credentials, and schemas that are true of both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from duetime.model.definition import PLAIN, Definition
from duetime.model.events import JobEnded
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.job import Job
from duetime.model.message import stored_message
from duetime.model.states import JobState
from duetime.model.targets.http import BearerAuth, HttpTarget
from duetime.publishing.cloud_events import ended_record, event_id
from duetime.publishing.dead_letters import dead_record
from duetime.publishing.schemas import TYPES, schema_of, written_schema

ROOT = Path(__file__).parents[3]
AT = datetime(2030, 1, 31, 9, tzinfo=UTC)


def end(state: JobState = JobState.DEAD, **more: Any) -> JobEnded:
    return JobEnded(1025, 1, state, 5, AT, AT + timedelta(seconds=1))._replace(**more)


def job(target: Any = None, message: object = "m", **more: Any) -> Job:
    definition = PLAIN if target is None else Definition(target=target, policy=PLAIN.policy)
    given = {"lane": None, "priority": 5, "attempts": 5, **more}
    state = JobState.DEAD
    return Job(JobId(1025), UserId(1), state, DefinitionId(1), definition, stored_message(message), AT, AT, AT, **given)


@pytest.mark.parametrize("state", [one for one in JobState if one.value in ("succeeded", "dead", "lost", "skipped")])
def test_an_end_is_a_cloud_event_that_its_schema_accepts(state: JobState) -> None:
    record = ended_record(end(state, reason="HTTP 500", lane="a"), "/duetime/main", "duetime.events")
    value = msgspec.json.decode(record.value or b"")
    jsonschema_rs.validate(schema_of("job-ended"), value)
    assert (record.topic, record.key) == ("duetime.events", b"1025")
    assert dict(record.headers)["content-type"].startswith(b"application/cloudevents+json")
    assert (value["type"], value["subject"], value["time"]) == (
        f"duetime.job.{state.value}",
        "jobs/1025",
        "2030-01-31T09:00:01Z",
    )
    assert (value["data"]["reason"], value["data"]["ordering_key"]) == ("HTTP 500", "a")


def test_ids_are_the_same_for_a_repeat_and_differ_between_ends() -> None:
    later = end(finished_at=AT + timedelta(hours=1))
    assert event_id(end()) == event_id(end())
    assert len({event_id(one) for one in (end(), later, end(attempt=6), end(JobState.LOST))}) == 4


def test_a_dead_letter_is_the_body_of_a_job() -> None:
    dead = job(None, {"order": 7}, lane="c-7", labels={"a": "b"})
    record = dead_record(dead, end(reason="no"), "/duetime", "duetime.dead")
    value, headers = msgspec.json.decode(record.value or b""), dict(record.headers)
    jsonschema_rs.validate(schema_of("dead-letter"), value)
    assert value == {"message": {"order": 7}, "target": {"kind": "log"}, "ordering_key": "c-7", "labels": {"a": "b"}}
    assert record.key == b"c-7"
    assert (headers["dead-job"], headers["dead-attempts"], headers["dead-reason"]) == (b"1025", b"5", b"no")
    assert headers["ce_id"] == event_id(end(reason="no")).encode()


def test_credentials_of_a_target_reach_no_topic() -> None:
    target = HttpTarget(url="https://example.com/x", auth=BearerAuth("s3cret"))
    record = dead_record(job(target), end(), "/duetime", "duetime.dead")
    assert b"s3cret" not in (record.value or b"") + repr(record.headers).encode()
    assert "target" not in msgspec.json.decode(record.value or b"")
    assert dict(record.headers)["dead-target"] == b"hidden"


@pytest.mark.parametrize("name", TYPES)
def test_the_schemas_in_the_docs_are_those_of_the_source(name: str) -> None:
    assert (ROOT / "docs/schemas" / f"{name}.json").read_bytes() == written_schema(name)
