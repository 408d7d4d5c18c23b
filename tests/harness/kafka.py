"""A real Kafka broker for tests, by `.ci/kafka-broker`."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "kafka-broker"
START_SECONDS = 90.0
READ_SECONDS = 30.0
PR_SET_PDEATHSIG = 1


def prepare_broker() -> None:
    """Fetch what a broker needs. Where that cannot be had, tests are skipped with a reason, but never in CI."""
    done = subprocess.run([str(SCRIPT), "--prepare"], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode == 0:
        return
    why = f"A Kafka broker cannot be had here: {done.stderr.strip()[-300:]}"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


class Broker:
    """One broker on loopback; can be killed, paused, and started again on its data."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._ports = _free_ports()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def servers(self) -> str:
        """The address for clients."""
        return f"127.0.0.1:{self._ports[0]}"

    def start(self) -> Broker:
        """Start the broker, and wait until it answers."""
        self._process = subprocess.Popen(
            [str(SCRIPT), str(self._directory), *map(str, self._ports)],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            log = self._directory / "broker.log"
            alive = self._process.poll() is None and time.monotonic() < end
            assert alive, f"the broker did not start:\n{log.read_text()[-2000:] if log.exists() else ''}"
            time.sleep(0.05)
        return self

    def signal(self, number: int) -> None:
        """Send a signal to the broker, and to no other process."""
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, number)

    def stop(self) -> None:
        """End the broker at once."""
        if self._process is not None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGKILL)
            self._process.wait(10)
            self._process = None

    def topic(self, name: str = "", partitions: int = 1, **settings: str) -> str:
        """Create a topic, with a name that no other test has. Returns its name."""
        topic = f"{name or 'topic'}-{token_hex(4)}"
        config = {key.replace("_", "."): value for key, value in settings.items()}
        admin = self.admin()  # it must live until the answer is here
        admin.create_topics([NewTopic(topic, partitions, 1, config=config)])[topic].result(30)
        return topic

    def admin(self) -> AdminClient:
        """A client for topics."""
        return AdminClient({"bootstrap.servers": self.servers})

    def write(self, topic: str, *records: dict[str, Any]) -> None:
        """Publish records, and wait until they are there."""
        producer = Producer({"bootstrap.servers": self.servers, "acks": "all", "linger.ms": 1})
        producer.list_topics(topic, timeout=10)
        for record in records:
            producer.produce(topic, **record)
        assert producer.flush(30) == 0, "some records were not delivered"

    def read(self, topic: str, count: int, seconds: float = READ_SECONDS) -> list[Message]:
        """Returns the first records of a topic, once there are `count` of them, in the order of each partition."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": f"reader-{token_hex(4)}",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 50,
            }
        )
        try:
            partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
            consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
            found: list[Message] = []
            end = time.monotonic() + seconds
            while len(found) < count and time.monotonic() < end:
                one = consumer.poll(0.2)
                if one is not None:
                    assert one.error() is None, one.error()
                    found.append(one)
            assert len(found) >= count, f"only {len(found)} of {count} records came to {topic}"
            return found
        finally:
            consumer.close()

    def end_offsets(self, topic: str) -> list[int]:
        """Returns how many records each partition has had."""
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": "offsets"})
        try:
            partitions = sorted(consumer.list_topics(topic, timeout=10).topics[topic].partitions)
            return [consumer.get_watermark_offsets(TopicPartition(topic, one), timeout=10)[1] for one in partitions]
        finally:
            consumer.close()

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._ports[0]), 0.2).close()
            return bool(self.admin().list_topics(timeout=1).brokers)
        except (OSError, KafkaException):
            return False


@contextmanager
def running_broker() -> Iterator[Broker]:
    """A broker in a directory of its own, ended and removed with the block."""
    prepare_broker()
    directory = Path(tempfile.mkdtemp(prefix="duetime-kafka-"))
    broker = Broker(directory)
    try:
        yield broker.start()
    finally:
        broker.stop()
        shutil.rmtree(directory, ignore_errors=True)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
