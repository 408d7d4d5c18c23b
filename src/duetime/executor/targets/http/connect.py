"""How a request gets a connection: the name is resolved once, and every address is checked before connecting.

There are two checks, and both ask `outgoing.refusal`. The resolver refuses a name if any of its addresses is
refused. The socket factory sees every address just before its socket is made, also addresses written in the URL,
which pass no resolver; every connection goes through it. TLS and the `Host` header use the name in the URL.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

from aiohttp.abc import AbstractResolver, ResolveResult

from duetime.executor.targets.http.outgoing import OutgoingRules, listens_everywhere, refusal
from duetime.executor.targets.http.protocol import BoundedConnector
from duetime.model.errors import DuetimeError

KEEPALIVE = 4.0
"""Shorter than the 5 s after which common servers close, so that a request rarely meets a closing connection."""
RESOLVING_AT_ONCE, RESOLVING_FOR_ONE_USER = 32, 8
PROBE_AFTER, PROBE_EVERY, PROBES = 60, 15, 4
"""A peer that vanished is noticed after two minutes of silence, however long an answer may take."""


resolving_for: ContextVar[int] = ContextVar("resolving_for", default=0)
"""The user whose run asks for a name. The library calls the resolver without it."""


class Refused(DuetimeError, OSError):
    """The address may not be called."""

    code = "refused"


def check_address(address: str, port: int, rules: OutgoingRules) -> None:
    """Raise `Refused` with the reason if an address may not be connected to."""
    reason = refusal(address, port, rules)
    if reason is None and listens_everywhere(port, rules) and is_own_address(address):
        reason = "The address is one that this Duetime listens on itself."
    if reason is not None:
        raise Refused(reason)


def is_own_address(address: str) -> bool:
    """Returns whether an address belongs to this machine: the route to it starts at itself. Sends nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return probe.getsockname()[0] == probe.getpeername()[0]
    return False


class CheckedResolver(AbstractResolver):
    """Resolves a name with the system's resolver, and refuses the name if any of its addresses is refused.

    It has threads of its own, so that slow name servers do not delay work in the process's shared threads. One user
    has at most a part of them, so that its slow name servers do not delay the names of others.
    """

    def __init__(self, rules: OutgoingRules) -> None:
        self._rules = rules
        self._threads = ThreadPoolExecutor(RESOLVING_AT_ONCE, thread_name_prefix="duetime-resolve")
        self._waiting: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Returns every address of a name, all of them checked."""
        turn = self._waiting.get(resolving_for.get())
        if turn is None:
            turn = self._waiting[resolving_for.get()] = asyncio.Semaphore(RESOLVING_FOR_ONE_USER)
        await turn.acquire()
        under_way = asyncio.get_running_loop().run_in_executor(self._threads, _addresses_of, host, port, family)
        # A run that gives up leaves its thread busy: the turn ends with the thread.
        under_way.add_done_callback(lambda _: turn.release())
        answers = await asyncio.shield(under_way)
        for address in answers:
            check_address(address, port, self._rules)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in answers
        ]

    async def close(self) -> None:
        """Release the threads, without waiting for answers that are no longer needed."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def checked_connector(
    rules: OutgoingRules,
    resolver: AbstractResolver,
    *,
    slots: int,
    tls: ssl.SSLContext | None = None,
    keep: bool = True,
) -> BoundedConnector:
    """Returns a source of connections that are checked when they are made, and whose answers have bounds.

    `keep` says whether they are used again.
    """

    def open_socket(info: tuple[int, int, int, str, tuple[Any, ...]]) -> socket.socket:
        family, kind, protocol, _, address = info
        check_address(str(address[0]), int(address[1]), rules)
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, PROBE_AFTER)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, PROBE_EVERY)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)
        return made

    if keep:
        return BoundedConnector(
            resolver=resolver,
            socket_factory=open_socket,
            limit=slots,
            ssl=tls or True,
            keepalive_timeout=KEEPALIVE,
        )
    return BoundedConnector(
        resolver=resolver, socket_factory=open_socket, limit=slots, ssl=tls or True, force_close=True
    )


def _addresses_of(host: str, port: int, family: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise socket.gaierror(socket.EAI_NONAME, "the name is not a valid host name") from error
    addresses = dict.fromkeys(_numeric(name) for _, _, _, _, name in found)
    if not addresses:
        raise socket.gaierror(socket.EAI_NONAME, "the name has no address")
    return list(addresses)


def _numeric(name: tuple[Any, ...]) -> str:
    """Returns an address, with its interface where it is bound to one."""
    address = str(name[0])
    scope = name[3] if len(name) > 3 else 0
    return f"{address}%{scope}" if scope and "%" not in address else address
