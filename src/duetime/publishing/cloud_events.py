"""Ends of jobs as CloudEvents 1.0 in JSON. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from duetime.model.events import JobEnded
from duetime.model.targets.kafka import Record

CONTENT_TYPE: Final = "application/cloudevents+json; charset=UTF-8"
EndState = Literal["succeeded", "dead", "cancelled", "skipped", "lost"]
EventType = Literal[
    "duetime.job.succeeded", "duetime.job.dead", "duetime.job.cancelled", "duetime.job.skipped", "duetime.job.lost"
]


class JobEndedData(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a job ended."""

    job_id: int
    user_id: int
    state: EndState
    attempt: Annotated[int, Meta(ge=0, description="The number of the last attempt; 0 if none started.")]
    finished_at: Annotated[datetime, Meta(tz=True)]
    started_at: Annotated[datetime, Meta(tz=True, description="When the last attempt started.")] | None = None
    reason: Annotated[str, Meta(description="Why it did not succeed.")] | None = None
    schedule_id: Annotated[int, Meta(description="The schedule that it is an occurrence of.")] | None = None
    ordering_key: str | None = None
    blocks_lane: Annotated[bool, Meta(description="Whether it holds up later jobs with its ordering key.")] = False


class JobEndedEvent(Struct, frozen=True, kw_only=True):
    """The end of a job, as a CloudEvent in the structured mode."""

    specversion: Literal["1.0"] = "1.0"
    id: Annotated[str, Meta(description="The same for a repeat of the same end: consumers drop repeats by it.")]
    source: Annotated[str, Meta(description="The cluster of Duetime, such as /duetime/main.")]
    type: EventType
    subject: Annotated[str, Meta(description="The job, such as jobs/1025.")]
    time: Annotated[datetime, Meta(tz=True, description="When the job ended.")]
    datacontenttype: Literal["application/json"] = "application/json"
    data: JobEndedData


def event_id(end: JobEnded) -> str:
    """Returns what names one end of one job: a redriven job can end again in the same state."""
    micros = round((end.finished_at - _EPOCH).total_seconds() * 1_000_000)
    return f"{end.job_id}/{end.attempt}/{end.state.value}/{micros}"


def ended_event(end: JobEnded, source: str) -> JobEndedEvent:
    """Returns the event of an end."""
    state: EndState = end.state.value  # type: ignore[assignment] - a job ends in one of these states
    kind: EventType = f"duetime.job.{state}"  # type: ignore[assignment]
    return JobEndedEvent(
        id=event_id(end),
        source=source,
        type=kind,
        subject=f"jobs/{end.job_id}",
        time=end.finished_at,
        data=JobEndedData(
            job_id=end.job_id,
            user_id=end.user_id,
            state=state,
            attempt=end.attempt,
            finished_at=end.finished_at,
            started_at=end.started_at,
            reason=end.reason,
            schedule_id=end.schedule_id,
            ordering_key=end.lane,
            blocks_lane=end.blocks_lane,
        ),
    )


def ended_record(end: JobEnded, source: str, topic: str) -> Record:
    """Returns the record of an end. Its key is the job, so that the ends of one job are in order."""
    value = msgspec.json.encode(ended_event(end, source))
    return Record(topic, str(end.job_id).encode(), value, (("content-type", CONTENT_TYPE.encode()),), None)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
