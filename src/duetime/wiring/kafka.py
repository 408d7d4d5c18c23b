"""Builds what uses Kafka from the configuration. Without a configured cluster, the client library is not imported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from duetime.config import Config, ConfigError, KafkaClusterConfig
from duetime.executor.targets.kafka.runner import KafkaAccess, Sender
from duetime.kafka.cluster import Cluster
from duetime.model.states import JobState
from duetime.wiring.target_rules import target_rules

if TYPE_CHECKING:
    from duetime.injection.source import Source
    from duetime.publishing.publisher import EndPublisher
    from duetime.wiring.engine import Engine

PUBLISHER = "kafka"
"""The name of the publisher's subscription to ends."""
_PROTOCOLS = {
    (False, False): "plaintext",
    (True, False): "ssl",
    (False, True): "sasl_plaintext",
    (True, True): "sasl_ssl",
}
"""By whether there is TLS, and whether there is SASL."""


def kafka_access(config: Config, username: Callable[[int], Awaitable[str | None]]) -> KafkaAccess:
    """Returns what the runs of `kafka` targets need."""
    clusters = named_clusters(config)
    if not clusters:
        return KafkaAccess()
    return KafkaAccess(target_rules(config), partial(_sender, clusters), username)


def make_sources(config: Config, engine: Engine) -> list[Source]:
    """Returns the topics that this node reads jobs from. Without any, nothing of it is imported."""
    if not config.injection.kafka or "api" not in config.roles:
        return []
    from duetime.injection.source import Source, SourceSettings

    store, clusters, rules = engine.stores.injection, named_clusters(config), target_rules(config)
    if store is None:
        return []
    return [
        Source(
            SourceSettings(
                name=one.source,
                cluster=clusters[one.cluster],
                topic=one.topic,
                username=one.user,
                form=one.form,
                keys=one.keys,
                start=one.start,
                invalid_topic=f"{one.topic}.invalid" if one.invalid_topic is None else one.invalid_topic or None,
                targets=rules,
                max_message_bytes=config.api.max_message_bytes,
                max_timeout=config.engine.max_timeout,
            ),
            store,
            engine.submit,
            engine.control,
            engine.accounts,
            engine.clock,
        )
        for one in config.injection.kafka
    ]


def make_publisher(config: Config, engine: Engine) -> EndPublisher | None:
    """Returns what publishes ends of jobs, if this node has shards and the configuration asks for it."""
    events, outbox = config.events, engine.stores.outbox
    if events.cluster is None or "scheduler" not in config.roles or outbox is None:
        return None
    from duetime.publishing.publisher import EndPublisher, PublishingSettings

    held = engine.ownership.held
    settings = PublishingSettings(
        cluster=named_clusters(config)[events.cluster],
        source=f"/duetime/{config.cluster}" if config.cluster else "/duetime",
        topic=events.topic or None,
        dead_topic=events.dead_topic or None,
        states=tuple(JobState(one) for one in events.states),
    )
    return EndPublisher(PUBLISHER, settings, outbox, engine.stores.dead, engine.clock, lambda: held[0])


async def end_publishing(config: Config, engine: Engine) -> None:
    """End the subscription of an earlier configuration. Without a publisher its outbox would grow."""
    outbox = engine.stores.outbox
    if config.events.cluster is None and "scheduler" in config.roles and outbox is not None and not config.several:
        await outbox.unsubscribe(PUBLISHER)


def named_clusters(config: Config) -> dict[str, Cluster]:
    """Returns the clusters by name. Raises `ConfigError` if there are some, and no client library."""
    if config.kafka.clusters and find_spec("confluent_kafka") is None:
        raise ConfigError(
            "kafka.clusters is set, but the client library is missing: install 'duetime[kafka]'.", key="kafka.clusters"
        )
    return {name: _cluster(name, one) for name, one in config.kafka.clusters.items()}


def _sender(clusters: Mapping[str, Cluster], name: str, delivered: Callable[[Sequence[Any]], None]) -> Sender:
    from duetime.kafka.producer import RecordProducer

    return RecordProducer[Any](clusters[name], delivered)


def _cluster(name: str, given: KafkaClusterConfig) -> Cluster:
    return Cluster(
        name,
        _connection(name, given),
        linger=given.linger,
        compression=given.compression,
        delivery_timeout=given.delivery_timeout,
        max_record_bytes=given.max_record_bytes,
    )


def _connection(name: str, given: KafkaClusterConfig) -> dict[str, str]:
    """Returns the settings of every client, by librdkafka's names."""
    found = {
        "bootstrap.servers": ",".join(given.servers),
        "client.id": "duetime",
        "security.protocol": _PROTOCOLS[given.tls, given.sasl is not None],
    }
    files = {"ssl.ca.location": given.ca, "ssl.certificate.location": given.cert, "ssl.key.location": given.key}
    for setting, path in files.items():
        if path is not None:
            found[setting] = _readable(name, path)
    if given.sasl is not None:
        found |= _sasl(name, given, given.sasl)
    return found | given.settings


def _sasl(name: str, given: KafkaClusterConfig, mechanism: str) -> dict[str, str]:
    password = given.password or ""
    if given.password_file is not None:
        password = given.password_file.read_text().rstrip("\r\n") if _readable(name, given.password_file) else ""
    if mechanism != "oauthbearer":
        return {
            "sasl.mechanism": mechanism.upper(),
            "sasl.username": given.username or "",
            "sasl.password": password,
        }
    found = {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": given.username or "",
        "sasl.oauthbearer.client.secret": password,
        "sasl.oauthbearer.token.endpoint.url": given.token_url or "",
    }
    return found | ({"sasl.oauthbearer.scope": given.token_scope} if given.token_scope else {})


def _readable(name: str, path: Any) -> str:
    try:
        path.open("rb").close()
    except OSError as error:
        raise ConfigError(
            f"kafka.clusters.{name} names {path}, which cannot be read: {error.strerror}.", key="kafka.clusters"
        ) from None
    return str(path)
