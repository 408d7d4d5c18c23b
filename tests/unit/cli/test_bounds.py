"""Help and server agree: what an option states as its bounds and its default is what the API accepts and assumes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from typer.main import get_command

from duetime.api.activity.routes import PlannedQuery
from duetime.api.dead_letters.bodies import DeadLettersFilter, RedriveManyBody
from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.lanes.bodies import LanesQuery
from duetime.api.schedules.bodies import PreviewQuery, ScheduleBody
from duetime.api.schedules.parse import parse_schedule
from duetime.api.users.bodies import UserPatch
from duetime.api.users.parse import parse_user_patch
from duetime.cli.main import app
from duetime.config import Config
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.job import DEFAULT_PRIORITY
from duetime.model.policy import Policy
from duetime.model.schedule import Misfire
from duetime.model.targets.http import HttpTarget
from duetime.timing.durations import parse_duration

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def job(**fields: Any) -> None:
    parser = JobParser(UserId(1), NOW, 1000)
    parser.parse(msgspec.convert({"message": "m", **fields}, JobBody))


def schedule(**fields: Any) -> None:
    body = msgspec.convert({"name": "n", "every": "1d", **fields}, ScheduleBody)
    parse_schedule(body, user_id=1, now=NOW, max_message_bytes=1000)


def user(**fields: Any) -> None:
    parse_user_patch(msgspec.convert(fields, UserPatch))


SENT: dict[str, Callable[[Any], object]] = {
    "--priority": lambda n: job(priority=n),
    "--retry-attempts": lambda n: job(retry={"max_attempts": n}),
    "--follow-redirects": lambda n: job(target={"kind": "http", "url": "https://a.example", "follow_redirects": n}),
    "--kafka-partition": lambda n: job(target={"kind": "kafka", "topic": "a", "partition": n}),
    "--limit-concurrency": lambda n: job(limit={"max_concurrency": n}),
    "--max-occurrences": lambda n: schedule(max_occurrences=n),
    "--count": lambda n: msgspec.convert({"n": n}, PreviewQuery),
    "--per-second": lambda n: msgspec.convert({"per_second": n}, RedriveManyBody),
    "--definition": lambda n: msgspec.convert({"definition_id": n}, DeadLettersFilter),
    "--weight": lambda n: user(job_weight=n),
    "weight": lambda n: user(job_weight=n),
    "--max-concurrency": lambda n: user(limits={"max_concurrency": n}),
    "--burst": lambda n: user(limits={"rate": 1, "burst": n}),
    "--quota-pending": lambda n: user(quotas={"pending_jobs": n}),
    "--quota-schedules": lambda n: user(quotas={"schedules": n}),
    "--quota-bytes": lambda n: user(quotas={"stored_bytes": n}),
    "--quota-calendars": lambda n: user(quotas={"calendars": n}),
    "--quota-dates": lambda n: user(quotas={"calendar_dates": n}),
    "--quota-definitions": lambda n: user(quotas={"definitions": n}),
    "--quota-payload": lambda n: user(quotas={"payload_bytes": n}),
    "--quota-requests": lambda n: user(quotas={"requests_per_second": n}),
    "--minutes": lambda n: msgspec.convert({"minutes": n}, PlannedQuery),
    "lanes list --limit": lambda n: msgspec.convert({"limit": n}, LanesQuery),
}
"""What the server does with a number. By command and option where an option's name alone is not enough."""
OWN = {"--limit", "--attempt", "--job", "--rounds", "--schedule", "--processes", "--slots"}
"""Numbers that the command line uses itself, and ids."""


def parameters(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for one in command.params:
        yield f"{' '.join(path)} {one.opts[0]}", one
    for name, below in getattr(command, "commands", {}).items():
        yield from parameters(below, (*path, name))


ALL = dict(parameters(get_command(app)))
# Older releases of typer keep the bounds in the type of a parameter.
RANGES = {name: one if hasattr(one, "min") else one.type for name, one in ALL.items()}
BOUNDED = {name: one for name, one in RANGES.items() if getattr(one, "min", None) is not None}


def accepts(send: Callable[[Any], object], value: Any) -> bool:
    try:
        send(value)
    except (Invalid, msgspec.ValidationError):
        return False
    return True


@pytest.mark.parametrize("name", BOUNDED)
def test_the_server_accepts_what_an_option_accepts_and_no_more(name: str) -> None:
    option = name.split()[-1]
    send = SENT.get(name) or SENT.get(option)
    if send is None:
        assert option in OWN, f"{name} states bounds: say here what the server does with it"
        return
    kind = BOUNDED[name]
    step = 1 if isinstance(kind.min, int) else kind.min / 2
    assert (accepts(send, kind.min), accepts(send, kind.max)) == (True, True)
    assert (accepts(send, kind.min - step), accepts(send, kind.max + 1)) == (False, False)


def test_the_table_has_no_option_that_is_none() -> None:
    known = {*BOUNDED, *(name.split()[-1] for name in BOUNDED)}
    assert SENT.keys() - known == set()


DEFAULTS: dict[str, object] = {
    "--priority": DEFAULT_PRIORITY,
    "--retry-attempts": Policy().retry.max_attempts,
    "--timeout": Policy().timeout,
    "--delivery": Policy().delivery,
    "--on-failure": Policy().on_failure,
    "--method": HttpTarget("https://a.example").method,
    "--follow-redirects": HttpTarget("https://a.example").follow_redirects,
    "--misfire": Misfire().policy,
    "--overlap": "skip",
    **{f"--{name.replace('_', '-')}": getattr(Config(), name) for name in ("host", "port", "processes", "slots")},
    **{f"--{name.replace('_', '-')}": getattr(Config(), name) for name in ("signup", "log_level", "log_format")},
    "--grace": Config().grace,
    "--data": Config().data,
    "--roles": ",".join(Config().roles),
    "--server": "http://127.0.0.1:8080",
}


@pytest.mark.parametrize("name", [name for name in ALL if name.split()[-1] in DEFAULTS])
def test_the_default_that_help_states_is_the_default(name: str) -> None:
    stated = re.search(r"Default: ([^ ]+?)[.,]?(?: |$)", ALL[name].help or "")
    default = DEFAULTS[name.split()[-1]]
    if stated is None or name in ("scheduler --port", "executor --port"):
        return
    if isinstance(default, float):
        assert parse_duration(stated[1]).total_seconds() == default
    else:
        assert stated[1].removeprefix("./") == str(default)


@pytest.mark.parametrize("path", ["jobs create", "jobs edit", "schedules create", "dead-letters redrive"])
def test_the_longest_timeout_is_that_of_the_server(path: str) -> None:
    stated = re.search(r"at most (\w+)\.", ALL[f"{path} --timeout"].help)
    assert stated is not None
    assert accepts(lambda given: job(timeout=given), stated[1])
    assert not accepts(lambda given: job(timeout=given), f"{stated[1]}1s")
