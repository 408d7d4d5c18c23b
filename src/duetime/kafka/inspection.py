"""Looks at clusters and topics for people. Blocking calls."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType
from msgspec import Struct

from duetime.kafka.cluster import Cluster

ANSWER_SECONDS = 10.0


class ClusterAway(Exception):
    """The cluster cannot be asked. The text says why."""


class TopicState(Struct, frozen=True):
    """A topic as its brokers know it."""

    partitions: int
    replicas: int
    """Of the partition with the fewest."""
    in_sync: int
    """In-sync replicas of the partition with the fewest."""
    without_leader: int
    """Partitions that can be neither read nor written."""
    min_in_sync: int | None = None
    """`min.insync.replicas`; None where it may not be read."""


class ClusterState(Struct, frozen=True):
    """A cluster that answered."""

    brokers: int
    topics: dict[str, TopicState]


class PartitionLag(Struct, frozen=True):
    """How far a group has read a partition."""

    partition: int
    committed: int | None
    """None where the group has committed nothing."""
    end: int
    lag: int


def cluster_state(cluster: Cluster, topics: list[str]) -> ClusterState:
    """Returns the brokers of a cluster, and those of the topics that exist. Raises `ClusterAway`."""
    admin = AdminClient(dict(cluster.connection))
    try:
        found = admin.list_topics(timeout=ANSWER_SECONDS)
        known = [name for name in topics if name in found.topics]
        least = _min_in_sync(admin, known)
    except KafkaException as error:
        raise ClusterAway(_said(error)) from None
    return ClusterState(len(found.brokers), {name: _state(found.topics[name], least.get(name)) for name in known})


def group_lag(cluster: Cluster, topic: str, group: str) -> list[PartitionLag]:
    """Returns how far a group has read a topic. Raises `ClusterAway`."""
    consumer = Consumer({**cluster.connection, "group.id": group, "enable.auto.commit": False})
    try:
        known = consumer.list_topics(topic, timeout=ANSWER_SECONDS).topics.get(topic)
        if known is None or known.error is not None:
            raise ClusterAway(f"There is no topic '{topic}'.")
        numbers = sorted(known.partitions)
        committed = consumer.committed([TopicPartition(topic, one) for one in numbers], timeout=ANSWER_SECONDS)
        return [_lag(consumer, one) for one in committed]
    except KafkaException as error:
        raise ClusterAway(_said(error)) from None
    finally:
        consumer.close()


def _lag(consumer: Consumer, committed: TopicPartition) -> PartitionLag:
    first, end = consumer.get_watermark_offsets(committed, timeout=ANSWER_SECONDS)
    at = committed.offset if committed.offset >= 0 else None
    return PartitionLag(committed.partition, at, end, end - (first if at is None else at))


def _state(topic: Any, min_in_sync: int | None) -> TopicState:
    parts = list(topic.partitions.values())
    return TopicState(
        partitions=len(parts),
        replicas=min((len(one.replicas) for one in parts), default=0),
        in_sync=min((len(one.isrs) for one in parts), default=0),
        without_leader=sum(one.leader < 0 for one in parts),
        min_in_sync=min_in_sync,
    )


def _min_in_sync(admin: AdminClient, topics: list[str]) -> dict[str, int]:
    """Returns `min.insync.replicas` of the topics whose settings may be read."""
    if not topics:
        return {}
    asked = admin.describe_configs([ConfigResource(ResourceType.TOPIC, name) for name in topics])
    found: dict[str, int] = {}
    for resource, answer in asked.items():
        try:
            found[resource.name] = int(answer.result(ANSWER_SECONDS)["min.insync.replicas"].value)
        except (KafkaException, KeyError, TypeError, ValueError):
            continue
    return found


def _said(error: KafkaException) -> str:
    cause: Any = error.args[0]
    return f"{cause.str()} ({cause.name()})"
