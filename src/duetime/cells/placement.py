"""Which cell a job goes to, and which of the cell's shards."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import randbelow

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.model.definition import definition_hash, encode_definition
from duetime.model.ids import SHARDS, shard_of_definition, shard_of_key, shard_of_lane
from duetime.model.job import NewJob
from duetime.store.placement import Picker

STRIDE = 633
"""From one request to the next, in shards: nearly the golden section of all, so that cells take turns evenly."""


class CellRotation:
    """Chooses a cell for each request whose jobs may go anywhere: each as often as it has open shards."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._turn = randbelow(SHARDS)
        self._known: tuple[tuple[bool, int], ...] = ()
        self._open: list[int] = []

    def next(self, pins: Sequence[int] | None = None) -> Cell:
        """Returns the next cell in turn of those that answer, and that have one of the pinned shards."""
        self._refresh()
        self._turn += STRIDE
        shards = self._open if pins is None else [pin for pin in pins if self._cells.closed(pin) is None] or pins
        return self._cells.of(shards[self._turn % len(shards)]) if shards else self._cells.home

    def _refresh(self) -> None:
        known = tuple((cell.answers, cell.version) for cell in self._cells)
        if known != self._known:
            self._known = known
            self._open = sorted(shard for cell in self._cells if cell.answers for shard in cell.here)


class CellPlacement:
    """`Placement` of one cell: its open shards in turn."""

    def __init__(self, cell: Cell, cells: Cells) -> None:
        self._cell, self._cells = cell, cells
        self._turn = randbelow(SHARDS)
        self._version = -2
        self._open: list[int] = []

    def picker(self) -> Picker:
        """Returns a picker over the shards that are open here. A job with a key goes to the key's shard."""
        if self._version != self._cell.version:
            self._version, self._open = self._cell.version, sorted(self._cell.here)
        return self._pick

    def closed(self, shard: int) -> bool:
        """Returns whether a shard is not open here."""
        return shard in self._cell.away

    async def look_again(self) -> None:
        """Ask every database which shards are open in it."""
        await self._cells.look_again()

    def _pick(self, user_id: int, key: str | None, pins: Sequence[int] | None) -> int:
        if key is not None and pins is None:
            return shard_of_key(user_id, key)
        shards = self._open
        if pins is not None:
            shards = [pin for pin in pins if pin not in self._cell.away] or list(pins)
        self._turn += 1
        return shards[self._turn % len(shards)] if shards else self._turn % SHARDS


def bound_shard(job: NewJob) -> int | None:
    """Returns the one shard that a job can live in, because of its lane or of its definition's limits. Pure."""
    if job.lane is not None:
        return shard_of_lane(job.user_id, job.lane)
    if job.definition.policy.limit is not None:
        return shard_of_definition(job.user_id, definition_hash(encode_definition(job.definition)))
    return None
