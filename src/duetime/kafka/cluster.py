"""A Kafka cluster that the operator has named, as clients need it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Cluster(Struct, frozen=True):
    """How clients connect to a cluster, and how they publish."""

    name: str
    connection: Mapping[str, str]
    """Settings of every client, by librdkafka's names. They hold credentials: never log or show them."""
    linger: float = 0.001
    """How many seconds records wait for others, to be sent together."""
    compression: str = "none"
    delivery_timeout: float = 30.0
    """How many seconds the brokers may take to accept a record."""
    max_record_bytes: int = 1_000_000

    def __repr__(self) -> str:
        """Without the connection, which holds credentials."""
        return f"Cluster({self.name!r})"
