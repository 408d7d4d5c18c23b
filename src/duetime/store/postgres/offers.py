"""`OfferStore` on PostgreSQL: offers, and what nodes report about themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from duetime.store.offer_port import Abilities, Executor, InFlight, Taken
from duetime.store.port import LaunchedRow, LaunchIntent
from duetime.store.postgres.launch import by_column, past_collisions
from duetime.store.postgres.queries import sql

_labels = msgspec.json.Decoder(dict[str, str])


class PostgresOffers:
    """`OfferStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches as offers. Returns the ids launched."""
        _, columns = by_column(launches)
        offered = await past_collisions(lambda _: self._pool.rows(sql("offers.offer"), node, now, *columns, requires))
        return {row[0] for row in offered}

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Turn launches of this node into offers."""
        await self._pool.run(sql("offers.hand_over"), node, job_ids, requires)

    async def take(self, node: NodeId, labels: str, limit: int, now: datetime) -> list[Taken]:
        """Take offers."""
        rows = await self._pool.rows(sql("offers.take"), node, labels, limit, now)
        return [Taken(row[0], None if row[1] is None else LaunchedRow(*row[1:])) for row in map(tuple, rows)]

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that no executor took. Returns their jobs."""
        return [row[0] for row in await self._pool.rows(sql("offers.take_back"), bytes(held), before, limit)]

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Returns which of these jobs are in flight."""
        return [InFlight(*row) for row in await self._pool.rows(sql("offers.in_flight"), job_ids)]

    async def report(self, node: NodeId, report: Abilities, *, first: bool) -> None:
        """Store a living node's report."""
        if first:
            await self._pool.run(sql("offers.forget_reports"))
        columns = (report.slots, report.open, report.free, report.labels, report.key_print)
        await self._pool.run(sql("offers.report"), node, *columns)

    async def executors(self) -> list[Executor]:
        """Returns the living executors."""
        rows = await self._pool.rows(sql("offers.executors"))
        return [
            Executor(node, slots, opened, free, _labels.decode(labels), schedules)
            for node, slots, opened, free, labels, schedules in rows
        ]

    async def other_keys(self, key_print: bytes) -> list[str]:
        """Returns the names of living nodes whose API signs tokens with another key."""
        return [row[0] for row in await self._pool.rows(sql("offers.other_keys"), key_print)]
