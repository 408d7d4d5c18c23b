"""`OfferStore` in memory: launches that any fitting executor may take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from duetime.model.ids import NodeId, shard_of
from duetime.store.offer_port import OFFERED, Abilities, Executor, InFlight
from duetime.store.offer_port import Taken as TakenOffer
from duetime.store.port import LaunchIntent
from simulation.memory.launch import commit, launched_rows
from simulation.memory.link import Link
from simulation.memory.tables import Flight, Tables

_labels = msgspec.json.Decoder(dict[str, str])


class MemoryOffers:
    """Launches on offer, and what nodes say of themselves."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches on offer."""
        return await self._link.call("offer", lambda: _offer(self._tables, node, now, launches, requires))

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Put launches of this node on offer."""
        await self._link.call("hand_over", lambda: _hand_over(self._tables, node, job_ids, requires))

    async def take(self, node: NodeId, labels: str, limit: int, now: datetime) -> list[TakenOffer]:
        """Take what is on offer."""
        return await self._link.call("take", lambda: _take(self._tables, node, _labels.decode(labels), limit, now))

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that nobody took."""
        return await self._link.call("take_back", lambda: _take_back(self._tables, list(held), before, limit))

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Which of these jobs are in flight."""
        flights = self._tables.in_flight
        return await self._link.call(
            "standing",
            lambda: [
                InFlight(one, flights[one].attempt, flights[one].executor)
                for one in dict.fromkeys(job_ids)
                if one in flights
            ],
        )

    async def report(self, node: NodeId, report: Abilities, *, first: bool) -> None:
        """What a living node says of itself."""
        await self._link.call("report", lambda: _report(self._tables, node, report, first=first))

    async def executors(self) -> list[Executor]:
        """The living executors."""
        return await self._link.call("executors", lambda: _executors(self._tables))

    async def other_keys(self, key_print: bytes) -> list[str]:
        """The living APIs that sign with another key."""
        return await self._link.call("other_keys", lambda: _other_keys(self._tables, key_print))


def _offer(
    tables: Tables, node: int, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
) -> set[int]:
    offered = commit(tables, node, now, launches)
    for job_id in offered:
        _put_on_offer(tables.in_flight[job_id], requires)
    return offered


def _put_on_offer(flight: Flight, requires: str | None) -> None:
    flight.executor, flight.requires = OFFERED, None if requires is None else _labels.decode(requires)


def _hand_over(tables: Tables, node: int, job_ids: Sequence[int], requires: str | None) -> None:
    for job_id in job_ids:
        flight = tables.in_flight.get(job_id)
        if flight is not None and flight.executor == node:
            _put_on_offer(flight, requires)


def _on_offer(tables: Tables) -> list[Flight]:
    found = [one for one in tables.in_flight.values() if one.executor == OFFERED]
    return sorted(found, key=lambda one: (one.launched_at, one.job_id))


def _take(tables: Tables, node: int, labels: dict[str, str], limit: int, now: datetime) -> list[TakenOffer]:
    if node not in tables.leases:
        return []
    fitting = [one for one in _on_offer(tables) if (one.requires or {}).items() <= labels.items()]
    taken: list[TakenOffer] = []
    for flight in fitting[:limit]:
        flight.executor, flight.taken_at = node, now
        run = (flight.job_id, flight.user_id, flight.attempt)
        rows = launched_rows(tables, [run], max(now, flight.launched_at))
        taken.append(TakenOffer(flight.job_id, rows[0] if rows else None))
    return taken


def _take_back(tables: Tables, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
    executors = [one for one in _on_offer(tables) if "" not in (one.requires or {})]
    old = [one.job_id for one in executors if one.launched_at < before and held[shard_of(one.job_id)]]
    for job_id in old[:limit]:
        del tables.in_flight[job_id]
    return old[:limit]


def _report(tables: Tables, node: int, report: Abilities, *, first: bool) -> None:
    if first:
        for other in [other for other in tables.reports if other not in tables.leases]:
            del tables.reports[other]
    if node in tables.leases:
        tables.reports[node] = report


def _living(tables: Tables) -> list[int]:
    return [node for node in sorted(tables.reports) if node in tables.leases and _lasts(tables, node)]


def _lasts(tables: Tables, node: int) -> bool:
    return tables.leases[node].until > tables.clock()


def _executors(tables: Tables) -> list[Executor]:
    found: list[Executor] = []
    for node in _living(tables):
        said: Abilities = tables.reports[node]
        if said.slots is not None:
            schedules = "scheduler" in tables.leases[node].roles
            labels = _labels.decode(said.labels)
            found.append(Executor(NodeId(node), said.slots, said.open, said.free, labels, schedules))
    return found


def _other_keys(tables: Tables, key_print: bytes) -> list[str]:
    return [
        tables.node_names[node] for node in _living(tables) if tables.reports[node].key_print not in (None, key_print)
    ]
