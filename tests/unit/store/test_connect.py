"""Which host is connected to, and how often it is tried."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs

from duetime.config import load, mask_dsn
from duetime.postgres.connect import LONGEST_PAUSE, Connector, Reach, hosts_of
from duetime.store.postgres.server import few_connections

TWO = "postgresql://me:secret@h1:5433,h2:5434/db?target_session_attrs=read-write"


@pytest.mark.parametrize(
    ("dsn", "hosts"),
    [
        ("postgresql://me@h1/db", ["postgresql://me@h1/db"]),
        ("postgresql://me@/db?host=/run/pg", ["postgresql://me@/db?host=/run/pg"]),
        ("postgresql://me@h1:1,h2:2/db?x=y", ["postgresql://me@h1:1/db?x=y", "postgresql://me@h2:2/db?x=y"]),
        ("postgresql://h1,h2/db", ["postgresql://h1/db", "postgresql://h2/db"]),
        ("postgresql://me@[::1]:1,[::2]:2/db", ["postgresql://me@[::1]:1/db", "postgresql://me@[::2]:2/db"]),
        ("postgresql://a,b@h1,h2/db", ["postgresql://a,b@h1/db", "postgresql://a,b@h2/db"]),
        (
            "postgresql://me@/db?host=/run/a,/run/b&port=1,2",
            ["postgresql://me@/db?host=/run/a&port=1", "postgresql://me@/db?host=/run/b&port=2"],
        ),
        (
            "postgresql://me@/db?host=/run/a,/run/b",
            ["postgresql://me@/db?host=/run/a", "postgresql://me@/db?host=/run/b"],
        ),
    ],
)
def test_a_dsn_is_taken_apart_by_its_hosts(dsn: str, hosts: list[str]) -> None:
    assert hosts_of(dsn) == hosts


def test_a_dsn_with_several_hosts_is_a_setting_and_its_password_is_never_shown() -> None:
    config = load({"database": TWO}, {}, None)
    assert config.database == TWO
    assert "secret" not in mask_dsn(TWO)
    assert "h2:5434" in mask_dsn(TWO)


class Hosts:
    """Hosts that answer as they are told, and what they were asked."""

    def __init__(self, **answers: Exception | None) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def connect(self, dsn: str, **more: Any) -> str:
        name = hosts_of(dsn)[0].split("@")[1].split("/")[0]
        self.asked.append((name, more))
        answer = self.answers[name]
        if answer is not None:
            raise answer
        return name


READ_ONLY = asyncpg.TargetServerAttributeNotMatched("a standby")


async def test_the_first_that_takes_writes_is_chosen_and_is_first_from_then_on() -> None:
    hosts = Hosts(h1=READ_ONLY, h2=None)
    connector = Connector("postgresql://me@h1,h2/db", hosts.connect)
    assert await connector.connect(timeout=5) == "h2"
    assert await connector.connect(timeout=5) == "h2"
    assert [name for name, _ in hosts.asked] == ["h1", "h2", "h2"]
    assert all(more["target_session_attrs"] == "read-write" for _, more in hosts.asked)
    assert all(more["timeout"] < 5 for _, more in hosts.asked), "a dead host would use up the time of the others"


async def test_what_the_dsn_says_about_the_session_counts() -> None:
    hosts = Hosts(h1=None)
    await Connector("postgresql://me@h1/db?target_session_attrs=any", hosts.connect).connect(timeout=5)
    assert hosts.asked == [("h1", {"timeout": 5})]


async def test_while_no_host_answers_most_calls_fail_at_once_and_the_first_success_ends_that() -> None:
    hosts = Hosts(h1=ConnectionRefusedError("no"), h2=ConnectionRefusedError("no"))
    connector = Connector("postgresql://me@h1,h2/db", hosts.connect)
    for _ in range(50):
        with pytest.raises(ConnectionError):
            await connector.connect(timeout=5)
    assert len(hosts.asked) == 2, "every call went to the hosts"
    assert connector.failures == 1
    hosts.answers["h1"] = None
    async with asyncio.timeout(10 * LONGEST_PAUSE):
        while connector.failures:
            try:
                assert await connector.connect(timeout=5) == "h1"
            except ConnectionError:
                await asyncio.sleep(0)
    assert await connector.connect(timeout=5) == "h1"


async def test_what_is_not_about_reaching_the_host_is_not_tried_elsewhere() -> None:
    hosts = Hosts(h1=asyncpg.InvalidPasswordError("no"), h2=None)
    with pytest.raises(asyncpg.InvalidPasswordError):
        await Connector("postgresql://me@h1,h2/db", hosts.connect).connect(timeout=5)
    assert [name for name, _ in hosts.asked] == ["h1"]


async def test_that_a_database_went_away_and_is_back_is_logged_once_for_all_connections() -> None:
    hosts = Hosts(h1=ConnectionRefusedError("no"))
    reach = Reach("postgresql://me:***@h1/db")
    pooled, reserved = (Connector("postgresql://me:x@h1/db", hosts.connect, reach) for _ in range(2))

    async def try_both() -> None:
        for each in (pooled, reserved):
            with suppress(ConnectionError):
                await each.connect(timeout=5)

    with capture_logs() as logs:
        await try_both()
        assert logs == [], "who starts a process sees the error itself"
        hosts.answers["h1"] = None
        async with asyncio.timeout(10 * LONGEST_PAUSE):
            while pooled.failures or reserved.failures:
                await try_both()
                await asyncio.sleep(0)
        assert logs == []
        reach.connected(99.0)
        reach.failed(ConnectionRefusedError("no"), 100.0)
        reach.failed(OSError("no"), 101.0)
        reach.connected(107.25)
        reach.connected(108.0)
    shown = {"database": "postgresql://me:***@h1/db", "log_level": "warning"}
    assert logs == [
        {"event": "the database is away", "why": "no", **shown},
        {"event": "the database is back", "away_seconds": 7.2, **shown},
    ]


def test_a_server_with_few_free_connections_is_reported() -> None:
    assert few_connections(15, 15) is None
    assert "7 free connections, and this node opens up to 15" in (few_connections(7, 15) or "")
