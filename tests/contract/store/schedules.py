"""Schedules for the suite: one that goes every ten seconds, and its occurrences by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

from contract.store.place import NOW, SHARD, Place, at
from duetime.model.ids import NodeId, flow_of, shard_of
from duetime.model.schedule import encode_timing
from duetime.model.states import JobState
from duetime.store.port import Again, JobRef
from duetime.store.schedule_port import Launching, Minted, Minting, NextJob, ScheduleColumns, SkippedRange
from duetime.timing.spec import Timing


class Pair(NamedTuple):
    """An occurrence that waits for another attempt, and the pending one."""

    first: JobRef
    next: JobRef


def following(schedule_id: int, seconds: float | None, number: int = 1) -> NextJob:
    """Where the schedule goes on."""
    nominal = None if seconds is None else at(seconds)
    state = "ended" if seconds is None else "active"
    return NextJob(schedule_id, nominal, nominal, None, number, "m", at(0), None, at(-100), state)


def columns(place: Place, name: str = "s", **more: Any) -> ScheduleColumns:
    """What a person says about a schedule that goes every ten seconds."""
    said: dict[str, Any] = {
        "name": name,
        "spec": encode_timing(Timing(every="10s")).decode(),
        "calendar_id": None,
        "definition_id": place.definition,
        "flow": flow_of(place.user),
        "shard": SHARD,
        "message": "m",
        "ordering_key": None,
        "priority": 5,
        "labels": None,
        "expires_after": None,
        "misfire": None,
        "overlap": "allow",
        "max_occurrences": None,
    }
    return ScheduleColumns(**{**said, **more})


async def schedule(place: Place, name: str = "s", overlap: str = "allow", seconds: float = 0, **more: Any) -> JobRef:
    """A new schedule; its first occurrence, by default due now."""
    (number,) = await place.stores.schedules.numbers(1)
    said = columns(place, name, overlap=overlap, **more)
    (ref,) = await place.stores.schedules.create(place.user, [said], [following(number, seconds)], at(-100), place.user)
    return ref


def minting(place: Place, ref: JobRef, *, lane: str | None = None, skip: bool = False, after: float = 10) -> Minting:
    """Launch the pending occurrence as it is, or skip it, and mint the next."""
    launch = Launching(ref.execute_at, ref.due_at, None, "m", lane, False, "m", None)
    return Minting(
        job_id=ref.id,
        user_id=ref.user_id,
        term=place.terms[shard_of(ref.id)],
        version=1,
        calendar_version=None,
        launch=None if skip else launch,
        own_skip=SkippedRange(ref.execute_at, ref.execute_at, 1, "misfire: late") if skip else None,
        skips=(),
        next=following(ref.schedule_id or 0, after, 1 if skip else 2),
    )


async def mint(place: Place, *mintings: Minting, node: NodeId | None = None) -> Minted:
    """Carry plans out, by default as the owner."""
    return await place.stores.mint.mint(node or place.node, NOW, list(mintings))


async def go(place: Place, *mintings: Minting, node: NodeId | None = None) -> Minted:
    """Launch as it is, by default as the owner."""
    return await place.stores.mint.launch_and_mint(node or place.node, NOW, list(mintings))


async def occurrence(place: Place, ref: JobRef) -> Pair:
    """Launch the pending occurrence and let it wait for another attempt; it and the next."""
    minted = await mint(place, minting(place, ref))
    again = Again(ref.id, place.node, 1, JobState.FAILED, NOW, NOW, None, at(1), False)
    (back,) = await place.stores.settle.retry([again])
    return Pair(back, minted.next[0])
