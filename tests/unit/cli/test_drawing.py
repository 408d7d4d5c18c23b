"""A workflow as lines of text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from duetime.cli.workflows.drawing import drawn
from duetime.client import StepDependency, WorkflowStep

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def step(ref: str, status: str, *parents: StepDependency, reason: str | None = None, join: str = "all") -> WorkflowStep:
    ended = NOW + timedelta(seconds=1.5) if status == "succeeded" else None
    return WorkflowStep(ref, 1, status, list(parents), join, 1, NOW, NOW, ended, reason)


def test_steps_come_after_those_that_they_wait_for() -> None:
    after = StepDependency
    lines = list(
        drawn(
            [
                step("load", "suspended", after("orders"), after("users")),
                step("extract", "succeeded"),
                step("orders", "succeeded", after("extract")),
                step("users", "running", after("extract")),
                step("alarm", "skipped", after("load", "failure"), after("users", "done"), join="any", reason="why"),
            ]
        )
    )
    assert lines == [
        "✓ extract      succeeded  1.5 s",
        "✓ └ orders     succeeded  1.5 s  after extract",
        "▶ └ users      running    after extract",
        "…   └ load     suspended  after orders, users",
        "-     └ alarm  skipped    after any of load (failure), users (done)  why",
    ]


def test_an_empty_and_a_long_list() -> None:
    assert list(drawn([])) == []
    many = [step(f"p{n}", "succeeded") for n in range(7)]
    last = list(drawn([*many, step("z", "created", *(StepDependency(one.ref) for one in many))]))[-1]
    assert last.endswith("after p0, p1, p2, p3, p4 and 2 more")
