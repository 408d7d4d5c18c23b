"""Keeps the numbers of new jobs close together in all cells, so that ids sort nearly by creation."""

from __future__ import annotations

from duetime.cells.cells import Cells
from duetime.model.errors import StoreAway


class JobNumbers:
    """Raises the numbers of cells that fall behind. Any node may do it, and several at once do no harm."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def run_once(self) -> None:
        """Compare the numbers of the cells that answer, and raise those that are far behind."""
        there = [cell for cell in self._cells if cell.answers]
        try:
            numbers = [await cell.run(cell.placed.last_number) for cell in there]
            for cell in there:
                await cell.run(lambda one=cell: one.placed.raise_number(max(numbers)))
        except StoreAway:
            return
