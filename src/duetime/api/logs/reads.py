"""The log of one attempt."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from duetime.api.server.route import Call, Route
from duetime.engine.services import LogService
from duetime.model.errors import NotFound, NotYetActive

TAG: Final = "logs"
_ATTEMPT: Final = re.compile(r"[1-9][0-9]{0,4}")


class LogQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which lines of a log to show."""

    skip: Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many lines to leave out at the beginning.")] = 0


class LinesView(Struct, frozen=True):
    """The lines that an attempt logged."""

    lines: list[str]


def logs_of(call: Call[Any, Any]) -> LogService:
    """The service for logs."""
    logs = call.services.logs
    if logs is None:
        raise NotYetActive("This server keeps no logs.")
    return logs


async def show_log(call: Call[None, LogQuery]) -> LinesView:
    """The lines that an attempt logged."""
    if not _ATTEMPT.fullmatch(call.key):
        raise NotFound
    job = await call.services.jobs.insight.job(call.user.id, call.id)
    return LinesView(await logs_of(call).lines(call.user.id, job.id, int(call.key), call.query.skip))


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/jobs/{id}/runs/{key}/logs",
        show_log,
        "Show what an attempt logged",
        query=LogQuery,
        answer=LinesView,
        tag=TAG,
        description="The number in the path is that of the attempt. The first 256 KiB are kept. To follow a log, ask "
        "again with `skip`: the number of lines that you have.",
    ),
)
