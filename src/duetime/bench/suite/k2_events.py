"""K2: what the publication of every end to a topic costs the drain of due jobs."""

from __future__ import annotations

import os

import msgspec

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench, Skipped
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same
from duetime.bench.suite.k1_kafka import BROKER, create_topic

NAME = "k2"
TITLE = "Drain of due jobs, with and without ends on a topic"


async def run(bench: Bench) -> None:
    """Alternates between no events and every end."""
    servers = os.environ.get(BROKER)
    if not servers:
        raise Skipped(f"{BROKER} names no broker: start one with .ci/kafka-broker DIRECTORY PORT CONTROLLER_PORT.")
    topic, count = create_topic(servers, "events"), bench.size(200_000, 6_000)
    clusters = msgspec.json.encode({"default": {"servers": [servers]}}).decode()
    with_kafka = ("--set", f"kafka.clusters={clusters}")
    ways = {"off": (), "on": ("--set", "events.cluster=default", "--set", f"events.topic={topic}")}
    async with bench.server(*API_ONLY, *with_kafka) as server, admin_of(server) as api:
        for _ in bench.each_round():
            rates: dict[str, float] = {}
            for name, more in ways.items():
                found = await drain_jobs(bench, server, api, count, lambda: feed_same(api, count), *with_kafka, *more)
                rates[name] = found.rate
                bench.rate(f"events {name}", found.rate)
            bench.figure("on / off", rates["on"] / rates["off"], "×", "higher")
    bench.note(f"{count:,} jobs per round and way, target log, one process; the broker runs on the same cores.")
