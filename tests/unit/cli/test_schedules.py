"""The commands around schedules: what they ask of the server."""

from __future__ import annotations

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, ok

SCHEDULES = "/api/v1/me/schedules"
SCHEDULE = {"id": 7, "name": "one", "state": "active"}


def test_everything_that_can_be_said_about_a_job_can_be_said_about_its_schedule(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"POST {SCHEDULES}", ok(SCHEDULE))
    ran = cli(
        *("schedules", "create", "one", "--every", "1h", "--anchor", "2030-01-01T00:00:00Z", "--expires-after", "5m"),
        *("--retry-attempts", 2, "--delivery", "at_most_once", "--on-failure", "skip", "--no-breaker"),
        *("--limit-concurrency", 3, "--rate", "10/minute"),
    )
    assert (ran.code, ran.out) == (0, "Created schedule 7 'one': active.\n")
    assert api.seen[0].json == {
        "name": "one",
        "every": "1h",
        "anchor": "2030-01-01T00:00:00Z",
        "expires_after": "5m",
        "retry": {"max_attempts": 2},
        "delivery": "at_most_once",
        "on_failure": "skip",
        "breaker": False,
        "limit": {"max_concurrency": 3, "rate": 10.0, "per": "minute"},
    }


def test_editing_takes_away_too(cli: Cli, api: ScriptedApi) -> None:
    api.on(f"PATCH {SCHEDULES}/7", ok(SCHEDULE))
    assert cli("schedules", "edit", 7, "--every", "1h", "--without", "cron", "--without", "key").code == 0
    assert api.seen[0].json == {"every": "1h", "cron": None, "ordering_key": None}
    ran = cli("schedules", "edit", 7, "--key", "k", "--without", "key")
    assert (ran.code, ran.err) == (2, "Error: --without key removes what another option sets: give one of them.\n")
