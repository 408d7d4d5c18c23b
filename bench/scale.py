"""`python -m bench.scale`: a capacity model of nodes and cells, and a simulation of it with the real routing code.

The model divides unit costs, which were measured, into the work. The simulation lets nodes and cells work in steps of
a second: jobs are routed by `duetime.cells`, shards are assigned by `duetime.coordination.assignment`, databases and
nodes fail. It shows what the model leaves out: how evenly work spreads, what a fault costs, and how long it takes to
catch up.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from math import ceil
from random import Random
from typing import Any, cast

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.cells.placement import CellRotation
from duetime.coordination.assignment import share_of
from duetime.model.ids import SHARDS, shard_of_lane

DAY = 86_400
LATER = 100
"""Seconds from submit to due, for half of the jobs."""
OUTAGE = 60


@dataclass(frozen=True)
class Costs:
    """What one job costs from submit to record; docs/scale.md says which figures are measured."""

    node_us: float = 20.0
    """Processor time of a node: to accept in bulk, 6 µs, and to launch, run and record, 13 µs."""
    database_us: float = 22.0
    """Processor time of PostgreSQL: to store, 6 µs, and to launch and record, 15 µs."""
    wal_bytes: float = 1100.0
    """Log from submit to record, with 100 bytes of message."""
    pending_bytes: float = 332.0
    """A pending job in its table and indexes, with 100 bytes of message."""
    history_bytes: float = 276.0
    busy: float = 0.6
    """How much of a machine's processors is used at the planned peak."""


@dataclass(frozen=True)
class Machine:
    """A machine for a database: its processors, how much log it writes in a second, and its disk."""

    cores: int = 4
    wal_per_second: float = 200e6
    disk: float = 2e12
    """Bytes for the history."""


@dataclass(frozen=True)
class Plan:
    """How many of everything a load needs."""

    cells: int
    processes: int
    peak: float
    """Jobs a second at the peak."""
    connections: int
    """To each database."""
    wal: float
    """Bytes a second, for each database."""
    pending: float
    """Bytes, for each database."""
    history: float
    """Bytes a day, for each database."""


def plan(
    jobs_a_day: float, pending: float, costs: Costs, machine: Machine, peak: float = 3.0, pool: int = 12, days: int = 30
) -> Plan:
    """Returns what a load needs. `peak` is how many times the mean rate comes at once, `days` the retention."""
    rate = jobs_a_day / DAY * peak
    by_cpu = rate * costs.database_us / 1e6 / (machine.cores * costs.busy)
    by_wal = rate * costs.wal_bytes / machine.wal_per_second
    by_disk = jobs_a_day * costs.history_bytes * days / machine.disk
    cells = max(1, ceil(by_cpu), ceil(by_wal), ceil(by_disk))
    processes = max(2, ceil(rate * costs.node_us / 1e6 / costs.busy))
    return Plan(
        cells,
        processes,
        rate,
        processes * (pool + 3),
        rate * costs.wal_bytes / cells,
        pending * costs.pending_bytes / cells,
        jobs_a_day * costs.history_bytes / cells,
    )


@dataclass
class World:
    """Cells with backlogs, and nodes that own shards in each of them."""

    cells: Cells
    nodes: list[int]
    owners: list[list[int]]
    up: set[int]
    backlog: Counter[int] = field(default_factory=Counter)
    """Due jobs by shard."""
    later: dict[int, Counter[int]] = field(default_factory=dict)
    """By the second that they are due in."""
    moved: int = 0
    """Shards that changed their owner."""

    @classmethod
    def of(cls, cells: int, nodes: int) -> World:
        """Equal parts of the shards in every cell, equal parts of each cell's shards for every node."""
        up = set(range(cells))
        made = Cells([cast(Cell, SimulatedCell(number, cells, up)) for number in range(cells)])
        made.set_homes([shard * cells // SHARDS for shard in range(SHARDS)])
        world = cls(made, list(range(1, nodes + 1)), [[0] * SHARDS for _ in range(cells)], up)
        world.balance()
        world.moved = 0
        return world

    def balance(self) -> None:
        """Assign the shards of every cell that is up, as nodes do."""
        for cell in self.cells:
            if cell.number not in self.up:
                continue
            owners, shards = self.owners[cell.number], sorted(cell.here)
            for node in self.nodes:
                for shard in share_of(node, self.nodes, owners, shards):
                    if owners[shard] != node:
                        self.moved += 1
                        owners[shard] = node

    def arrive(self, second: int, jobs: int, lanes: float, random: Random, rotation: CellRotation) -> int:
        """Route new jobs, `lanes` of them with an ordering key, in requests of a hundred; half are due later.

        Returns how many were refused, because their one cell was away.
        """
        refused = 0
        self.backlog.update(self.later.pop(second, {}))
        for at in range(0, jobs, 100):
            due = self.backlog if at % 200 else self.later.setdefault(second + LATER, Counter())
            if random.random() < lanes:
                shard = shard_of_lane(1, str(random.random()))
                if self.cells.closed(shard) is None:
                    due[shard] += 100
                else:
                    refused += 100
                continue
            open_shards = sorted(rotation.next().here)
            for shard in random.sample(open_shards, 4):
                due[shard] += 25
        return refused

    def work(self, per_cell: float, per_node: float) -> int:
        """Launch for a second: bounded by what each database, and each node, can do."""
        nodes, done = Counter(dict.fromkeys(self.nodes, per_node)), 0.0
        for cell in self.cells:
            if cell.number not in self.up:
                continue
            left, owners = per_cell, self.owners[cell.number]
            for shard in cell.here:
                jobs = min(self.backlog[shard], left, nodes[owners[shard]])
                if jobs > 0:
                    self.backlog[shard] -= cast(int, jobs)
                    left, done = left - jobs, done + jobs
                    nodes[owners[shard]] -= cast(int, jobs)
        return round(done)


class SimulatedCell:
    """As much of a cell as routing asks for."""

    version = 0

    def __init__(self, number: int, cells: int, up: set[int]) -> None:
        """`up` are the cells whose databases answer; the simulation changes it."""
        self.number, self._up = number, up
        self.here = frozenset(shard for shard in range(SHARDS) if shard * cells // SHARDS == number)
        self.away = frozenset(range(SHARDS)) - self.here

    @property
    def answers(self) -> bool:
        """Whether the database is up."""
        return self.number in self._up

    def sentence(self) -> str:
        """What routing says about a cell that is away."""
        return f"Database {self.number} does not answer"


def simulate(found: Plan, costs: Costs, machine: Machine, *, seconds: int, scale: float, seed: int) -> dict[str, Any]:
    """Runs the planned peak, a `scale` part of it, with one cell away and then one node killed. Returns figures."""
    random, world = Random(seed), World.of(found.cells, found.processes)
    rotation = CellRotation(world.cells)
    rate = max(100, round(found.peak * scale))
    per_cell = machine.cores / (costs.database_us / 1e6) * scale
    per_node = 1 / (costs.node_us / 1e6) * scale
    done, refused, worst, caught_up = 0, 0, 0, seconds
    away = range(seconds // 4, seconds // 4 + OUTAGE)
    for second in range(seconds):
        world.up.update(range(found.cells))
        if second in away and found.cells > 1:
            world.up.discard(found.cells - 1)
        if second == seconds // 2 and len(world.nodes) > 1:
            world.nodes.pop()
            world.balance()
        refused += world.arrive(second, rate, 0.2, random, rotation)
        done += world.work(per_cell, per_node)
        waiting = world.backlog.total()
        worst = max(worst, waiting)
        if not waiting and second >= away.stop:
            caught_up = min(caught_up, second)
    return {
        "rate, jobs/s": done / seconds / scale,
        "worst backlog, jobs": worst / scale,
        "caught up after, s": caught_up - away.stop,
        "refused (their one cell was away), jobs": refused / scale,
        "shards moved by the loss of a node": world.moved,
    }


def expected(found: Plan, costs: Costs, machine: Machine) -> dict[str, float]:
    """Returns the same figures by formula: half of the jobs are due later, a fifth have ordering keys."""
    part, room = found.peak / found.cells, machine.cores / (costs.database_us / 1e6)
    waiting = OUTAGE * part * 0.5 if found.cells > 1 else 0.0
    return {
        "rate, jobs/s": found.peak,
        "worst backlog, jobs": waiting,
        "caught up after, s": ceil(waiting / (room - part)),
        "refused (their one cell was away), jobs": OUTAGE * part * 0.2 if found.cells > 1 else 0.0,
        "shards moved by the loss of a node": SHARDS / found.processes,
    }


def main() -> int:
    """Prints the plan of a load, and the simulation beside it."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jobs-a-day", type=float, default=1e9)
    parser.add_argument("--pending", type=float, default=1e8)
    parser.add_argument("--cores", type=int, default=4, help="of each database's machine")
    parser.add_argument("--peak", type=float, default=3.0, help="times the mean rate")
    parser.add_argument("--pool", type=int, default=12, help="postgres.pool_size")
    parser.add_argument("--cells", type=int, help="instead of what the plan says")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    costs, machine = Costs(), Machine(cores=given.cores)
    found = plan(given.jobs_a_day, given.pending, costs, machine, given.peak, given.pool)
    if given.cells:
        found = replace(found, cells=given.cells)
    print(f"{given.jobs_a_day:,.0f} jobs a day, {given.pending:,.0f} pending, peak {found.peak:,.0f} jobs/s:")
    print(f"  {found.cells} databases of {given.cores} cores, {found.processes} node processes")
    print(f"  to each database: {found.connections} connections, {found.wal / 1e6:,.0f} MB/s of log")
    print(f"  in each database: {found.pending / 1e9:,.1f} GB pending, {found.history / 1e9:,.0f} GB of history a day")
    figures = simulate(found, costs, machine, seconds=given.seconds, scale=1 / 10, seed=given.seed)
    print(f"simulated for {given.seconds} s, one database away for 60 s, one node lost:")
    print(f"  {'':40} {'simulated':>12} {'formula':>12}")
    formula = expected(found, costs, machine)
    for name, figure in figures.items():
        print(f"  {name:40} {figure:12,.0f} {formula[name]:12,.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
