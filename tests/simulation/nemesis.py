"""The faults of one world, chosen by its seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from simulation.node import SimulatedNode
    from simulation.world import World

T = TypeVar("T")
KINDS = ("kill", "pause", "cut", "away", "loss", "stalls", "late", "hints", "clock", "stop", "wedge", "slow")
ODDS = (5, 5, 3, 2, 4, 2, 1, 3, 2, 2, 4, 2)


class Nemesis:
    """Causes one fault after the other; they may overlap."""

    def __init__(self, world: World, random: Random, seconds: float) -> None:
        self._world, self._random, self._seconds = world, random, seconds
        self.happened: Counter[str] = Counter()

    async def run(self) -> None:
        """Cause faults at instants that the seed chooses."""
        random = self._random
        plan = sorted(
            (random.uniform(0.8, self._seconds), random.choices(KINDS, ODDS)[0]) for _ in range(random.randint(2, 6))
        )
        for at, kind in plan:
            await self._world.until(at)
            self._strike(kind)

    def _strike(self, kind: str) -> None:
        world, random = self._world, self._random
        self.happened[kind] += 1
        weather = self._one_of(world.databases).server.weather
        match kind:
            case "away":
                weather.away = True
                self._later(random.uniform(0.2, 3.0), lambda: weather.change(away=False))
            case "loss":
                weather.lost_before, weather.lost_after = random.uniform(0, 0.2), random.uniform(0, 0.2)
                self._later(random.uniform(0.5, 4.0), lambda: weather.change(lost_before=0.0, lost_after=0.0))
            case "stalls":
                weather.stalled = random.uniform(0.02, 0.15)
                self._later(random.uniform(0.5, 3.0), lambda: weather.change(stalled=0.0))
            case "late":
                weather.late = random.uniform(0.02, 0.1)
                self._later(random.uniform(0.3, 1.5), lambda: weather.change(late=0.0))
            case "slow":
                weather.slow = random.uniform(10.0, 80.0)
                self._later(random.uniform(1.0, 5.0), lambda: weather.change(slow=1.0))
            case "hints":
                weather.hints_lost, weather.hints_repeated = random.uniform(0.2, 1.0), random.uniform(0.0, 0.5)
            case _:
                self._strike_node(kind, random.choice(world.nodes))

    def _strike_node(self, kind: str, node: SimulatedNode) -> None:
        world, random = self._world, self._random
        match kind:
            case "kill":
                node.kill()
                self._later(random.uniform(0.05, 4.0), lambda: world.restart(node.name))
            case "stop":
                if node.up and not node.stopping and not node.owner.dead:
                    node.begin_stop()
                self._later(random.uniform(0.5, 4.0), lambda: world.restart(node.name))
            case "pause":
                world.loop.pause(node.owner)
                self._later(random.uniform(0.3, 7.0), lambda: world.loop.resume(node.owner))
            case "cut":
                self._one_of(node.cells).link.cut = True
                self._later(random.uniform(0.3, 5.0), lambda: world.mend(node))
            case "wedge":
                self._one_of(node.cells).link.wedged_until = world.loop.time() + random.uniform(0.5, 4.5)
            case "clock":
                node.run_at(random.uniform(0.98, 1.0))

    def _later(self, delay: float, then) -> None:  # type: ignore[no-untyped-def]
        self._world.loop.call_later(delay, then)

    def _one_of(self, these: Sequence[T]) -> T:
        """One of several databases, or cells. The seeds of worlds with one database draw nothing for it."""
        return these[0] if len(these) == 1 else self._random.choice(these)
