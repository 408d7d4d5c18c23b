"""Checks whether a healed world has come to rest, and lists what is left if it has not."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from simulation.clock import store_time
from simulation.database import Database

if TYPE_CHECKING:
    from simulation.world import World

A_MOMENT = timedelta(seconds=1.5)


def what_is_left(world: World, *, schedules_going: bool) -> list[str]:
    """Sentences that say what is not at rest: with running schedules, or with paused ones and all jobs ended."""
    left = [*_nodes(world), *(text for one in world.databases for text in _leases(world, one))]
    return left + ([*_schedules(world)] if schedules_going else [*_jobs(world)])


def _nodes(world: World) -> list[str]:
    left = [f"node {node.name} is not up" for node in world.nodes if not node.up]
    cells = [(node.name, one) for node in world.nodes for one in node.cells]
    return left + [f"a cell of node {name} has not started" for name, one in cells if not one.started]


def _leases(world: World, database: Database) -> list[str]:
    tables, now = database.tables, store_time(world.loop)
    left = [f"the lease of node {one.id} is over and still held" for one in tables.leases.values() if one.until < now]
    owners = [node.cells[database.number].ownership for node in world.nodes]
    living = {one.node for one in owners}
    held = {shard: one for one in owners for shard, mine in enumerate(one.held) if mine}
    for number in database.shards:
        shard = tables.shards[number]
        if shard.owner not in tables.leases or shard.owner not in living:
            left.append(f"shard {number} belongs to node {shard.owner}, which is gone")
        elif number not in held or held[number].terms[number] != shard.term:
            left.append(f"shard {number} belongs to node {shard.owner}, which does not know")
    left += [
        f"job {one.job_id} is in flight with node {one.executor}, which is gone"
        for one in tables.in_flight.values()
        if one.executor not in tables.leases
    ]
    return left


def _schedules(world: World) -> list[str]:
    late = store_time(world.loop) - A_MOMENT
    return [
        f"schedule {one.row.id} does not go on: pending {one.row.pending_job} at {one.row.pending_due}"
        for one in world.tables.schedules.values()
        if one.row.state == "active" and (one.row.pending_job is None or (one.row.pending_due or late) <= late)
    ]


def _jobs(world: World) -> list[str]:
    """Open jobs, except those that wait behind a dead job in a blocked lane."""
    tables = world.tables
    blocked = {
        (job.user_id, job.lane): job.place for job in tables.jobs.values() if job.parked is not None and job.lane
    }
    left = [
        f"job {job.id} ({job.message}) is open: due {job.due_at}, ready {job.ready}, lane {job.lane}, "
        f"in flight {tables.in_flight.get(job.id)}"
        for job in tables.jobs.values()
        if job.parked is None
        and ((job.user_id, job.lane) not in blocked or job.place < blocked[job.user_id, job.lane or ""])
    ]
    return left + [f"job {one} is in flight and not there" for one in tables.in_flight if one not in tables.jobs]
