"""Reads requests of `duetime_enqueue` as the bodies of `POST /api/v1/me/jobs`."""

from __future__ import annotations

from collections.abc import Callable

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.server.decode import BodyDecoder
from duetime.api.server.services import ApiSettings
from duetime.model.enqueued import EnqueuedJob
from duetime.model.job import NewJob

_decoder = BodyDecoder(JobBody)


def enqueued_parser(settings: ApiSettings) -> Callable[[EnqueuedJob], NewJob]:
    """Returns the function that reads requests. Delays count from the enqueue, and so does a job without an instant."""

    def parse(request: EnqueuedJob) -> NewJob:
        body: JobBody = _decoder.decode(request.body)
        parser = JobParser(request.user_id, request.enqueued_at, settings.max_message_bytes, settings.max_timeout)
        return parser.parse(body, idempotency_key=request.key)

    return parse
