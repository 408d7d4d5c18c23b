"""Opening connections: to whichever of the hosts takes writes, and with growing pauses while none does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import asyncpg
import structlog

from duetime.config import mask_dsn

log = structlog.get_logger()
HOST_TIMEOUT = 2.0
"""How long one host of several may take: one that swallows packets must not use up the time of the next."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
UNREACHABLE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TargetServerAttributeNotMatched,
    asyncpg.TooManyConnectionsError,
)
TARGET = "target_session_attrs"


def hosts_of(dsn: str) -> list[str]:
    """One DSN for each host of a DSN with several: `…@h1:p1,h2:p2/db`, or `?host=h1,h2&port=p1,p2`."""
    parts = urlsplit(dsn)
    user, at, addresses = parts.netloc.rpartition("@")
    if "," in addresses:
        return [urlunsplit(parts._replace(netloc=f"{user}{at}{one}")) for one in addresses.split(",")]
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if "," not in query.get("host", ""):
        return [dsn]
    hosts, ports = query["host"].split(","), query.get("port", "").split(",")
    if len(ports) == 1:
        ports *= len(hosts)
    pairs = zip(hosts, ports, strict=False)
    each = [query | {"host": host} | ({"port": port} if port else {}) for host, port in pairs]
    return [urlunsplit(parts._replace(query=urlencode(one, safe="/"))) for one in each]


class Reach:
    """Whether a database can be reached. Logs once that it went away, and once that it is back.

    All connections of a process to one database share it, also those of another thread. It logs nothing before the
    first connection: until then the error reaches the caller, who started the process.
    """

    def __init__(self, shown: str) -> None:
        """`shown`: the database's address without its password."""
        self._shown = shown
        self._lock = Lock()
        self._known = False
        self._away_since: float | None = None

    def failed(self, error: BaseException, now: float) -> None:
        """No connection could be opened at the instant `now` of a monotonic clock."""
        with self._lock:
            first = self._known and self._away_since is None
            if first:
                self._away_since = now
        if first:
            log.warning("the database is away", database=self._shown, why=str(error) or type(error).__name__)

    def connected(self, now: float) -> None:
        """A connection was opened."""
        with self._lock:
            since, self._away_since, self._known = self._away_since, None, True
        if since is not None:
            log.warning("the database is back", database=self._shown, away_seconds=round(now - since, 1))


class Connector:
    """Connects to the first host that takes writes, beginning with the one that did last.

    Once no host could be reached, further calls fail at once until a pause is over; pauses grow up to a second.
    So a database that comes back is not met by everybody at once, and who asks meanwhile is answered at once.
    """

    def __init__(
        self, dsn: str, connect: Callable[..., Awaitable[Any]] = asyncpg.connect, reach: Reach | None = None
    ) -> None:
        self._hosts = hosts_of(dsn)
        self._connect = connect
        self._reach = reach or Reach(mask_dsn(dsn))
        self._good = 0
        self._pause = FIRST_PAUSE
        self._again_at = 0.0
        self._last: BaseException | None = None
        self.failures = 0
        """Calls in a row for which no host could be reached."""

    async def connect(self, *_: object, timeout: float, **more: Any) -> Any:
        """A connection that takes writes."""
        loop = asyncio.get_running_loop()
        if self._last is not None and loop.time() < self._again_at:
            raise ConnectionError("No host could be reached a moment ago.") from self._last
        try:
            connection = await self._first_that_takes_writes(timeout, more)
        except UNREACHABLE as error:
            self.failures += 1
            self._again_at = loop.time() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self._last = error
            self._reach.failed(error, loop.time())
            raise
        self._reach.connected(loop.time())
        self._pause, self._last, self.failures = FIRST_PAUSE, None, 0
        return connection

    async def _first_that_takes_writes(self, timeout: float, more: dict[str, Any]) -> Any:
        last: BaseException | None = None
        several = len(self._hosts) > 1
        for number in (self._good, *(other for other in range(len(self._hosts)) if other != self._good)):
            host = self._hosts[number]
            wanted = {} if TARGET in host else {TARGET: "read-write"}
            try:
                connection = await self._connect(
                    host, timeout=min(timeout, HOST_TIMEOUT) if several else timeout, **wanted, **more
                )
            except UNREACHABLE as error:
                last = error
                continue
            if number != self._good:
                log.warning("the database moved to another host", number=number + 1, hosts=len(self._hosts))
                self._good = number
            return connection
        raise last or ConnectionError("The DSN names no host.")
