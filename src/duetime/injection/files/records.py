"""What a record of a file asks for: a job or a schedule, in the words of the API. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.schedules.bodies import ScheduleBody
from duetime.api.schedules.parse import parse_schedule
from duetime.api.server.decode import BodyDecoder
from duetime.injection.files.formats.port import RawRecord
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.schedule import ScheduleContent
from duetime.model.targets.port import TargetRules


class JobRecord(JobBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A job in a file: the body of the API, and optionally its kind."""

    kind: Literal["job"] = "job"


class ScheduleRecord(ScheduleBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A schedule in a file: the body of the API, and its kind."""

    kind: Literal["schedule"]


class _Kind(Struct, frozen=True):
    kind: Any = "job"


class FileRules(Struct, frozen=True):
    """What records may ask for, and for which user."""

    user_id: int
    username: str
    targets: TargetRules | None
    """None where the server checks targets later."""
    max_message_bytes: int
    max_timeout: float


class Request(NamedTuple):
    """What one record asks for, or why it asks for nothing."""

    number: int
    line: int
    job: NewJob | None = None
    schedule: ScheduleContent | None = None
    refusal: DuetimeError | None = None


class FileParser:
    """Parses records, with the decoders, the checks and the errors of the API."""

    def __init__(self, rules: FileRules, now: datetime) -> None:
        """`now` is when the file was taken, also after a crash, so that the same file gives the same jobs."""
        self._rules, self._now = rules, now
        self._jobs, self._schedules = BodyDecoder(JobRecord), BodyDecoder(ScheduleRecord)
        self._kind = msgspec.json.Decoder(_Kind).decode

    def parse(self, first: int, records: Sequence[RawRecord]) -> list[Request]:
        """Returns what each record asks for. `first` is the number of the first one."""
        rules = self._rules
        # What it keeps of one batch must not grow with the file.
        parser = JobParser(UserId(rules.user_id), self._now, rules.max_message_bytes, rules.max_timeout, self._check)
        return [self._request(number, one, parser) for number, one in enumerate(records, first)]

    def _request(self, number: int, raw: RawRecord, parser: JobParser) -> Request:
        if raw.problem is not None:
            return Request(number, raw.line, refusal=Invalid(raw.problem))
        try:
            return Request(number, raw.line, parser.parse(self._jobs.decode(raw.body)))
        except DuetimeError as error:
            refusal = error
        try:
            kind = self._kind(raw.body).kind
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Request(number, raw.line, refusal=refusal)
        if kind == "schedule":
            try:
                return Request(number, raw.line, schedule=self._schedule(raw.body))
            except DuetimeError as error:
                refusal = error
        elif kind != "job":
            refusal = _no_such_kind(kind)
        return Request(number, raw.line, refusal=refusal)

    def _schedule(self, body: bytes) -> ScheduleContent:
        rules = self._rules
        return parse_schedule(
            self._schedules.decode(body),
            user_id=rules.user_id,
            now=self._now,
            max_message_bytes=rules.max_message_bytes,
            max_timeout=rules.max_timeout,
            check_target=self._check,
        )

    def _check(self, target: Any) -> None:
        if self._rules.targets is not None:
            target.check_rules(self._rules.targets, self._rules.username)


def _no_such_kind(kind: object) -> Invalid:
    if kind == "workflow":
        return Invalid("There are no workflows yet: a record is a job or a schedule.", field="kind")
    return Invalid(f"'kind' must be 'job' or 'schedule', and not {str(kind)[:40]!r}.", field="kind")
