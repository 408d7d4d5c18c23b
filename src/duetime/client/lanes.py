"""Lanes: jobs with the same ordering key; and the hosts whose jobs wait."""

from __future__ import annotations

from urllib.parse import quote

from duetime.client.answers import Breaker, Lane, LaneChange
from duetime.client.calls import Calls

LANES = "/api/v1/me/lanes"


def lane_path(key: str) -> str:
    """The path of a lane. Dots are encoded too where they alone would be taken for a step in the path."""
    return f"{LANES}/{quote(key, safe='') if key.strip('.') else key.replace('.', '%2E')}"


class LaneCalls(Calls):
    """Seeing what holds lanes and hosts back, and letting lanes go on."""

    async def lanes(self, *, blocked: bool = False, limit: int = 100) -> list[Lane]:
        """One's lanes by key, or only those that wait for a person."""
        params = {"limit": str(limit), **({"blocked": "true"} if blocked else {})}
        return self._read(await self._session.call("GET", LANES, params=params, safe=True), list[Lane])

    async def lane(self, key: str) -> Lane:
        """One lane; `ApiError` 404 when nothing is in it."""
        return self._read(await self._session.call("GET", lane_path(key), safe=True), Lane)

    async def skip_lane(self, key: str) -> LaneChange:
        """Leave the dead job at a blocked lane's head behind, among the dead letters."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/skip"), LaneChange)

    async def retry_lane(self, key: str) -> LaneChange:
        """Give the dead job at a blocked lane's head another life."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/retry"), LaneChange)

    async def clear_lane(self, key: str) -> LaneChange:
        """Cancel everything in a lane that is not running."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/clear"), LaneChange)

    async def breakers(self) -> list[Breaker]:
        """The hosts that are taken to be down: jobs that call them wait."""
        return self._read(await self._session.call("GET", "/api/v1/me/breakers", safe=True), list[Breaker])
