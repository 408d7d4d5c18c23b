"""What the errors of Kafka mean for an attempt. Pure."""

from __future__ import annotations

from duetime.model.outcome import Outcome, failed

REFUSED = "refused"
"""The failure that no policy repeats: the next attempt would end the same."""
FINAL = {
    "UNKNOWN_TOPIC_OR_PART": "The topic '{topic}' does not exist.",
    "_UNKNOWN_TOPIC": "The topic '{topic}' does not exist.",
    "_UNKNOWN_PARTITION": "The topic '{topic}' has no partition {partition}.",
    "TOPIC_AUTHORIZATION_FAILED": "The cluster does not let Duetime publish to the topic '{topic}'.",
    "CLUSTER_AUTHORIZATION_FAILED": "The cluster does not let Duetime publish.",
    "MSG_SIZE_TOO_LARGE": "The record is larger than the topic '{topic}' or the cluster's setting allows.",
    "RECORD_LIST_TOO_LARGE": "The record is larger than the topic '{topic}' allows.",
    "INVALID_RECORD": "The topic '{topic}' refuses the record: a compacted topic needs a key.",
    "INVALID_MSG": "The topic '{topic}' refuses the record.",
    "TOPIC_EXCEPTION": "'{topic}' is not a name for a topic.",
    "POLICY_VIOLATION": "A policy of the cluster refuses the record.",
}
AWAY = frozenset({"_TRANSPORT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_TIMED_OUT", "_MSG_TIMED_OUT", "_QUEUE_FULL"})
"""Errors that say that the cluster is away, and not that something is wrong with the record."""


def failure_of(name: str, text: str, *, topic: str, partition: int | None) -> Outcome:
    """Returns the outcome of an attempt whose record was not accepted. `name` is the error's name in librdkafka."""
    if name in FINAL:
        return failed(REFUSED, FINAL[name].format(topic=topic, partition=partition))
    if name in AWAY:
        return failed("connection", f"The Kafka cluster did not accept the record: {text}. It may have been written.")
    return failed("kafka", f"The Kafka cluster did not accept the record: {text} ({name}).")
