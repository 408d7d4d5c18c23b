"""One world: nodes, clients and a nemesis on virtual time, from one seed. It ends as a history for the checker."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from random import Random
from types import ModuleType
from typing import Any, Literal, NamedTuple

import structlog

from duetime.cells import placement
from duetime.coordination import assignment, ownership
from duetime.model import ids
from duetime.model.errors import DuetimeError, StoreAway
from simulation.checker import check
from simulation.clock import store_time
from simulation.database import Database, as_one, divide
from simulation.hints import Switchboard
from simulation.history import Answer, History, Trust, Violation
from simulation.load import Load
from simulation.loop import VirtualLoop
from simulation.memory.tables import Safeguards, Tables
from simulation.nemesis import Nemesis
from simulation.node import START_AGAIN, SimulatedNode
from simulation.rest import what_is_left
from simulation.sink import Sink
from simulation.weather import Server, Weather, settle

Mode = Literal["safety", "liveness"]
SHARDS = 16
"""Enough shards that every node owns some and that they move; more would only cost time."""
UNDER_FAULTS = 9.0
BUDGET = 35.0
"""Virtual seconds after healing in which everything must come to rest: less than the forty after which the last sweep
finds launches that were never started, so that a test sees whether unanswered launches are found earlier."""
LOOK_EVERY = 0.5
PATIENCE = 4.0
"""How many seconds a client waits for an answer."""


class Outcome(NamedTuple):
    """The result of one seed."""

    seed: int
    violations: list[Violation]
    trace: str
    """A hash of everything that happened, in order."""
    faults: Counter[str]
    refused: int
    history: History
    seconds: float


class World:
    """The whole simulated world."""

    def __init__(self, seed: int, safeguards: Safeguards, ablation: str | None = None, cells: int = 1) -> None:
        """`cells` is the number of databases, each with a part of the shards."""
        self.seed, self.ablation = seed, ablation
        self.random = Random(seed)
        self.loop = VirtualLoop(self.random.getrandbits(32))
        self.databases = [self._database(number, safeguards, self.random) for number in range(1)]
        self.sink = Sink(lambda: store_time(self.loop))
        self.nodes: list[SimulatedNode] = []
        self.all_nodes: list[SimulatedNode] = []
        self.trusted: list[Trust] = []
        self.broken: list[str] = []
        self.left: list[str] = []
        self.healed = False
        self._node_random = Random(self.random.getrandbits(32))
        self._ways = Random(self.random.getrandbits(32))
        self.databases += [self._database(number, safeguards, self.random) for number in range(1, cells)]
        divide(self.databases)
        users = self.databases[0].tables
        users.add_user("light", 1.0)
        users.add_user("heavy", 3.0)
        self._context = self.databases[0].server.context

    @property
    def tables(self) -> Tables:
        """The tables of all databases as one, to be read only."""
        return as_one(self.databases)

    def _database(self, number: int, safeguards: Safeguards, random: Random) -> Database:
        tables = Tables(lambda: store_time(self.loop), safeguards, on_lease=partial(self._watch_lease, number))
        server = Server(self.loop, Weather(), Random(random.getrandbits(32)))
        return Database(number, tables, server, Switchboard(server))

    async def live(self, mode: Mode) -> None:
        """Run the world from start to end."""
        seconds = UNDER_FAULTS
        for number in range(self.random.randint(2, 4)):
            self._start(f"n{number}")
        load = self.load = Load(self, Random(self.random.getrandbits(32)), seconds)
        nemesis = self.nemesis = Nemesis(self, Random(self.random.getrandbits(32)), seconds)
        await self.until(0.5)
        await asyncio.gather(load.run(), nemesis.run())
        await self.until(seconds)
        if mode == "liveness":
            self._heal()
            await self._come_to_rest(load)

    async def until(self, at: float) -> None:
        """Wait for a virtual instant."""
        if at > self.loop.time():
            await asyncio.sleep(at - self.loop.time())

    async def ask(self, call: Callable[[Any], Awaitable[Any]], random: Random) -> tuple[Answer, Any]:
        """Make a client's call to some node. Returns the answer that comes within the client's patience."""
        answer: asyncio.Future[Any] = self.loop.create_future()
        self._send(random.choice(self.nodes), call, answer)
        await asyncio.wait({answer}, timeout=PATIENCE)
        if not answer.done():
            answer.cancel()
            return "unknown", None
        error = answer.exception()
        if error is None:
            return "ok", answer.result()
        if isinstance(error, StoreAway) or not isinstance(error, DuetimeError):
            return "unknown", error
        return ("unknown" if type(error) is DuetimeError else "refused"), error

    def _send(self, node: SimulatedNode, call: Callable[[Any], Awaitable[Any]], answer: asyncio.Future[Any]) -> None:
        if node.owner.dead:
            self.reply(answer, None, StoreAway())
        else:
            self.loop.call_later(self._way(), node.serve, call, answer, context=node.owner.context())

    def reply(self, answer: asyncio.Future[Any], done: object, error: Exception | None) -> None:
        """Send an answer back to its client, even if the node dies."""
        self.loop.call_later(self._way(), settle, answer, done, error, context=self._context)

    def restart(self, name: str) -> None:
        """Restart a node if it is down."""
        node = next(one for one in self.nodes if one.name == name)
        if node.owner.dead:
            self.nodes.remove(node)
            self._start(name)

    def start_again(self, node: SimulatedNode) -> None:
        """Start a node again after a failed start, as a supervisor does."""
        node.kill()
        self.loop.call_later(START_AGAIN, self.restart, node.name, context=self._context)

    def mend(self, node: SimulatedNode) -> None:
        """Reconnect a node to the store."""
        for cell in node.cells:
            cell.link.cut, cell.link.wedged_until = False, 0.0

    def _start(self, name: str) -> None:
        node = SimulatedNode(self, name, self._node_random)
        self.nodes.append(node)
        self.nodes.sort(key=lambda one: one.name)
        self.all_nodes.append(node)
        node.boot()

    def _heal(self) -> None:
        self.healed = True
        for database in self.databases:
            database.server.weather.clear()
        for node in list(self.nodes):
            self.mend(node)
            if node.owner.paused:
                self.loop.resume(node.owner)
            self.restart(node.name)

    async def _come_to_rest(self, load: Load) -> None:
        """Wait until schedules run again; then pause them, and wait until every job has ended."""
        end = self.loop.time() + BUDGET
        self.left = await self._rest(end, schedules_going=True)
        if not self.left:
            await asyncio.sleep(PATIENCE)  # for calls that are executed although their clients gave up
            await load.pause_all()
            self.left = await self._rest(end, schedules_going=False)

    async def _rest(self, end: float, *, schedules_going: bool) -> list[str]:
        left = what_is_left(self, schedules_going=schedules_going)
        for _ in range(int(BUDGET / LOOK_EVERY)):
            if not left or self.loop.time() >= end:
                break
            await asyncio.sleep(LOOK_EVERY)
            left = what_is_left(self, schedules_going=schedules_going)
        return left

    def _watch_lease(self, number: int, node: int) -> None:
        until = self.databases[number].tables.leases[node].until
        self.loop.call_at(
            (until - store_time(self.loop)) / timedelta(seconds=1) + self.loop.time() + 1e-4,
            self._lease_ends,
            number,
            node,
            context=self._context,
        )

    def _lease_ends(self, number: int, node: int) -> None:
        for one in self.nodes:
            if trust := one.trusts_what_ended(number, node, store_time(self.loop)):
                self.trusted.append(trust)

    def _way(self) -> float:
        return 0.0005 + self._ways.random() * 0.005


def _forget(module: ModuleType) -> None:
    """Clear what a module computed for another number of shards."""
    for one in vars(module).values():
        if callable(clear := getattr(one, "cache_clear", None)):
            clear()


@contextmanager
def small_and_quiet(world: World, margin: float | None = None) -> Iterator[None]:
    """Use few shards, and a log that keeps only errors."""

    def keep(_logger: object, _name: str, event: dict[str, Any]) -> Any:
        info = event.get("exc_info")
        error = info if isinstance(info, BaseException) else sys.exc_info()[1]
        world.broken.append(f"{event.get('event')}: {error!r}")
        raise structlog.DropEvent

    modules = [one for name, one in sys.modules.items() if name.startswith("duetime.") and hasattr(one, "SHARDS")]
    before, trusted = [(one, one.SHARDS) for one in modules], ownership.MARGIN
    chosen, placement.randbelow = placement.randbelow, Random(world.seed).randrange
    configured = structlog.get_config()
    structlog.configure(processors=[keep], wrapper_class=structlog.make_filtering_bound_logger(40))
    for one in modules:
        one.SHARDS = SHARDS  # type: ignore[method-assign]
    _forget(assignment)
    if margin is not None:
        ownership.MARGIN = margin
    try:
        yield
    finally:
        ownership.MARGIN, placement.randbelow = trusted, chosen
        for one, shards in before:
            one.SHARDS = shards  # type: ignore[method-assign]
        _forget(assignment)
        structlog.configure(**configured)


def run_seed(
    seed: int, mode: Mode, safeguards: Safeguards | None = None, ablation: str | None = None, cells: int = 1
) -> Outcome:
    """Run one world and check its history."""
    margin = 0.0 if ablation == "lease margin" else None
    assert ids.SHARDS >= SHARDS
    shards, ids.SHARDS = ids.SHARDS, SHARDS
    try:
        world = World(seed, safeguards or Safeguards(), ablation, cells)
    finally:
        ids.SHARDS = shards
    with small_and_quiet(world, margin):
        try:
            world.loop.run_until_complete(world.live(mode))
        finally:
            world.loop.close()
        tables = world.tables
        history = History(
            told=world.load.told,
            journal=tables.journal,
            starts=world.sink.starts,
            stops=world.sink.stops,
            tables=tables,
            trusted_too_long=world.trusted,
            broken=[*world.broken, *world.loop.broken],
            left=world.left,
        )
        violations = check(history)
    trace = blake2b(digest_size=16)
    for part in (tables.journal, world.sink.starts, world.sink.stops, world.load.told):
        for one in part:
            trace.update(repr(one).encode())
    return Outcome(
        seed, violations, trace.hexdigest(), world.nemesis.happened, tables.refused, history, world.loop.time()
    )
