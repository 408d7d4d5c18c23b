"""Calls about lanes (jobs with the same ordering key) and circuit breakers."""

from __future__ import annotations

from urllib.parse import quote

from .answers import Breaker, Lane, LaneChange, Reset
from .calls import Calls

LANES = "/api/v1/me/lanes"


def lane_path(key: str) -> str:
    """Returns the path of a lane. A key of dots only is encoded: it would read as a step in the path."""
    return f"{LANES}/{quote(key, safe='') if key.strip('.') else key.replace('.', '%2E')}"


class LaneCalls(Calls):
    """Shows lanes and open breakers, and lets blocked lanes go on."""

    async def lanes(self, *, blocked: bool = False, limit: int = 100) -> list[Lane]:
        """Returns the user's lanes by key, or only the blocked ones."""
        params = {"limit": str(limit), **({"blocked": "true"} if blocked else {})}
        return self._read(await self._session.call("GET", LANES, params=params, safe=True), list[Lane])

    async def lane(self, key: str) -> Lane:
        """Returns a lane. Raises `ApiError` 404 when it is empty."""
        return self._read(await self._session.call("GET", lane_path(key), safe=True), Lane)

    async def skip_lane(self, key: str) -> LaneChange:
        """Lets a blocked lane go on without its first job, which stays a dead letter."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/skip"), LaneChange)

    async def retry_lane(self, key: str) -> LaneChange:
        """Redrives the first job of a blocked lane."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/retry"), LaneChange)

    async def clear_lane(self, key: str) -> LaneChange:
        """Cancels all jobs of a lane, except one that is running."""
        return self._read(await self._session.call("POST", f"{lane_path(key)}/clear"), LaneChange)

    async def breakers(self) -> list[Breaker]:
        """Returns the hosts whose circuit breaker is open: jobs that call them wait."""
        return self._read(await self._session.call("GET", "/api/v1/me/breakers", safe=True), list[Breaker])

    async def reset_breaker(self, host: str) -> Reset:
        """Closes the breakers of a host on every scheduler. Raises `ApiError` 404 when none is open."""
        path = f"/api/v1/me/breakers/{quote(host, safe='')}/reset"
        return self._read(await self._session.call("POST", path), Reset)
