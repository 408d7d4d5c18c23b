"""What a record of a topic asks for: a job in the API's words, or an event to publish at an instant. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.server.decode import BodyDecoder
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.targets.kafka import Envelope, Part, Record
from duetime.model.targets.port import TargetRules
from duetime.store.injection_port import RecordId
from duetime.timing.durations import parse_duration

Form = Literal["job", "event"]
EXECUTE_AT: Final = ("duetime-execute-at", "scheduler-epoch", "schedule_target_epoch")
TARGET_TOPIC: Final = ("duetime-target-topic", "scheduler-target-topic", "schedule_target_topic")
TARGET_KEY: Final = ("duetime-target-key", "scheduler-target-key", "schedule_target_key")
OPTIONS: Final = ("duetime-delay", "duetime-ordering-key", "duetime-priority", "duetime-expires-at")
READ: Final = frozenset((*EXECUTE_AT, *TARGET_TOPIC, *TARGET_KEY, *OPTIONS))
"""Headers that say when and where. All others travel with the event."""
MILLISECONDS_FROM: Final = 10**11
"""Digits from here on are milliseconds since 1970, smaller numbers seconds."""


class SourceRecord(NamedTuple):
    """A record as it was read."""

    origin: RecordId
    written_at: datetime | None
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


class Request(NamedTuple):
    """A record with the job that it asks for, or with the reason why it asks for none.

    Without both it has no value, and ends the job of its key.
    """

    record: SourceRecord
    job: NewJob | None
    refusal: DuetimeError | None = None


class RecordRules(Struct, frozen=True):
    """What records of a source may ask for, and for which user."""

    form: Form
    cluster: str
    user_id: int
    username: str
    targets: TargetRules
    max_message_bytes: int
    max_timeout: float


class RecordParser:
    """Parses the records of a source, with the decoder, the checks and the errors of the API."""

    def __init__(self, rules: RecordRules, now: Callable[[], datetime]) -> None:
        self._rules, self._now = rules, now
        self._decoder = BodyDecoder(JobBody)

    def parse(self, records: Sequence[SourceRecord]) -> list[Request]:
        """Returns what each record asks for."""
        rules = self._rules
        parser = JobParser(UserId(rules.user_id), self._now(), rules.max_message_bytes, rules.max_timeout, self._check)
        read = self._job if rules.form == "job" else self._event
        return [self._request(record, parser, read) for record in records]

    def _request(self, record: SourceRecord, parser: JobParser, read: Callable[[SourceRecord], JobBody]) -> Request:
        if record.value is None:
            return Request(record, None, None if record.key is not None else Invalid(NO_VALUE))
        try:
            return Request(record, parser.parse(read(record)))
        except DuetimeError as error:
            return Request(record, None, error)

    def _check(self, target: Any) -> None:
        target.check_rules(self._rules.targets, self._rules.username)

    def _job(self, record: SourceRecord) -> JobBody:
        return self._decoder.decode(record.value or b"")

    def _event(self, record: SourceRecord) -> JobBody:
        read: dict[str, bytes] = {}
        carried: list[tuple[str, bytes]] = []
        for name, value in record.headers:
            lower = name.lower()
            if lower in READ:
                read[lower] = value
            elif lower.startswith("duetime-"):
                raise Invalid(f"There is no header '{name}'. Headers are {', '.join(sorted(READ))}.", field=name)
            else:
                carried.append((name, value))
        topic = _text(read, TARGET_TOPIC)
        if topic is None:
            raise Invalid(
                f"A record needs the header '{TARGET_TOPIC[0]}': the topic to publish to.", field=TARGET_TOPIC[0]
            )
        expires_at, priority = _text(read, ("duetime-expires-at",)), _text(read, ("duetime-priority",))
        given: dict[str, Any] = {
            "message": _envelope(record, _first(read, TARGET_KEY), carried),
            "execute_at": _instant(read, record, self._now()),
            "target": {"kind": "kafka", "topic": topic, "cluster": self._rules.cluster, "envelope": True},
            "ordering_key": _text(read, ("duetime-ordering-key",)),
            "priority": None if priority is None else _number(priority, "duetime-priority"),
            "expires_at": expires_at,
        }
        return self._decoder.decode(msgspec.json.encode(given))


NO_VALUE: Final = "The record has neither a key nor a value."


def refused_record(request: Request, topic: str, published_to: str) -> Record:
    """Returns a refused record as it is published: as it was, with the reason and where it was."""
    record, error = request.record, request.refusal or DuetimeError()
    field = error.details.get("field")
    origin = {
        "duetime-reason": error.message,
        "duetime-field": field if isinstance(field, str) else "",
        "duetime-origin-topic": topic,
        "duetime-origin-partition": str(record.origin.partition),
        "duetime-origin-offset": str(record.origin.offset),
        "duetime-origin-timestamp": "" if record.written_at is None else record.written_at.isoformat(),
    }
    added = tuple((name, text.encode("utf-8", "replace")) for name, text in origin.items() if text)
    return Record(published_to, record.key, record.value, (*record.headers, *added), None)


def _first(read: dict[str, bytes], names: Sequence[str]) -> bytes | None:
    return next((read[name] for name in names if name in read), None)


def _text(read: dict[str, bytes], names: Sequence[str]) -> str | None:
    found = _first(read, names)
    try:
        return None if found is None else found.decode()
    except UnicodeDecodeError:
        raise Invalid(f"The header '{names[0]}' is not text in UTF-8.", field=names[0]) from None


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise Invalid(f"The header '{name}' must be a whole number, and not '{text[:40]}'.", field=name)
    return int(text)


def _instant(read: dict[str, bytes], record: SourceRecord, now: datetime) -> datetime | None:
    """Returns the instant that headers give. A delay counts from when the record was written."""
    at, delay = _text(read, EXECUTE_AT), _text(read, ("duetime-delay",))
    if at is not None and delay is not None:
        raise Invalid("Give either 'duetime-execute-at' or 'duetime-delay', not both.", field="duetime-delay")
    try:
        if delay is not None:
            return (record.written_at or now) + parse_duration(delay)
        if at is None:
            return None
        if at.isascii() and at.isdigit() and len(at) < 16:
            number = int(at)
            return _EPOCH + timedelta(milliseconds=number if number >= MILLISECONDS_FROM else number * 1000)
        found = datetime.fromisoformat(at)
    except (ValueError, OverflowError):
        raise Invalid(
            f"The header '{EXECUTE_AT[0]}' must be an instant such as 2030-01-31T09:00:00Z, or seconds or milliseconds "
            f"since 1970, and not '{str(at)[:40]}'.",
            field=EXECUTE_AT[0],
        ) from None
    if found.utcoffset() is None:
        raise Invalid(f"The header '{EXECUTE_AT[0]}' has no UTC offset: write it as {at}Z.", field=EXECUTE_AT[0])
    return found


def _envelope(record: SourceRecord, key: bytes | None, headers: list[tuple[str, bytes]]) -> Envelope:
    """Returns the event as a message: text where all of it is text, else base64."""
    coded: list[Part] = []

    def spelled(part: Part, values: Sequence[bytes]) -> list[str]:
        try:
            texts = [value.decode() for value in values]
        except UnicodeDecodeError:
            texts = ["\0"]
        if any("\0" in text for text in texts):
            coded.append(part)
            return [b64encode(value).decode() for value in values]
        return texts

    (value,) = spelled("value", [record.value or b""])
    own_key = None if key is None else spelled("key", [key])[0]
    values = spelled("headers", [value for _, value in headers])
    pairs = [(name, text) for (name, _), text in zip(headers, values, strict=True)]
    return Envelope(value, own_key, pairs, None, tuple(coded))


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
