"""K1: records published at their instants, against the same drain with the target `log`."""

from __future__ import annotations

import os

import msgspec

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench, Skipped
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same

NAME = "k1"
TITLE = "Drain of due jobs (targets log and kafka)"
BROKER = "BENCH_KAFKA"
"""The variable with the address of a broker, such as 127.0.0.1:9092."""
PARTITIONS = 4


async def run(bench: Bench) -> None:
    """Alternates between the two targets."""
    servers = os.environ.get(BROKER)
    if not servers:
        raise Skipped(f"{BROKER} names no broker: start one with .ci/kafka-broker DIRECTORY PORT CONTROLLER_PORT.")
    topic, count = create_topic(servers, "records"), bench.size(200_000, 6_000)
    clusters = msgspec.json.encode({"default": {"servers": [servers], "topics": {"*": ["*"]}}}).decode()
    with_kafka = ("--set", f"kafka.clusters={clusters}")
    targets = {"log": None, "kafka": {"kind": "kafka", "topic": topic}}
    async with bench.server(*API_ONLY, *with_kafka) as server, admin_of(server) as api:
        for _ in bench.each_round():
            rates: dict[str, float] = {}
            for kind, target in targets.items():

                async def submit(target: dict[str, str] | None = target) -> None:
                    await feed_same(api, count, **({} if target is None else {"target": target}))

                found = await drain_jobs(bench, server, api, count, submit, *with_kafka)
                rates[kind] = found.rate
                bench.rate(kind, found.rate)
            bench.figure("kafka / log", rates["kafka"] / rates["log"], "", "higher")
    bench.note(f"{count:,} jobs per round and target, one process; the broker runs on the same cores.")


def create_topic(servers: str, name: str) -> str:
    """Creates a topic for this run. Returns its name."""
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cimpl import NewTopic

    topic, admin = f"duetime-bench-{name}-{os.getpid()}", AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(30)
    return topic
