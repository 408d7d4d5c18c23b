"""The `kafka` target: one run is one record on a topic. The value, its checks and its answer. Pure."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from duetime.model.errors import Invalid
from duetime.model.message import MARK, message_sent, without_trace
from duetime.model.targets.port import AnswerKind, TargetKind, TargetRules

MAX_HEADERS: Final = 100
MAX_HEADER_BYTES: Final = 16 * 1024
MAX_KEY_BYTES: Final = 4096
OUR_HEADERS: Final = frozenset({"duetime-job-id", "duetime-attempt", "duetime-nominal", "idempotency-key"})
"""Headers that only Duetime sets."""
TOPIC: Final = r"^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$"

Part = Literal["key", "value", "headers"]
Partition = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Headers = dict[str, str] | list[tuple[str, str]]


class Record(Struct, frozen=True):
    """What is published: bytes, as Kafka has them. A record without a value is a tombstone."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    partition: int | None


class Envelope(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A message that is a whole record, for targets with `envelope`."""

    value: Any = None
    key: str | None = None
    headers: Headers = {}
    partition: Partition | None = None
    base64: tuple[Part, ...] = ()


class KafkaTarget(TargetKind, frozen=True, tag="kafka"):
    """A record on a topic of a Kafka cluster. Without a `value`, the job's message is the value."""

    topic: Annotated[str, Meta(pattern=TOPIC, examples=["orders"])]
    cluster: Annotated[str, Meta(min_length=1, max_length=63, description="A cluster that the operator has named.")] = (
        "default"
    )
    key: Annotated[str, Meta(description="Records with the same key go to the same partition.")] | None = None
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    partition: Annotated[Partition, Meta(description="Instead of the partition that the key chooses.")] | None = None
    value: Annotated[str, Meta(max_length=262_144)] | None = None
    base64: Annotated[
        tuple[Part, ...], Meta(description="The parts that are given in base64, for bytes that are not text.")
    ] = ()
    envelope: Annotated[
        bool,
        Meta(
            description="The message is an object with the record's `value`, `key`, `headers`, `partition` and "
            "`base64`. Jobs that differ only in these share one definition."
        ),
    ] = False

    def check(self) -> None:
        """Raise `Invalid`, with the field, if this cannot be a record."""
        if self.envelope:
            own = {"key": self.key, "partition": self.partition, "value": self.value, "base64": self.base64 or None}
            given = [name for name, value in own.items() if value is not None]
            if given:
                raise Invalid(
                    f"With 'envelope' the message gives the record's {given[0]}: leave '{given[0]}' out.",
                    field=f"target.{given[0]}",
                )
        _bytes(self.key, "key", self.base64)
        _bytes(self.value, "value", self.base64)
        _headers(self.headers, self.base64)

    def check_message(self, message: str) -> None:
        """Raise `Invalid` if no record can be made of a message."""
        self.record(message)

    def check_rules(self, rules: TargetRules, username: str) -> None:
        """Raise `Invalid` unless the operator lets this user publish to this topic."""
        topics = rules.topics.get(self.cluster)
        if topics is None:
            known = ", ".join(sorted(rules.topics)) or "none"
            raise Invalid(
                f"There is no Kafka cluster '{self.cluster}'. Clusters that the operator has named: {known}.",
                field="target.cluster",
            )
        allowed = (*topics.get(username, ()), *topics.get("*", ()))
        if not any(fnmatchcase(self.topic, pattern) for pattern in allowed):
            raise Invalid(
                f"You may not publish to the topic '{self.topic}' of the cluster '{self.cluster}'. "
                f"Topics that the operator allows you: {', '.join(allowed) or 'none'}.",
                field="target.topic",
            )

    def breaker_key(self) -> str:
        """Returns the cluster."""
        return f"kafka://{self.cluster}"

    def record(self, message: str) -> Record:
        """Returns the record for a stored message, without the headers that Duetime adds. Raises `Invalid`."""
        if self.envelope:
            return self._enveloped(message)
        text, is_json = (self.value, False) if self.value is not None else message_sent(message)
        headers = _headers(self.headers, self.base64)
        if is_json and not any(name.lower() == "content-type" for name, _ in headers):
            headers = (*headers, ("content-type", b"application/json"))
        value = _bytes(text, "value", self.base64)
        return Record(self.topic, _bytes(self.key, "key", self.base64), value, headers, self.partition)

    def _enveloped(self, message: str) -> Record:
        given = _decoded(without_trace(message).removeprefix(MARK))
        value = given.value if given.value is None or isinstance(given.value, str) else _json(given.value)
        headers = (*_headers(self.headers, ()), *_headers(given.headers, given.base64))
        return Record(
            self.topic,
            _bytes(given.key, "key", given.base64),
            _bytes(value, "value", given.base64),
            headers,
            given.partition,
        )


class KafkaAnswer(AnswerKind, frozen=True, tag="kafka"):
    """Where the record is."""

    topic: str
    partition: int
    offset: int

    def output(self) -> dict[str, str | int]:
        """Returns where the record is."""
        return {"topic": self.topic, "partition": self.partition, "offset": self.offset}

    def summary(self) -> str:
        """Returns topic, partition and offset."""
        return f"{self.topic}/{self.partition}@{self.offset}"


_envelope = msgspec.json.Decoder(Envelope)


def _decoded(text: str) -> Envelope:
    try:
        return _envelope.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Invalid(
            f"The target has 'envelope', so 'message' must be an object with the record's value, key, headers, "
            f"partition and base64: {error}.",
            field="message",
        ) from None


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _bytes(text: str | None, part: Part, encoded: tuple[Part, ...]) -> bytes | None:
    if text is None:
        return None
    try:
        found = b64decode(text, validate=True) if part in encoded else text.encode()
    except (binascii.Error, ValueError):
        wrong = "is not base64, as 'base64' says" if part in encoded else "has characters that are not Unicode text"
        raise Invalid(f"The record's {part} {wrong}.", field=f"target.{part}") from None
    if part == "key" and len(found) > MAX_KEY_BYTES:
        raise Invalid(f"The record's key may have at most {MAX_KEY_BYTES} bytes.", field="target.key")
    return found


def _headers(given: Headers, encoded: tuple[Part, ...]) -> tuple[tuple[str, bytes], ...]:
    if not given:
        return ()
    pairs = given.items() if isinstance(given, dict) else given
    found: list[tuple[str, bytes]] = []
    size = 0
    for name, text in pairs:
        if not name or _NOT_IN_NAME.search(name):
            raise Invalid("A header's name must have characters, and no control characters.", field="target.headers")
        if name.lower() in OUR_HEADERS:
            raise Invalid(f"The header '{name}' is set by Duetime and cannot be given.", field="target.headers")
        value = _bytes(text, "headers", encoded) or b""
        found.append((name, value))
        size += len(name) + len(value)
    if len(found) > MAX_HEADERS or size > MAX_HEADER_BYTES:
        raise Invalid(
            f"A record may have at most {MAX_HEADERS} headers with {MAX_HEADER_BYTES} bytes together, "
            f"and this one has {len(found)} with {size}.",
            field="target.headers",
        )
    return tuple(found)


_NOT_IN_NAME = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
