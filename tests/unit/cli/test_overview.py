"""The commands that show whether jobs are on time."""

from __future__ import annotations

from typing import Any

import pytest

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, ok

ENDS = ("succeeded", "failed", "dead", "cancelled", "skipped", "lost", "missed")


def seen(p99: float | None = 8.4, oldest: str | None = None) -> dict[str, Any]:
    launched = 0 if p99 is None else 120
    return {
        "now": "2030-01-31T09:00:00Z",
        "window": "1h",
        "lateness": {"p50_ms": p99, "p99_ms": p99, "worst_ms": p99, "budget_ms": 1000.0, "launched": launched},
        "counts": {"launched": launched, **dict.fromkeys(ENDS, 2)},
        "waiting": {"overdue": 3, "oldest_due_at": oldest, "held": 7, "oldest_held_at": None},
        "running": 4,
        "queued": 0,
        "jobs": {"dead": 5},
        "needs": {"dead_letters": 5, "blocked_lanes": 1, "broken_hosts": 0, "missed": 0, "lost": 0},
    }


@pytest.mark.parametrize(
    ("p99", "oldest", "says"),
    [
        (8.4, None, "On time: 120 launched within 1h."),
        (2400.0, None, "Late: p99 is above the budget of 1000 ms."),
        (8.4, "2030-01-31T08:59:00Z", "Late: jobs are due and not launched."),
        (None, None, "Quiet: nothing was launched within 1h."),
    ],
)
def test_the_overview_begins_with_a_verdict(
    cli: Cli, api: ScriptedApi, p99: float | None, oldest: str | None, says: str
) -> None:
    api.on("GET /api/v1/me/overview", ok(seen(p99, oldest)))
    lines = cli("overview").out.splitlines()
    assert lines[0] == says
    assert "held back            7" in lines
    assert "dead letters         5" in lines


def test_the_overview_of_everyone_and_of_another_window(cli: Cli, api: ScriptedApi) -> None:
    api.on("GET /api/v1/cluster/overview", ok(seen()))
    assert cli("overview", "--everyone", "--window", "24h", "--json").lines[0]["lateness"]["p99_ms"] == 8.4
    assert api.seen[-1].query == {"window": "24h"}


def test_planned_runs_and_how_many_more(cli: Cli, api: ScriptedApi) -> None:
    run = {"at": "2030-01-31T09:10:00Z", "user_id": 1, "job_id": None, "schedule_id": 7, "schedule": "often"}
    found = {"start": "2030-01-31T09:00:00Z", "counts": [31], "total": 31, "complete": False, "next": [run]}
    api.on("GET /api/v1/me/planned", ok(found))
    out = cli("planned", "--minutes", "30").out
    assert "often" in out
    assert "These are the first of at least 31 runs within 30 minutes." in out
    api.on("GET /api/v1/me/planned", ok(found | {"total": 0, "next": []}))
    assert cli("planned").out == "Nothing is planned for the next 60 minutes.\n"


def test_shares_beside_weights(cli: Cli, api: ScriptedApi) -> None:
    share = {
        "user_id": 3,
        "username": "ada",
        "job_weight": 2.0,
        "weight_part": 0.5,
        "launched": 9,
        "launched_part": 1.0,
    }
    api.on(
        "GET /api/v1/cluster/shares",
        ok({"now": "2030-01-31T09:00:00Z", "window": "1h", "launched": 9, "users": [share]}),
    )
    assert cli("cluster", "shares").out.splitlines()[1].split() == ["3", "ada", "2", "50.0%", "9", "100.0%"]
