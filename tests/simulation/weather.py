"""The network to the store: latency, loss, stalls and cuts, chosen by the seed."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from duetime.model.errors import StoreAway
from simulation.loop import Owner, VirtualLoop

T = TypeVar("T")


@dataclass
class Weather:
    """The present state of the network. The nemesis changes it; healing resets it."""

    away: bool = False
    lost_before: float = 0.0
    """The fraction of calls that fail before they are executed."""
    lost_after: float = 0.0
    """The fraction that is executed although the caller sees an error."""
    late: float = 0.0
    """The fraction that is executed only after the caller saw an error."""
    stalled: float = 0.0
    """The fraction that takes seconds."""
    slow: float = 1.0
    """The factor by which every message is slower than usual."""
    hints_lost: float = 0.0
    hints_repeated: float = 0.0

    def change(self, **to: float) -> None:
        """Change some of the state."""
        for name, value in to.items():
            setattr(self, name, value)

    def clear(self) -> None:
        """Reset everything to no faults."""
        self.away = False
        self.lost_before = self.lost_after = self.late = self.stalled = 0.0
        self.hints_lost = self.hints_repeated = 0.0
        self.slow = 1.0


class Server:
    """The store's side: executes each call at one instant of virtual time, outside of any node's process."""

    def __init__(self, loop: VirtualLoop, weather: Weather, random: Random) -> None:
        self.loop, self.weather, self.random = loop, weather, random
        self.context = contextvars.Context()
        self.calls = 0
        self.failed: dict[str, int] = {}

    def receive(self, link: NodeLink, name: str, work: Callable[[], object], answer: asyncio.Future[object]) -> None:
        """Receive a call from a node."""
        self.calls += 1
        random, weather = self.random, self.weather
        way = link.way(0.0003 + random.random() * 0.004 * weather.slow)
        if weather.away or link.cut:
            wait = way if random.random() < 0.6 else 0.2 + random.random() * 2.5
            self._later(wait, self._fail, link, name, answer)
            return
        fate = random.random() - weather.lost_before
        if fate < 0:
            self._later(way, self._fail, link, name, answer)
            return
        fate -= weather.late
        if fate < 0:
            self._later(way, self._fail, link, name, answer)
            self._later(0.05 + random.random() * 4.0, self._do_late, work)
            return
        fate -= weather.stalled
        if fate < 0:
            way = max(way, 0.3 + random.random() * 4.0)
            fate = weather.lost_after
        self._later(way, self._do, link, name, work, answer, fate < weather.lost_after)

    def _do(
        self, link: NodeLink, name: str, work: Callable[[], object], answer: asyncio.Future[object], lost: bool
    ) -> None:
        way = link.way(0.0003 + self.random.random() * 0.002 * self.weather.slow)
        if self.weather.away:
            self._later(way, self._fail, link, name, answer)
            return
        try:
            done, error = work(), None
        except Exception as raised:
            done, error = None, raised
        if lost or link.cut:
            self._later(way, self._fail, link, name, answer)
        else:
            self._later(way, settle, answer, done, error)

    def _do_late(self, work: Callable[[], object]) -> None:
        if not self.weather.away:
            try:
                work()
            except Exception:
                return

    def _fail(self, link: NodeLink, name: str, answer: asyncio.Future[object]) -> None:
        self.failed[name] = self.failed.get(name, 0) + 1
        settle(answer, None, StoreAway())

    def _later(self, delay: float, callback: Callable[..., object], *args: Any) -> None:
        self.loop.call_later(delay, callback, *args, context=self.context)


def settle(answer: asyncio.Future[object], done: object, error: Exception | None) -> None:
    """Deliver an answer, if its caller still waits."""
    if answer.done():
        return
    if error is None:
        answer.set_result(done)
    else:
        answer.set_exception(error)
        answer._log_traceback = False  # the caller may be dead


class NodeLink:
    """One node's connection to the store."""

    def __init__(self, server: Server, owner: Owner) -> None:
        self._server, self.owner = server, owner
        self.cut = False
        """Whether every call fails at once with an error."""
        self.wedged_until = 0.0
        """Until when messages are held back; they all arrive afterwards."""

    def way(self, usual: float) -> float:
        """How long a message sent now takes."""
        held = self.wedged_until - self._server.loop.time()
        return usual if held <= 0 else held + self._server.random.random() * 0.02

    async def call(self, name: str, work: Callable[[], T]) -> T:
        """Execute work at the store. Raises `StoreAway` if no answer comes."""
        answer = self._server.loop.create_future()
        self._server.receive(self, name, work, answer)
        return await answer
