"""The ports that nothing in the simulation depends on: kept as small as they can be and still be true."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from duetime.model.broken_host import BrokenHost
from duetime.model.ids import NodeId
from simulation.memory.link import Link
from simulation.memory.tables import Tables


class NotSimulated:
    """A port that the simulation does not have: every verb says so."""

    def __init__(self, port: str) -> None:
        self._port = port

    def __getattr__(self, verb: str) -> Any:
        raise NotImplementedError(f"{self._port}.{verb} is not part of the simulated store.")


class MemoryBreakers:
    """`BreakerStore`."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def opened(self, node: NodeId, broken: BrokenHost) -> None:
        """A breaker opened."""
        key = (broken.flow, node)
        return await self._link.call("opened", lambda: self._tables.broken_hosts.update({key: broken}))

    async def closed(self, node: NodeId, flow: int) -> None:
        """A breaker closed."""
        return await self._link.call("closed", lambda: self._tables.broken_hosts.pop((flow, node), None))

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """The hosts that living schedulers take to be down for a user."""
        known = self._tables.broken_hosts
        return await self._link.call(
            "broken_hosts",
            lambda: [one for (_, node), one in known.items() if one.user_id == user_id and node in self._tables.leases],
        )


class MemoryRetention:
    """`RetentionStore` without days: nothing here gets old."""

    async def make_days(self, first: date, last: date) -> None:
        """Every day is there."""

    async def drop_days(self, before: date) -> list[date]:
        """No day is dropped."""
        return []

    async def fold_tallies(self) -> None:
        """Counts are counted when asked for."""

    async def drop_keys(self, before: datetime, limit: int) -> int:
        """No key is old."""
        return 0

    async def drop_definitions(self, before: date) -> int:
        """No definition is old."""
        return 0


class MemoryCalendars(NotSimulated):
    """`CalendarStore` with no calendars in it."""

    def __init__(self) -> None:
        super().__init__("CalendarStore")

    async def named(self, user_id: int, names: Sequence[str]) -> list[Any]:
        """None."""
        return []
