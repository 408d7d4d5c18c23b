"""Which topics the configuration uses, and whether they can serve."""

from __future__ import annotations

from msgspec import Struct

from duetime.config import Config
from duetime.wiring.kafka import named_clusters


class UsedTopic(Struct, frozen=True):
    """A topic that the configuration names, and what for."""

    cluster: str
    topic: str
    purpose: str
    is_created: bool
    """Whether Duetime creates it, with the brokers' defaults, if it does not exist."""


class TopicFinding(Struct, frozen=True):
    """What one check found."""

    ok: bool
    name: str
    text: str


class SourceLag(Struct, frozen=True):
    """How far a source has read one partition of its topic."""

    source: str
    topic: str
    partition: int
    committed: int | None
    end: int
    lag: int


def used_topics(config: Config) -> list[UsedTopic]:
    """Returns the topics that the configuration names. Users' targets may publish to others."""
    found: list[UsedTopic] = []
    for one in config.injection.kafka:
        found.append(UsedTopic(one.cluster, one.topic, f"source '{one.source}'", is_created=False))
        invalid = f"{one.topic}.invalid" if one.invalid_topic is None else one.invalid_topic
        if invalid:
            found.append(UsedTopic(one.cluster, invalid, f"refused records of '{one.source}'", is_created=True))
    events = config.events
    if events.cluster is not None:
        topics = ((events.topic, "ends of jobs"), (events.dead_topic, "dead letters"))
        found += [UsedTopic(events.cluster, topic, purpose, is_created=True) for topic, purpose in topics if topic]
    return found


def check_topics(config: Config) -> list[TopicFinding]:
    """Asks every cluster. Returns what was found, one line for each cluster and topic. Blocks."""
    from duetime.kafka.inspection import ClusterAway, cluster_state

    found: list[TopicFinding] = []
    used = used_topics(config)
    for name, cluster in named_clusters(config).items():
        own = [one for one in used if one.cluster == name]
        try:
            state = cluster_state(cluster, [one.topic for one in own])
        except ClusterAway as error:
            found.append(TopicFinding(ok=False, name=f"cluster {name}", text=f"It does not answer: {error}."))
            continue
        found.append(TopicFinding(ok=True, name=f"cluster {name}", text=f"{state.brokers} brokers"))
        found += [_judged(one, state.topics.get(one.topic)) for one in own]
    return found


def _judged(used: UsedTopic, state: object) -> TopicFinding:
    from duetime.kafka.inspection import TopicState

    name = f"topic {used.topic} ({used.purpose})"
    if not isinstance(state, TopicState):
        text = "It does not exist yet, and will be created." if used.is_created else "It does not exist: create it."
        return TopicFinding(used.is_created, name, text)
    least = f", min.insync.replicas {state.min_in_sync}" if state.min_in_sync is not None else ""
    text = f"{state.partitions} partitions, {state.replicas} replicas, {state.in_sync} in sync{least}"
    if state.without_leader:
        return TopicFinding(ok=False, name=name, text=f"{text}; {state.without_leader} partitions have no leader.")
    if state.min_in_sync is not None and state.in_sync < state.min_in_sync:
        return TopicFinding(ok=False, name=name, text=f"{text}; too few replicas are in sync to write.")
    return TopicFinding(ok=True, name=name, text=text)


def source_lags(config: Config) -> list[SourceLag]:
    """Returns how far each source has read, as its group has committed it. Blocks. Raises `ClusterAway`."""
    from duetime.kafka.inspection import group_lag

    clusters, found = named_clusters(config), list[SourceLag]()
    for one in config.injection.kafka:
        for part in group_lag(clusters[one.cluster], one.topic, f"duetime-{one.source}"):
            found.append(SourceLag(one.source, one.topic, part.partition, part.committed, part.end, part.lag))
    return found
