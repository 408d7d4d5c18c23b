"""Circuit breakers of several cells: each cell's scheduler has its own."""

from __future__ import annotations

from duetime.cells.cells import Cells
from duetime.model.broken_host import BrokenHost
from duetime.model.errors import NotFound


class CellsBreakers:
    """Routes what the engine's `Breakers` does."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def list(self, user_id: int | None) -> list[BrokenHost]:
        """Returns the hosts whose breaker a living scheduler keeps open, for a user or for all."""
        found: dict[tuple[str, int], BrokenHost] = {}
        for hosts in await self._cells.everyone(lambda at: at.breakers.list(user_id)):
            for one in hosts:
                known = found.get((one.host, one.user_id))
                found[one.host, one.user_id] = one if known is None else _together(known, one)
        return [found[key] for key in sorted(found)]

    async def reset(self, user_id: int | None, host: str, actor: int) -> int:
        """Have every scheduler close its breakers of a host, for a user or for all. Returns how many these are."""
        reset = 0
        for cell in self._cells:
            if cell.answers:
                try:
                    reset += await cell.ask(lambda at: at.breakers.reset(user_id, host, actor))
                except NotFound:
                    continue
        if not reset:
            raise NotFound(f"No circuit breaker of '{host}' is open.", host=host)
        return reset


def _together(one: BrokenHost, other: BrokenHost) -> BrokenHost:
    probes = [at for at in (one.next_probe_at, other.next_probe_at) if at is not None]
    return BrokenHost(
        one.user_id,
        one.host,
        max(one.failures, other.failures),
        min(one.opened_at, other.opened_at),
        min(probes, default=None),
    )
