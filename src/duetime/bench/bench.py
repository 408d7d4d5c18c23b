"""What a benchmark is given: how big to be, a started Duetime, and where to put figures."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Protocol

from duetime.bench.result import BenchOutcome, Better, Curve, Figure
from duetime.bench.server import Server, temporary_directory


class Skipped(Exception):
    """A benchmark that cannot be run here; the text says why."""


class Bench:
    """One benchmark's surroundings."""

    def __init__(self, outcome: BenchOutcome, *, quick: bool, rounds: int, say: Callable[[str], None]) -> None:
        self.outcome, self.quick, self.rounds = outcome, quick, rounds
        self._say = say
        self._round = ""
        self.postgres: dict[str, str] = {}
        """The settings of the last server's database."""

    def size(self, full: int, quick: int) -> int:
        """How much of something."""
        return quick if self.quick else full

    def turns(self) -> Iterator[int]:
        """The rounds, one after the other."""
        for number in range(1, self.rounds + 1):
            self._round = f"round {number} of {self.rounds}: "
            self.say("")
            yield number
        self._round = ""

    def say(self, text: str) -> None:
        """Show what is being done."""
        self._say(self._round + text)

    def figure(self, name: str, value: float, unit: str, better: Better = "none") -> None:
        """One round's value of a figure."""
        for figure in self.outcome.figures:
            if figure.name == name:
                figure.values.append(value)
                return
        self.outcome.figures.append(Figure(name, unit, better, [value]))

    def rate(self, name: str, value: float) -> None:
        """A figure of jobs per second."""
        self.figure(name, value, "jobs/s", "higher")

    def milliseconds(self, name: str, seconds: float) -> None:
        """A figure of time, given in seconds."""
        self.figure(name, seconds * 1000, "ms", "lower")

    def curve(self, name: str, x: str, y: str, points: list[tuple[float, float]], *, log_x: bool = False) -> None:
        """A line; one of the same name takes the place of the last round's."""
        self.outcome.curves = [curve for curve in self.outcome.curves if curve.name != name]
        self.outcome.curves.append(Curve(name, x, y, points, log_x))

    def note(self, text: str) -> None:
        """A sentence for the report, once."""
        if text not in self.outcome.notes:
            self.outcome.notes.append(text)

    @asynccontextmanager
    async def server(self, *options: str) -> AsyncGenerator[Server]:
        """A Duetime of its own with an empty database, ended and removed at the end."""
        self.say("starting Duetime")
        with temporary_directory() as directory:
            server = Server(directory / "data", options)
            try:
                yield await server.start()
                self.postgres = await server.postgres_settings()
            finally:
                await server.stop()


class Benchmark(Protocol):
    """A module of the suite, or anything like one."""

    @property
    def NAME(self) -> str:  # noqa: N802 - the name that a module's constant has
        """What it is called on the command line."""
        ...

    @property
    def TITLE(self) -> str:  # noqa: N802
        """What it measures."""
        ...

    async def run(self, bench: Bench) -> None:
        """Measure."""
        ...
