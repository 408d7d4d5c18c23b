"""What a record of a file asks for: a job, a schedule or a workflow, in the words of the API. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.schedules.bodies import ScheduleBody
from duetime.api.schedules.parse import parse_schedule
from duetime.api.server.decode import BodyDecoder
from duetime.api.workflows.bodies import WorkflowBody
from duetime.api.workflows.parse import parse_step, parse_workflow
from duetime.injection.files.formats.port import RawRecord
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.graph import check_graph
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.schedule import ScheduleContent
from duetime.model.targets.port import TargetRules
from duetime.model.targets.workflow import CREATES_WORKFLOW

KINDS: Final = ("job", "schedule", "workflow")


class JobRecord(JobBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A job in a file: the body of the API, and optionally its kind."""

    kind: Literal["job"] = "job"


class ScheduleRecord(ScheduleBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A schedule in a file: the body of the API, and its kind."""

    kind: Literal["schedule"]


class WorkflowRecord(WorkflowBody, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A workflow in a file: the body of the API, and its kind."""

    kind: Literal["workflow"]


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
        self._workflows = BodyDecoder(WorkflowRecord)
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
        try:
            if kind == "schedule":
                return Request(number, raw.line, schedule=self._schedule(raw.body))
            if kind == "workflow":
                return Request(number, raw.line, self._workflow(raw.body, parser))
        except DuetimeError as error:
            refusal = error
        if kind not in KINDS:
            wrong = f"'kind' must be 'job', 'schedule' or 'workflow', and not {str(kind)[:40]!r}."
            refusal = Invalid(wrong, field="kind")
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

    def _workflow(self, body: bytes, parser: JobParser) -> NewJob:
        """Returns the job that creates a workflow, after its steps are checked."""
        given: WorkflowRecord = self._workflows.decode(body)
        steps = [parse_step(one, parser) for one in given.steps]
        check_graph(steps)
        parse_workflow(given, steps, UserId(self._rules.user_id), self._now, None)
        message: dict[str, Any] = msgspec.json.decode(body)
        del message["kind"]
        return parser.parse(JobBody(message=message, target=CREATES_WORKFLOW))

    def _check(self, target: Any) -> None:
        if self._rules.targets is not None:
            target.check_rules(self._rules.targets, self._rules.username)
