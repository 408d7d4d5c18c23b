"""Calls about whether jobs are on time: the overview, planned runs and shares."""

from __future__ import annotations

from typing import Literal

from .activity_answers import Overview, Planned, Shares
from .calls import Calls

Window = Literal["15m", "1h", "3h", "24h", "7d"]


class ActivityCalls(Calls):
    """Shows what was launched, how late, and what is to come. `everyone=True` is for admins: all users together."""

    async def overview(self, window: Window = "1h", *, everyone: bool = False) -> Overview:
        """Returns lateness and counts of a window, and what waits for a person."""
        path = f"/api/v1/{_whose(everyone)}/overview"
        return self._read(await self._session.call("GET", path, params={"window": window}, safe=True), Overview)

    async def planned(self, minutes: int = 60, *, everyone: bool = False) -> Planned:
        """Returns how many runs the next minutes have, and the first of them."""
        path = f"/api/v1/{_whose(everyone)}/planned"
        return self._read(await self._session.call("GET", path, params={"minutes": str(minutes)}, safe=True), Planned)

    async def shares(self, window: Window = "1h") -> Shares:
        """Returns what each user got beside its weight. For admins."""
        path = "/api/v1/cluster/shares"
        return self._read(await self._session.call("GET", path, params={"window": window}, safe=True), Shares)


def _whose(everyone: bool) -> str:
    return "cluster" if everyone else "me"
