"""The record of a traced job has its span as a header, unless it has one already. Another job's has none."""

from __future__ import annotations

from typing import Any

from duetime.executor.targets.kafka.runner import KafkaAccess, KafkaRunner
from duetime.model.message import with_trace
from duetime.model.targets.kafka import KafkaTarget, Record
from duetime.model.targets.port import TargetRules
from integration.executor.local_server import run_of

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
RULES = TargetRules(topics={"default": {"*": ("*",)}})


class Sent:
    """Keeps records in place of a producer."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def send(self, record: Record, token: Any) -> None:
        self.records.append(record)

    async def close(self) -> None:
        pass


async def published(target: KafkaTarget, message: str) -> dict[str, bytes]:
    async def username(user_id: int) -> str:
        return "ada"

    sent = Sent()
    runner = KafkaRunner(KafkaAccess(RULES, lambda name, delivered: sent, username))
    runner._names[3] = "ada"
    runner.send([run_of(target, message)])
    (record,) = sent.records
    assert record.value == b"hello"
    return dict(record.headers)


async def test_a_traced_record_has_its_span() -> None:
    target = KafkaTarget("orders", "default")
    assert "traceparent" not in await published(target, "hello")
    assert (await published(target, with_trace("hello", PARENT)))["traceparent"] == PARENT.encode()
    own = KafkaTarget("orders", "default", headers={"Traceparent": "own"})
    headers = await published(own, with_trace("hello", PARENT))
    assert headers["Traceparent"] == b"own"
    assert "traceparent" not in headers
