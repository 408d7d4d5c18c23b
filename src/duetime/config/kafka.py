"""The settings of Kafka clusters: their addresses, credentials, and the topics that users may publish to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from duetime.config.masking import masked
from duetime.model.errors import DuetimeError
from duetime.timing.durations import parse_duration

NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,63}")
CLUSTERS: Final = {
    "kind": "kafka_clusters",
    "expected": """a table for each cluster, such as [kafka.clusters.default] with servers = ["kafka-1:9092"], """
    "or the same as JSON",
}
_DURATIONS: Final = ("linger", "delivery_timeout")
_Server = Annotated[str, Meta(pattern=r"^[^\s,:/]+:\d{1,5}$|^\[[0-9a-fA-F:.]+\]:\d{1,5}$")]


class KafkaClusterConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One Kafka cluster."""

    servers: Annotated[tuple[_Server, ...], Meta(min_length=1)]
    """Some of its brokers, each as HOST:PORT. Clients learn of the others from them."""
    topics: dict[str, tuple[str, ...]] = {}
    """By user (`*`: every user) the topics that jobs may publish to, with `*` for any characters. None by default."""
    tls: bool = False
    ca: Path | None = None
    """The certificate authority of the brokers; None means the system's."""
    cert: Path | None = None
    key: Path | None = None
    """With `cert`: this node's certificate and its key, where brokers ask for one."""
    sasl: Literal["plain", "scram-sha-256", "scram-sha-512", "oauthbearer"] | None = None
    username: str | None = None
    """With `sasl = "oauthbearer"`: the client id."""
    password: str | None = None
    """With `sasl = "oauthbearer"`: the client's secret."""
    password_file: Path | None = None
    """A file with the password, instead of `password`."""
    token_url: str | None = None
    """With `sasl = "oauthbearer"`: where tokens are issued (OIDC)."""
    token_scope: str | None = None
    linger: Annotated[float, Meta(ge=0, le=1)] = 0.001
    """How long records wait for others, to be sent together."""
    compression: Literal["none", "lz4", "zstd", "snappy", "gzip"] = "none"
    delivery_timeout: Annotated[float, Meta(ge=1, le=3600)] = 30.0
    """How long the brokers may take to accept a record."""
    max_record_bytes: Annotated[int, Meta(ge=1000, le=1_000_000_000)] = 1_000_000
    """As the brokers allow (`message.max.bytes`)."""
    settings: dict[str, str] = {}
    """Further settings of the client, by librdkafka's names."""

    def __repr__(self) -> str:
        """The settings that are not defaults, with secrets masked."""
        given = [
            f"{name}={masked(name, getattr(self, name))!r}"
            for name, default in zip(self.__struct_fields__, _DEFAULTS, strict=True)
            if getattr(self, name) != default
        ]
        return f"({', '.join(given)})"

    __str__ = __repr__


_DEFAULTS: Final = msgspec.structs.astuple(KafkaClusterConfig(servers=("",)))


class KafkaSourceConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A topic whose records become jobs of a user."""

    topic: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,249}$")]
    user: Annotated[str, Meta(min_length=1)]
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,249}$")] | None = None
    """What offsets are stored under; the topic's name by default. Another name reads the topic from its start."""
    cluster: str = "default"
    form: Literal["job", "event"] = "job"
    """`job`: the value is the body of a new job. `event`: the value is published, as headers say."""
    keys: Literal["replace", "ignore"] = "replace"
    """`replace`: a record replaces the waiting job of its key, and one without a value cancels it."""
    start: Literal["earliest", "latest"] = "earliest"
    """Where a source begins that has no offsets yet."""
    invalid_topic: str | None = None
    """Where records go that are no jobs: TOPIC.invalid by default. Empty: they are dropped."""

    @property
    def source(self) -> str:
        """What offsets are stored under."""
        return self.name or self.topic

    def __str__(self) -> str:
        """The topic and its user."""
        return f"{self.cluster}/{self.topic} for {self.user}"


SOURCES: Final = {
    "kind": "json",
    "expected": """a list such as [[injection.kafka]] with topic = "jobs" and user = "shop", or the same as JSON""",
}


def read_clusters(raw: object) -> object:
    """Returns clusters by their names, from a TOML table or from JSON. Raises `ValueError` with a sentence."""
    tables = _table(raw, "kafka.clusters")
    return {name: _cluster(name, given) for name, given in tables.items()}


def _table(raw: object, what: str) -> dict[str, object]:
    if isinstance(raw, str):
        try:
            raw = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError):
            raise ValueError(f"{what} in text is written in JSON.") from None
    if not isinstance(raw, dict):
        raise ValueError(f"{what} is a table.")  # noqa: TRY004 - the loader's contract
    return cast("dict[str, object]", raw)


def _cluster(name: str, raw: object) -> KafkaClusterConfig:
    if not NAME.fullmatch(name):
        raise ValueError(f"'{name}' is not a name for a cluster: use 1 to 63 letters, digits, dots, hyphens or _.")
    given = _table(raw, f"kafka.clusters.{name}")
    for key in _DURATIONS:
        given = _with_seconds(given, key, name)
    if isinstance(given.get("settings"), Mapping):
        settings = cast("Mapping[str, Any]", given["settings"])
        given = given | {"settings": {key: str(value) for key, value in settings.items()}}
    try:
        cluster = msgspec.convert(
            given, KafkaClusterConfig, strict=False, dec_hook=lambda _, text: Path(text).expanduser()
        )
    except msgspec.ValidationError as error:
        raise ValueError(f"kafka.clusters.{name}: {error}.") from None
    _check(name, cluster)
    return cluster


def _with_seconds(given: dict[str, object], key: str, name: str) -> dict[str, object]:
    text = given.get(key)
    if not isinstance(text, str):
        return given
    try:
        return given | {key: parse_duration(text).total_seconds()}
    except DuetimeError as error:
        raise ValueError(f"kafka.clusters.{name}.{key}: {error.message}") from None


def _check(name: str, cluster: KafkaClusterConfig) -> None:
    """Refuse settings that contradict each other or would have no effect."""
    needs = (
        ("ca", cluster.ca, "tls", cluster.tls),
        ("cert", cluster.cert, "tls", cluster.tls),
        ("cert", cluster.cert, "key", cluster.key),
        ("key", cluster.key, "cert", cluster.cert),
        ("username", cluster.username, "sasl", cluster.sasl),
        ("password", cluster.password, "username", cluster.username),
        ("password_file", cluster.password_file, "username", cluster.username),
        ("sasl", cluster.sasl, "username", cluster.username),
        ("token_scope", cluster.token_scope, "token_url", cluster.token_url),
    )
    for present, value, needed, other in needs:
        if value and not other:
            raise ValueError(f"kafka.clusters.{name}.{present} needs kafka.clusters.{name}.{needed}: set both.")
    if cluster.password and cluster.password_file:
        raise ValueError(f"kafka.clusters.{name} has a password and a password_file: set one of them.")
    if cluster.sasl and not (cluster.password or cluster.password_file):
        raise ValueError(f"kafka.clusters.{name}.sasl needs a password or a password_file.")
    if (cluster.sasl == "oauthbearer") != (cluster.token_url is not None):
        raise ValueError(f"kafka.clusters.{name}: sasl = 'oauthbearer' and token_url belong together: set both.")
