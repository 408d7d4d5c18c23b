"""The options that make a job a record on a Kafka topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.option_values import build_http_target, parse_pairs
from duetime.model.bounds import Bounds

PARTITION = Bounds(0, 2**31 - 1)

KafkaTopic = Annotated[
    str | None, typer.Option(metavar="TOPIC", help="Publish the message as a record on this Kafka topic.")
]
KafkaCluster = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The Kafka cluster, by the name that the operator gave it. Needs --kafka-topic. Default: default.",
    ),
]
KafkaKey = Annotated[str | None, typer.Option(metavar="KEY", help="The record's key. Needs --kafka-topic.")]
KafkaHeader = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME:VALUE", help="A header of the record. Needs --kafka-topic. May be repeated."),
]
KafkaPartition = Annotated[
    int | None, bounded(PARTITION, "The record's partition. Needs --kafka-topic. Default: the key chooses it.")
]

_BESIDE = ("kafka_cluster", "kafka_key", "kafka_header", "kafka_partition")


def build_target(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the target that the options describe: a request or a record; None without --url and --kafka-topic."""
    request, record = build_http_target(given), _record(given)
    if request is not None and record is not None:
        raise typer.BadParameter("Give either --url or --kafka-topic, not both.", param_hint="--kafka-topic")
    return request or record


def _record(given: Mapping[str, Any]) -> dict[str, Any] | None:
    if given["kafka_topic"] is None:
        alone = [f"--{name.replace('_', '-')}" for name in _BESIDE if given[name] not in (None, [])]
        if alone:
            raise typer.BadParameter(f"{alone[0]} needs a --kafka-topic.", param_hint="--kafka-topic")
        return None
    target: dict[str, Any] = {"kind": "kafka", "topic": given["kafka_topic"]}
    if given["kafka_cluster"] is not None:
        target["cluster"] = given["kafka_cluster"]
    if given["kafka_key"] is not None:
        target["key"] = given["kafka_key"]
    if given["kafka_header"]:
        target["headers"] = parse_pairs(given["kafka_header"], ":", "--kafka-header")
    if given["kafka_partition"] is not None:
        target["partition"] = given["kafka_partition"]
    return target
