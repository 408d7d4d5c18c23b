"""The attacks by name. Add one to `ATTACKS`: it runs in its own process, as one ordinary user, until it is ended."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from bench.attacks.raw import LOST, AttackedServer, hold, repeat, send_for_ever
from bench.hostile_targets import hostile_targets
from duetime.bench.server import PASSWORD

JOBS = "/api/v1/me/jobs"
SCHEDULES = "/api/v1/me/schedules"
MIB = 1024 * 1024
SEVERAL = 4

Attack = Callable[[AttackedServer], Awaitable[object]]


async def _several(server: AttackedServer, first: bytes, repeated: bytes) -> None:
    await asyncio.gather(*(send_for_ever(server, first, repeated) for _ in range(SEVERAL)))


async def headers(server: AttackedServer) -> None:
    """Headers without an end, of 64 KiB each."""
    await _several(server, b"GET /healthz HTTP/1.1\r\nHost: bench\r\n", b"X-Long: " + b"a" * 65_536 + b"\r\n")


async def small_headers(server: AttackedServer) -> None:
    """Small headers without an end."""
    await _several(server, b"GET /healthz HTTP/1.1\r\nHost: bench\r\n", b"X-A: b\r\n" * 4096)


async def long_url(server: AttackedServer) -> None:
    """A URL without an end."""
    await _several(server, b"GET /", b"a" * 65_536)


async def trailers(server: AttackedServer) -> None:
    """A chunked body with trailers without an end."""
    head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    await _several(server, head, b"X-A: " + b"b" * 65_536 + b"\r\n")


async def pipelining(server: AttackedServer) -> None:
    """Thousands of requests in one write, whose answers are not read."""
    await _several(server, b"", b"GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n" * 4096)


async def silent(server: AttackedServer) -> None:
    """4,000 connections that send nothing."""
    await hold(server, 4000, b"")


async def half_heads(server: AttackedServer) -> None:
    """4,000 connections that send half of a head."""
    await hold(server, 4000, b"GET /healthz HTTP/1.1\r\nHost: bench\r\n")


async def half_bodies(server: AttackedServer) -> None:
    """4,000 connections that send half of a body."""
    head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: bench\r\nContent-Length: 60000\r\n\r\n"
    await hold(server, 4000, head + b" " * 30_000)


async def not_reading(server: AttackedServer) -> None:
    """200 clients that ask for pages of large jobs and do not read them."""
    large = [{"message": "x" * 250_000, "execute_at": "2100-01-01T00:00:00Z"}] * 200
    await server.call("POST", JOBS + "/bulk", large)
    asked = server.head("GET", JOBS + "?limit=1000") + b"\r\n"
    held: list[socket.socket] = []
    while True:
        for one in held:
            with suppress(BlockingIOError, *LOST):
                one.send(asked)
        while len(held) < 200:
            raw = server.connect(4096)
            raw.send(asked)
            held.append(raw)
            await asyncio.sleep(0.01)
        await asyncio.sleep(1)


async def guessing(server: AttackedServer) -> None:
    """Wrong passwords for the account of the user whose timers are measured, and for others."""

    async def guess(number: int) -> None:
        name = "timers" if number % 2 else f"n{number}"
        await server.call("POST", "/api/v1/auth/login", {"username": name, "password": f"a guess {number}"})

    await repeat(16, guess)


async def sign_ups(server: AttackedServer) -> None:
    """Sign-ups without an end."""

    async def sign_up(number: int) -> None:
        await server.call("POST", "/api/v1/users", {"username": f"stranger{number}", "password": PASSWORD})

    await repeat(16, sign_up)


async def bulk_bodies(server: AttackedServer) -> None:
    """Bulk bodies of 60 MB with 10,000 jobs that are due in the year 2100."""
    job = msgspec.json.encode({"message": "x" * 6000, "execute_at": "2100-01-01T00:00:00Z"})
    body = b"[" + b",".join([job] * 9_900) + b"]"
    await repeat(SEVERAL, lambda _: server.call("POST", JOBS + "/bulk", raw=body))


async def bulk_counts(server: AttackedServer) -> None:
    """Bulk bodies of 60 MB with four million jobs."""
    body = b"[" + b",".join([b'{"message":"a"}'] * 3_700_000) + b"]"
    await repeat(SEVERAL, lambda _: server.call("POST", JOBS + "/bulk", raw=body))


async def previews(server: AttackedServer) -> None:
    """Previews of rules that hardly ever match."""
    rules = (
        {"cron": "0 0 29 2 */7", "n": 100},
        {"cron": "59 59 23 31 12 SUN#5", "n": 100},
        {"rrule": "FREQ=SECONDLY;INTERVAL=3601;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "n": 100},
        {"rrule": "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "n": 100},
    )
    await repeat(8, lambda number: server.call("POST", "/api/v1/preview", rules[number % len(rules)]))


async def apply_double(server: AttackedServer) -> None:
    """10,000 schedules to apply, the last two with the same name."""
    entries = [{"name": f"s{number}", "cron": "0 0 1 1 *", "message": "m"} for number in range(9_999)]
    body = msgspec.json.encode({"schedules": [*entries, entries[-1]], "dry_run": True})
    await repeat(SEVERAL, lambda _: server.call("POST", SCHEDULES + "/apply", raw=body))


async def endless_1xx(server: AttackedServer) -> None:
    """Jobs to a target that sends 1xx answers without an end."""
    await _jobs_to(server, "endless-103", 4)


async def unasked_answers(server: AttackedServer) -> None:
    """Jobs to a target that sends answers on a kept connection that nothing asked for."""
    await _jobs_to(server, "unasked-at-once", 4)


async def tarpit(server: AttackedServer) -> None:
    """1,100 jobs with the longest time-out to a target that never answers: more than a process has slots."""
    await _jobs_to(server, "silent", 1100, timeout=3600)


async def _jobs_to(server: AttackedServer, behaviour: str, count: int, **policy: float) -> None:
    with hostile_targets() as targets:
        job = {"message": "m", "target": {"kind": "http", "url": targets[behaviour]}, **policy}
        while True:
            await server.call("POST", JOBS + "/bulk", [job] * count)
            await asyncio.sleep(60 if policy else 5)


ATTACKS: dict[str, Attack] = {
    "headers": headers,
    "small-headers": small_headers,
    "long-url": long_url,
    "trailers": trailers,
    "pipelining": pipelining,
    "silent": silent,
    "half-heads": half_heads,
    "half-bodies": half_bodies,
    "not-reading": not_reading,
    "guessing": guessing,
    "sign-ups": sign_ups,
    "bulk-bodies": bulk_bodies,
    "bulk-counts": bulk_counts,
    "previews": previews,
    "apply-double": apply_double,
    "endless-1xx": endless_1xx,
    "unasked-answers": unasked_answers,
    "tarpit": tarpit,
}
