"""What users have in all cells together, for their quotas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from duetime.cells.cells import Cells
from duetime.engine.intake.quota import QuotaCounts
from duetime.model.states import JobState
from duetime.model.user import Usage


def counts_of(cells: Cells) -> QuotaCounts:
    """Returns the counts over all cells that answer.

    Jobs, bytes and schedules are summed. Calendars are those of the home cell. Every cell stores definitions for
    itself, mostly the same ones, so the cell that has the most of them counts.
    """

    async def stats(user_id: int) -> dict[JobState, int]:
        total: Counter[JobState] = Counter()
        for _, counts in await cells.each_of(lambda cell: cell.stores.insight.stats(user_id)):
            total.update(counts)
        return dict(total)

    async def usage(user_id: int) -> Usage:
        found = dict(await cells.each_of(lambda cell: cell.stores.insight.usage(user_id)))
        home = found.get(cells.home, Usage())
        return structs.replace(
            home,
            schedules=sum(one.schedules for one in found.values()),
            definitions=max(one.definitions for one in found.values()),
        )

    async def schedules(user_id: int) -> int:
        return sum(n for _, n in await cells.each_of(lambda cell: cell.stores.schedules.count(user_id)))

    async def message_bytes(user_id: int) -> int:
        return sum(n for _, n in await cells.each_of(lambda cell: cell.stores.insight.message_bytes(user_id)))

    async def other_definitions(user_id: int, hashes: Sequence[bytes]) -> int:
        others = await cells.each_of(lambda cell: cell.stores.submit.other_definitions(user_id, hashes))
        return max(n for _, n in others)

    return QuotaCounts(stats, usage, schedules, message_bytes, other_definitions)
