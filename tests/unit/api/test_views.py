"""What clients see of jobs and runs: instants in UTC, and no credentials."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from duetime.api.jobs.views import job_view, run_view
from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.job import Job
from duetime.model.outcome import Failure
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.targets.http import BasicAuth, BearerAuth, HttpAnswer, HttpTarget
from duetime.model.targets.log import LogTarget
from duetime.model.targets.port import HIDDEN

AT = datetime(2026, 3, 1, 12, 0, 0, 5, UTC)
CANARY = "s3cret-canary"


def job(target: Any = LogTarget(), **changes: Any) -> Job:  # noqa: B008
    fields: dict[str, Any] = {
        "id": JobId(3 * 1024 + 17),
        "user_id": UserId(7),
        "state": JobState.CREATED,
        "definition_id": DefinitionId(1),
        "definition": Definition(target),
        "message": "hi",
        "execute_at": AT,
        "due_at": AT,
        "created_at": AT,
        "lane": "a",
        "priority": 5,
        "attempts": 0,
    }
    return Job(**(fields | changes))


def shown(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_a_job_is_shown_with_the_names_that_clients_know() -> None:
    view = shown(job_view(job()))
    first = {"id": 3089, "user_id": 7, "message": "hi", "status": "created", "shard_id": 17, "ordering_key": "a"}
    assert first.items() <= view.items()
    assert view["execute_at"] == "2026-03-01T12:00:00.000005Z"
    assert view["target"] == {"kind": "log"}
    assert (view["labels"], view["late"], view["reason"]) == ({}, False, None)


def test_a_job_for_the_past_is_shown_as_late_but_one_for_now_is_not() -> None:
    assert job_view(job(created_at=AT + timedelta(seconds=2))).late
    assert not job_view(job(created_at=AT + timedelta(milliseconds=20))).late
    assert not job_view(job(created_at=AT - timedelta(days=1))).late


@pytest.mark.parametrize("auth", [BearerAuth(CANARY), BasicAuth("ada", CANARY), None])
def test_no_credential_is_ever_shown(auth: Any) -> None:
    secret = [
        "Authorization",
        "X-API-Key",
        "api_key",
        "apikey",
        "Cookie",
        "X-Auth-Token",
        "Client-Secret",
        "X-Signature",
    ]
    names = [name for name in secret if auth is None or name != "Authorization"]
    target = HttpTarget(
        "https://example.com/", headers=dict.fromkeys(names, CANARY) | {"Accept": "text/plain"}, auth=auth
    )
    encoded = msgspec.json.encode(job_view(job(target))).decode()
    assert CANARY not in encoded
    view = shown(job_view(job(target)))["target"]
    assert view["headers"] == dict.fromkeys(names, HIDDEN) | {"Accept": "text/plain"}
    assert target.headers[names[0]] == CANARY


def test_a_run_is_shown_with_its_lateness_and_duration() -> None:
    run = Run(
        JobId(1024),
        2,
        JobState.FAILED,
        due_at=AT,
        launched_at=AT + timedelta(milliseconds=1.5),
        started_at=AT + timedelta(milliseconds=2),
        finished_at=AT + timedelta(milliseconds=52),
        executor="node-1",
        failure=Failure("http_503", "The answer was 503.", retry_after=5),
        answer=HttpAnswer(503, {"a": "b"}, "busy", body_cut=True, address="10.0.0.1"),
    )
    view = shown(run_view(run))
    assert (view["id"], view["attempt"], view["state"]) == ("1024-2", 2, "failed")
    assert (view["lateness_ms"], view["duration_ms"]) == (1.5, 50.0)
    assert view["error"] == {"kind": "http_503", "message": "The answer was 503."}
    assert view["response"] == {"kind": "http", "status": 503, "headers": {"a": "b"}, "body": "busy", "body_cut": True}


def test_a_run_that_has_not_started_has_no_duration() -> None:
    view = run_view(Run(JobId(1024), 1, JobState.QUEUED, AT, None, None, None, None))
    assert (view.lateness_ms, view.duration_ms, view.error, view.response) == (None, None, None, None)
