"""The faults of one world, chosen by its seed."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulation.node import SimulatedNode
    from simulation.world import World

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
        weather = world.server.weather
        match kind:
            case "away":
                weather.away = True
                self._later(random.uniform(0.2, 3.0), self._come_back)
            case "loss":
                weather.lost_before, weather.lost_after = random.uniform(0, 0.2), random.uniform(0, 0.2)
                self._later(random.uniform(0.5, 4.0), self._no_loss)
            case "stalls":
                weather.stalled = random.uniform(0.02, 0.15)
                self._later(random.uniform(0.5, 3.0), self._no_stalls)
            case "late":
                weather.late = random.uniform(0.02, 0.1)
                self._later(random.uniform(0.3, 1.5), self._not_late)
            case "slow":
                weather.slow = random.uniform(10.0, 80.0)
                self._later(random.uniform(1.0, 5.0), self._not_slow)
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
                node.link.cut = True
                self._later(random.uniform(0.3, 5.0), lambda: world.mend(node))
            case "wedge":
                node.link.wedged_until = world.loop.time() + random.uniform(0.5, 4.5)
            case "clock":
                node.clock.run_at(random.uniform(0.98, 1.0))

    def _later(self, delay: float, then) -> None:  # type: ignore[no-untyped-def]
        self._world.loop.call_later(delay, then)

    def _come_back(self) -> None:
        self._world.server.weather.away = False

    def _no_loss(self) -> None:
        weather = self._world.server.weather
        weather.lost_before = weather.lost_after = 0.0

    def _no_stalls(self) -> None:
        self._world.server.weather.stalled = 0.0

    def _not_slow(self) -> None:
        self._world.server.weather.slow = 1.0

    def _not_late(self) -> None:
        self._world.server.weather.late = 0.0
