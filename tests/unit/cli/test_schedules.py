"""The commands around schedules: what they ask of the server."""

from __future__ import annotations

import pytest

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
    api.on(f"GET {SCHEDULES}", ok([SCHEDULE], next_cursor=None)).on(f"PATCH {SCHEDULES}/7", ok(SCHEDULE))
    assert cli("schedules", "edit", "one", "--every", "1h", "--without", "cron", "--without", "key").code == 0
    assert api.seen[1].json == {"every": "1h", "cron": None, "ordering_key": None}
    ran = cli("schedules", "edit", 7, "--key", "k", "--without", "key")
    assert (ran.code, ran.err) == (2, "Error: --without key removes what another option sets: give one of them.\n")


VERBS = [("show",), ("pause",), ("resume",), ("delete", "--yes"), ("run-now",), ("preview",), ("history",)]
VERBS += [("edit", "--every", "1h"), ("backfill", "--from", "2020-01-01", "--to", "2020-01-02", "--dry-run")]


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_a_schedule_is_named_by_its_name_or_its_id(cli: Cli, api: ScriptedApi, words: tuple[str, ...]) -> None:
    """A name comes before an id, and part of a name is no name."""
    named_as_an_id = {**SCHEDULE, "id": 8, "name": "7"}
    api.on(f"GET {SCHEDULES}", ok([{**SCHEDULE, "id": 9, "name": "one more"}, SCHEDULE], next_cursor=None))
    verb, *options = words
    assert cli("schedules", verb, "nobody", *options).code == 3
    cli("schedules", verb, "one", *options)
    assert verb == "show" or api.seen[-1].path.startswith(f"{SCHEDULES}/7")
    assert api.seen[-2 if verb != "show" else -1].query["q"] == "one"
    cli("schedules", verb, "12", *options)
    below = "/history" if verb == "history" else ""
    assert api.seen[-1].path == f"{SCHEDULES}/12{below}", "there is no name 12, so it is an id"
    api.on(f"GET {SCHEDULES}", ok([named_as_an_id], next_cursor=None))
    cli("schedules", verb, "7", *options)
    assert verb == "show" or api.seen[-1].path.startswith(f"{SCHEDULES}/8")
