"""Failpoints: reading the rules, and what each action does at the call that it names."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from duetime.clock.manual import ManualClock
from duetime.model.errors import ConfigError, StoreAway
from duetime.wiring import failpoints
from duetime.wiring.failpoint_rules import FailpointRule, parse_rules
from harness.engine import Engine
from harness.process import DuetimeProcess, duetime_directory
from harness.waiting import eventually

KNOWN = ("launch.launch", "settle.finish", "coordinator.renew")


class Verbs:
    """A part with verbs, which counts its calls."""

    def __init__(self) -> None:
        self.done = 0

    async def launch(self, items: list[int]) -> list[int]:
        self.done += 1
        return items[1:]

    async def other(self) -> int:
        return 1

    def send(self, items: list[int]) -> None:
        self.done += 1

    def room(self) -> int:
        return 3


def armed(text: str, clock: ManualClock | None = None) -> tuple[Verbs, Verbs]:
    """The part itself, and the same with failpoints."""
    part = Verbs()
    points = failpoints.Failpoints(text, clock or ManualClock())
    wrapped = points.wrap("x", part, plain=("send",))
    points.ready()
    return part, wrapped


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("launch.launch:after:crash@3", FailpointRule("launch.launch", "after", "crash", 5.0, 3, 3)),
        ("settle.finish:before:error", FailpointRule("settle.finish", "before", "error", 5.0, 1, None)),
        ("settle.finish:before:error@2+", FailpointRule("settle.finish", "before", "error", 5.0, 2, None)),
        ("settle.finish:before:error@2-4", FailpointRule("settle.finish", "before", "error", 5.0, 2, 4)),
        ("coordinator.renew:before:block=1.5@1", FailpointRule("coordinator.renew", "before", "block", 1.5, 1, 1)),
    ],
)
def test_rules_are_read(text: str, rule: FailpointRule) -> None:
    assert parse_rules(text, KNOWN) == {rule.name: [rule]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("launch.lanch:after:crash", "Did you mean launch.launch?"),
        ("nothing.like_it:after:crash", "The failpoints are: coordinator.renew, launch.launch, settle.finish."),
        ("launch.launch:after:explode", "it must be crash or error or sleep or busy or block or shortfall"),
        ("launch.launch:during:crash", "it must be before or after"),
        ("launch.launch", "not of the form"),
        ("launch.launch:after:crash@x", "not of the form"),
    ],
)
def test_what_is_not_there_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_rules(text, KNOWN)
    assert said in refused.value.message


async def test_an_error_before_means_not_done_and_after_means_done_and_not_told() -> None:
    part, wrapped = armed("x.launch:before:error@1,x.launch:after:error@2")
    with pytest.raises(StoreAway):
        await wrapped.launch([1, 2])
    assert part.done == 0
    with pytest.raises(StoreAway):
        await wrapped.launch([1, 2])
    assert part.done == 1
    assert await wrapped.launch([1, 2]) == [2]


async def test_a_sleep_is_slept_on_the_clock() -> None:
    clock = ManualClock()
    part, wrapped = armed("x.launch:before:sleep=7@1", clock)
    under_way = asyncio.ensure_future(wrapped.launch([1]))
    await eventually(lambda: clock.next_waiter is not None)
    assert part.done == 0
    clock.advance(7.0)
    assert await under_way == []


def test_a_plain_function_is_wrapped_where_it_is_named_and_others_pass() -> None:
    part, wrapped = armed("x.send:before:error@1")
    with pytest.raises(StoreAway):
        wrapped.send([1])
    wrapped.send([1])
    assert (part.done, wrapped.room()) == (1, 3)


async def test_a_file_arms_a_running_node_and_counts_anew(tmp_path: Path) -> None:
    file = tmp_path / "points"
    file.write_text("")
    part, wrapped = armed(f"file:{file}")
    await wrapped.launch([1])
    file.write_text("x.launch:before:error@2")
    await wrapped.launch([1])
    with pytest.raises(StoreAway):
        await wrapped.launch([1])
    assert part.done == 2


async def test_a_shortfall_is_said_only_where_less_was_done_than_asked() -> None:
    _, wrapped = armed("x.launch:after:shortfall,x.other:after:shortfall")
    with capture_logs() as logs:
        await wrapped.launch([])
        await wrapped.other()
        await wrapped.launch([1, 2, 3])
    assert [(line["point"], line["given"], line["done"]) for line in logs] == [("x.launch", 3, 2)]


def test_without_the_variable_nothing_is_wrapped() -> None:
    assert failpoints.armed_failpoints({}, ManualClock(datetime(2026, 1, 1, tzinfo=UTC))) is None
    assert failpoints.armed_failpoints({"DUETIME_FAILPOINTS": ""}, ManualClock()) is None


async def test_every_verb_of_every_port_is_a_failpoint(engine: Engine) -> None:
    points = failpoints.Failpoints("nobody.home:before:crash", engine.clock)
    points.wrap("coordinator", engine.coordinator)
    points.stores(engine.stores)
    points.slots(engine.bus)
    with pytest.raises(ConfigError) as refused:
        points.ready()
    verbs = ("submit.submit_once", "launch.launch", "settle.retry", "mint.mint", "coordinator.acquire")
    for name in (*verbs, "executor.start"):
        assert name in refused.value.message


def test_a_node_refuses_a_failpoint_that_there_is_not(dsn: str) -> None:
    with duetime_directory() as directory:
        node = DuetimeProcess(
            directory / "data", ("--database", dsn), {"DUETIME_FAILPOINTS": "launch.lunch:after:crash"}
        )
        node.launch()
        try:
            assert node.wait() != 0
            assert "Did you mean launch.launch?" in node.output
        finally:
            node.clean_up()
