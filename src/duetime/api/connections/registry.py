"""The open connections of a process: how many there are, which are refused, and which take too long."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import Protocol

from duetime.api.auth.limits import origin_of
from duetime.api.connections.bounds import Bounds
from duetime.api.connections.forwarded import Proxies
from duetime.api.connections.whole_answer import CommonHeaders
from duetime.clock.port import Clock


class Admission(Enum):
    """Whether a connection may send any request, or only ask for health: why not."""

    ADMITTED = "admitted"
    FULL = "full"
    ADDRESS_FULL = "address full"


class Connection(Protocol):
    """A connection as the registry sees it."""

    def shed(self) -> None:
        """Closes it at once, to make room."""
        ...

    def check(self, now: float) -> None:
        """Closes it if it has taken too long."""
        ...


class Connections:
    """Counts connections in all and by address.

    Past either bound a connection is not turned away unheard: it joins a small reserve, in which only questions
    about health are answered. When the reserve is full, its oldest connection makes room. So silent connections
    cannot shut health out. When all are taken, the connection that has been idle for longest makes room.
    """

    def __init__(self, bounds: Bounds, clock: Clock, proxies: Proxies | None = None) -> None:
        self.bounds = bounds
        self.clock = clock
        self.proxies = proxies or Proxies()
        self.common_headers = CommonHeaders()
        self._admitted: dict[Connection, str] = {}
        """With the address that each counts for; empty for a trusted proxy's."""
        self._by_address: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()
        """Requests under way behind trusted proxies, by the client's address."""
        self.idle: dict[Connection, None] = {}
        """Connections that wait for their next request, the longest first. Each adds and removes itself."""
        self._reserve: dict[Connection, None] = {}
        self._unread: dict[Connection, int] = {}
        self._unread_bytes = 0

    def __len__(self) -> int:
        """How many are open, without the reserve."""
        return len(self._admitted)

    def enter(self, connection: Connection, peer: str) -> Admission:
        """Admits a connection, or puts it into the reserve."""
        origin = "" if self.proxies.trusted(peer) else origin_of(peer)
        if origin and self._by_address[origin] >= self.bounds.per_address:
            return self._refuse(connection, Admission.ADDRESS_FULL)
        if len(self._admitted) >= self.bounds.connections:
            idle = next(iter(self.idle), None)
            if idle is None:
                return self._refuse(connection, Admission.FULL)
            self.leave(idle)
            idle.shed()
        self._admitted[connection] = origin
        if origin:
            self._by_address[origin] += 1
        return Admission.ADMITTED

    def leave(self, connection: Connection) -> None:
        """Forgets a connection. May be called again for the same one."""
        origin = self._admitted.pop(connection, "")
        if origin:
            _less(self._by_address, origin)
        self.idle.pop(connection, None)
        self._reserve.pop(connection, None)
        self.read(connection)

    def begin(self, client: str) -> str | None:
        """Counts a request of a client behind a trusted proxy. Returns what `end` needs; None past the bound."""
        origin = origin_of(client)
        if self._requests[origin] >= self.bounds.per_address:
            return None
        self._requests[origin] += 1
        return origin

    def end(self, origin: str) -> None:
        """Uncounts a request that `begin` counted."""
        _less(self._requests, origin)

    def unread(self, connection: Connection, size: int) -> None:
        """Notes that a client has not read so many bytes. Past the bound, the one that waits longest is closed."""
        self.read(connection)
        self._unread[connection] = size
        self._unread_bytes += size
        while self._unread_bytes > self.bounds.answer_memory and len(self._unread) > 1:
            oldest = next(iter(self._unread))
            self.leave(oldest)
            oldest.shed()

    def read(self, connection: Connection) -> None:
        """Notes that a client has read its answer, or is gone."""
        self._unread_bytes -= self._unread.pop(connection, 0)

    def sweep(self) -> None:
        """Closes every connection that has taken too long."""
        now = self.clock.monotonic()
        for connection in [*self._admitted, *self._reserve]:
            connection.check(now)

    def _refuse(self, connection: Connection, why: Admission) -> Admission:
        self._reserve[connection] = None
        if len(self._reserve) > self.bounds.reserve:
            oldest = next(iter(self._reserve))
            self.leave(oldest)
            oldest.shed()
        return why


def _less(counts: Counter[str], key: str) -> None:
    counts[key] -= 1
    if counts[key] <= 0:
        del counts[key]
