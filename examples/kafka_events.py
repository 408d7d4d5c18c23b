"""Writes a record for a source with `form = "event"`, as programs for existing Kafka schedulers do.

    pip install confluent-kafka
    python examples/kafka_events.py 127.0.0.1:9092 events orders "order 7 expires" 60

Duetime reads the topic `events` and publishes the text to the topic `orders` after 60 seconds. A second record with the
same key replaces the first while it waits, and one without a value cancels it.
"""

from __future__ import annotations

import sys
import time

from confluent_kafka import Producer


def main(servers: str, source: str, target: str, text: str, seconds: str) -> None:
    """Write one record, and wait until it is there."""
    producer = Producer({"bootstrap.servers": servers, "acks": "all"})
    headers = {
        "scheduler-epoch": str(int(time.time()) + int(seconds)),
        "scheduler-target-topic": target,
        "scheduler-target-key": "customer-7",
    }
    producer.produce(source, text, key="order-7", headers=list(headers.items()))
    left = producer.flush(30)
    print("not delivered" if left else f"'{text}' appears on {target} in {seconds} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
