"""Dead letters as records: the body of the job, which an injection topic takes back, and headers that say what failed.

Credentials never reach a topic: a target that has some is left out, and a header says so.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from duetime.model.events import JobEnded
from duetime.model.job import DEFAULT_PRIORITY, Job
from duetime.model.message import message_value
from duetime.model.targets.kafka import Record
from duetime.publishing.cloud_events import event_id

TYPE: Final = "duetime.job.dead"


class DeadLetterBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A dead job as the body of a new one: what `POST /api/v1/me/jobs` and injection topics take."""

    message: Any
    target: Annotated[Any, Meta(description="Left out where it has credentials.")] | None = None
    ordering_key: str | None = None
    priority: int = DEFAULT_PRIORITY
    labels: dict[str, str] | None = None


def dead_record(job: Job, end: JobEnded, source: str, topic: str) -> Record:
    """Returns the record of a dead letter. Its key is the ordering key, or the job."""
    target = job.definition.target
    is_hidden = bool(target.secrets())
    body = DeadLetterBody(
        message=message_value(job.message),
        target=None if is_hidden else msgspec.to_builtins(target),
        ordering_key=job.lane,
        priority=job.priority,
        labels=job.labels,
    )
    headers = {
        "content-type": "application/json",
        "ce_specversion": "1.0",
        "ce_id": event_id(end),
        "ce_source": source,
        "ce_type": TYPE,
        "ce_subject": f"jobs/{job.id}",
        "ce_time": _instant(end.finished_at),
        "dead-job": str(job.id),
        "dead-user": str(job.user_id),
        "dead-attempts": str(end.attempt),
        "dead-reason": end.reason or "",
        "dead-execute-at": _instant(job.execute_at),
        "dead-target": "hidden" if is_hidden else "",
    }
    given = tuple((name, value.encode("utf-8", "replace")) for name, value in headers.items() if value)
    return Record(topic, (job.lane or str(job.id)).encode(), msgspec.json.encode(body), given, None)


def _instant(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")
