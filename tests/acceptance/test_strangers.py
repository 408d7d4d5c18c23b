"""What strangers can do to a real Duetime: little, and never at the cost of health or of other users."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from harness.calls import JOBS, PASSWORD, Api, calling
from harness.process import DuetimeProcess, duetime_directory, running_duetime
from harness.web import RawConnection, request

USERS = "/api/v1/users"
LOGIN = "/api/v1/auth/login"


def port_of(process: DuetimeProcess) -> int:
    port = urlsplit(process.url).port
    assert port is not None
    return port


@pytest.fixture(scope="module")
def behind_a_proxy() -> Iterator[DuetimeProcess]:
    """A Duetime with a trusted proxy on loopback, which the tests play."""
    with running_duetime("--set", "http.trusted_proxies=127.0.0.0/8", "--set", "http.header_timeout=0.5") as process:
        yield process


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "192.0.2.7"},
        {"Forwarded": "for=192.0.2.7"},
        {"Via": "1.1 proxy"},
        {"Host": "duetime.example"},
    ],
)
async def test_a_proxy_on_this_machine_opens_nothing_to_strangers(anyone: Api, headers: dict[str, str]) -> None:
    body = {"username": "stranger", "password": PASSWORD, "job_weight": 1e6}
    error = (await anyone.post(USERS, body, headers=headers)).error(403, "forbidden")
    assert "this machine only" in error["message"]
    name = "local-" + next(iter(headers)).lower()
    assert (await anyone.post(USERS, {**body, "username": name})).data["job_weight"] == 1e6


async def test_wrong_passwords_behind_a_proxy_count_for_their_own_address(behind_a_proxy: DuetimeProcess) -> None:
    async with calling(behind_a_proxy.url) as anyone:
        admin = {"username": "admin", "password": "a password for the tests"}

        async def login(address: str, **more: Any) -> int:
            return (await anyone.post(LOGIN, admin | more, headers={"X-Forwarded-For": address})).status

        assert await login("192.0.2.1") == 200
        for number in range(5):
            statuses = {await login(f"198.51.100.{number}", password="a wrong one") for _ in range(10)}
            assert statuses == {401}
            assert await login(f"198.51.100.{number}") == 429
        assert await login("203.0.113.9") == 429, "strangers have used up what strangers have"
        assert await login("192.0.2.1") == 200, "a known address is not shut out"
        assert await login("192.0.2.99, 192.0.2.1") == 200, "what the client itself wrote does not count"


async def test_half_requests_end_and_leave_nothing(behind_a_proxy: DuetimeProcess) -> None:
    halves = [RawConnection(port_of(behind_a_proxy)) for _ in range(50)]
    for number, raw in enumerate(halves):
        raw.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" if number % 2 else b"")
    for number, raw in enumerate(halves):
        assert number % 2 == 0 or raw.answer().status == 408
        assert raw.ended()
        raw.close()


def test_health_is_answered_with_few_files_and_many_connections() -> None:
    with ExitStack() as stack:
        directory = stack.enter_context(duetime_directory())
        process = _LimitedProcess(directory / "data")
        stack.callback(process.clean_up)
        process.start()
        held: list[RawConnection] = []
        for _ in range(400):
            held.append(RawConnection(port_of(process)))
            stack.callback(held[-1].close)
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/openapi.json", 503)):
            raw = RawConnection(port_of(process))
            answer = raw.get(path)
            raw.close()
            assert answer.status == status
            assert status == 200 or answer.headers["retry-after"] == "1"
        assert "Too many open files" not in process.output


class _LimitedProcess(DuetimeProcess):
    """A Duetime that may open few files."""

    def launch(self, *more: str, port: int | None = None) -> None:
        def limited(*given: Any, **named: Any) -> Any:
            return popen(*given, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200)), **named)

        popen = subprocess.Popen
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(subprocess, "Popen", limited)
            super().launch(*more, port=port)


async def test_a_page_of_large_jobs_is_short_and_has_a_cursor(ada: Api) -> None:
    ids = await ada.bulk([{"message": "x" * 200_000, "execute_at": "2099-01-01T00:00:00Z"}] * 12)
    page = await ada.get(JOBS, limit="1000")
    assert len(page.body) < 1_300_000
    assert page.json["next_cursor"] is not None
    assert 1 <= len(page.data) < 12
    assert {job["id"] for job in await ada.all_jobs()} == set(ids)


async def test_a_nul_character_is_refused_wherever_it_is(ada: Api) -> None:
    calls = [
        (JOBS, {"message": "a\0"}),
        (f"{JOBS}/bulk", [{"message": "a"}, {"message": "a", "labels": {"b": "\0"}}]),
        ("/api/v1/me/calendars", {"name": "a\0", "dates": ["2030-01-01"]}),
        ("/api/v1/me/schedules", {"name": "a\0", "cron": "0 0 * * *", "message": "m"}),
        ("/api/v1/me/schedules", {"name": "a", "cron": "0 0 * * *", "message": "m", "calendars": ["\0"]}),
        ("/api/v1/preview", {"cron": "0 0 * * *", "calendars": ["\0"]}),
        ("/api/v1/me/dead-letters/redrive", {"filter": {"error": "\0"}}),
    ]
    for path, body in calls:
        reply = await ada.post(path, body)
        assert 400 <= reply.status < 500, (path, reply.body)


def test_two_hosts_are_refused(shared_duetime: DuetimeProcess) -> None:
    raw = RawConnection(port_of(shared_duetime))
    raw.send(request("GET", "/healthz", "Host: localhost", "Host: evil.example"))
    assert raw.answer().status == 400
    raw.close()
