"""Moving shards to another database, some at a time, while everything else goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.model.errors import Conflict
from duetime.model.ids import SHARDS, UserId
from duetime.model.shard_ranges import written_shards
from duetime.store.cell_port import PlacedStore, PlacementStore
from duetime.store.move_port import Leaving, MoveStore

AT_ONCE = 8
"""Shards that are closed at the same time: the fewer, the shorter each is closed."""
LOOK = 0.05


class Side(NamedTuple):
    """A database that shards leave or come to."""

    number: int
    moves: MoveStore
    placed: PlacedStore
    placement: PlacementStore


class Moved(NamedTuple):
    """Some shards that arrived."""

    shards: list[int]
    jobs: int


class Mover:
    """Moves shards so that no launch is lost or made twice, whenever it dies; another mover goes on.

    For some shards at a time, in this order, each step a commit:

    1. The target expects them.
    2. The source closes them: nothing is added any more, owners give them back, runs under way end.
    3. One transaction in the source takes everything out; within it, one transaction in the target stores it.
       The target commits first. Until the source commits as well, the shards count as being in the source, and
       what the target has of them is replaced by the next try.
    4. The target opens them.

    At no time are they open in both, so at no time can both launch.
    """

    def __init__(
        self, sides: Sequence[Side], clock: Clock, *, patience: float, announce: Callable[[str], None]
    ) -> None:
        self._sides, self._clock, self._patience, self._announce = sides, clock, patience, announce

    async def finish(self) -> list[Moved]:
        """Go on with what an earlier mover left half-way."""
        moved: list[Moved] = []
        for target in self._sides:
            waiting: dict[int, list[int]] = {}
            for one in await target.moves.arrivals():
                waiting.setdefault(one.source, []).append(one.shard)
            for source, shards in waiting.items():
                self._announce(
                    f"Going on with shards {written_shards(shards)}, from database {source} to {target.number}."
                )
                moved += await self._move(shards, self._sides[source], target)
        return moved

    async def move(self, shards: frozenset[int], to: int) -> list[Moved]:
        """Move shards from wherever they are."""
        moved = await self.finish()
        old = await self._sides[0].moves.old_nodes()
        if old:
            raise Conflict(
                f"{', '.join(old)} started before the newest database was listed, and would go on using the old "
                "places: restart them with the whole list first."
            )
        for source, some in (await self.plan(shards, to)).items():
            moved += await self._move(some, self._sides[source], self._sides[to])
        return moved

    async def plan(self, shards: frozenset[int], to: int) -> dict[int, list[int]]:
        """Which of these shards would leave each database."""
        going: dict[int, list[int]] = {}
        for side in self._sides:
            away = (await side.placement.placement()).away
            some = sorted(shards - away)
            if side.number != to and some:
                going[side.number] = some
        return going

    async def _move(self, shards: Sequence[int], source: Side, target: Side) -> list[Moved]:
        moved: list[Moved] = []
        await source.moves.prepare_to_leave()
        try:
            for at in range(0, len(shards), AT_ONCE):
                some = list(shards[at : at + AT_ONCE])
                jobs = await self._move_some(some, source, target)
                moved.append(Moved(some, jobs))
                done = min(at + AT_ONCE, len(shards))
                self._announce(f"Moved shards {written_shards(some)} with {jobs} jobs ({done} of {len(shards)}).")
        finally:
            await source.moves.tidy_up()
        return moved

    async def _move_some(self, shards: list[int], source: Side, target: Side) -> int:
        await target.moves.expect(shards, source.number)
        arrived = {one.shard for one in await target.moves.arrivals() if one.received}
        leaving = await source.moves.leaving()
        here = frozenset(range(SHARDS)) - (await source.placement.placement()).away
        going = [shard for shard in shards if shard in here or leaving.get(shard) == target.number]
        gone = [shard for shard in shards if shard not in going and shard in arrived]
        jobs = 0
        if going:
            await self._close(going, source, target)
            jobs = await self._carry_or_open_again(going, source, target)
        if going or gone:
            await target.moves.open(going + gone)
            await self._sides[0].moves.set_homes(going + gone, target.number)
        return jobs

    async def _close(self, shards: list[int], source: Side, target: Side) -> None:
        """Until nothing of these shards moves any more; opened again when that takes too long."""
        deadline = self._clock.monotonic() + self._patience
        try:
            while not await self._at_rest(shards, source, target, deadline):
                self._announce("Runs have lost their executor: the shards are opened again until those are rescued.")
                await source.moves.open(shards)
                await self._until(lambda: self._orphans(shards, source), deadline, "lost runs are not rescued yet")
        except BaseException:
            await source.moves.open(shards)
            await target.moves.forget_arrivals(shards)
            raise

    async def _at_rest(self, shards: list[int], source: Side, target: Side, deadline: float) -> bool:
        """Close, and wait for owners, their statements and their runs; false when a run has lost its executor."""
        await source.moves.close(shards, target.number)
        await self._until(lambda: source.moves.owned(shards), deadline, "their owners have not given them back")
        mark = await source.moves.mark()
        await self._until(
            lambda: source.moves.older_than(mark),
            deadline,
            "older transactions have not ended, or are another database user's",
        )
        while (under_way := await source.moves.under_way(shards)).runs:
            if under_way.orphans:
                return False
            await self._look_again(deadline, f"{under_way.runs} runs are still under way")
        return True

    @staticmethod
    async def _orphans(shards: list[int], source: Side) -> int:
        return (await source.moves.under_way(shards)).orphans

    async def _until(self, left: Callable[[], Awaitable[int]], deadline: float, why: str) -> None:
        while await left():
            await self._look_again(deadline, why)

    async def _look_again(self, deadline: float, why: str) -> None:
        if self._clock.monotonic() >= deadline:
            raise Conflict(
                f"Not moved within {self._patience:g} s, because {why}: the shards are open again where they were; "
                "run the move again later, or with more patience."
            )
        await self._clock.sleep(LOOK)

    async def _carry_or_open_again(self, shards: list[int], source: Side, target: Side) -> int:
        """Carry over; when that fails and nothing has left, nobody has to wait for the next try."""
        try:
            return await self._carry(shards, source, target)
        except Exception:
            leaving = await source.moves.leaving()
            if all(leaving.get(shard) == target.number for shard in shards):
                await source.moves.open(shards)
            raise

    async def _carry(self, shards: list[int], source: Side, target: Side) -> int:
        async with source.moves.leaving_rows(shards, target.number) as leaving:
            definitions = await self._bring_what_is_needed(leaving, source, target)
            days = await leaving.days()
            parts = await leaving.removed_rows()
            try:
                return await target.moves.receive(leaving, parts, days, definitions)
            finally:
                for part in parts:
                    part.content.close()

    async def _bring_what_is_needed(self, leaving: Leaving, source: Side, target: Side) -> dict[int, int]:
        """Copy the definitions and calendars that the moving rows use. Returns the definitions' ids, old to new."""
        if leaving.calendars:
            await target.placement.copy_calendars(await source.placement.calendar_copies(leaving.calendars))
        if not leaving.definitions:
            return {}
        copies = await source.placed.whole_definitions(leaving.definitions)
        wanted = [(UserId(one.user_id), one.hash, one.body) for one in copies]
        ids = await target.placed.intern(wanted, self._clock.now().date())
        return {one.id: ids[one.user_id, one.hash] for one in copies}
