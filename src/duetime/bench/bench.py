"""What a benchmark receives: its size and rounds, a running Duetime, and a place for its figures."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Protocol

from duetime.bench.result import BenchOutcome, Better, Curve, Figure
from duetime.bench.server import Server, temporary_directory


class Skipped(Exception):
    """The benchmark cannot run on this machine. The text says why."""


class Bench:
    """The context of one benchmark."""

    def __init__(self, outcome: BenchOutcome, *, quick: bool, rounds: int, say: Callable[[str], None]) -> None:
        self.outcome, self.quick, self.rounds = outcome, quick, rounds
        self._say = say
        self._round = ""
        self.postgres: dict[str, str] = {}
        """The PostgreSQL settings of the last server."""

    def size(self, full: int, quick: int) -> int:
        """Returns the full size, or the quick one in a quick run."""
        return quick if self.quick else full

    def each_round(self) -> Iterator[int]:
        """Yields the numbers of the rounds, and names the round in the progress line."""
        for number in range(1, self.rounds + 1):
            self._round = f"round {number} of {self.rounds}: "
            self.say("")
            yield number
        self._round = ""

    def say(self, text: str) -> None:
        """Shows in the progress line what the benchmark is doing."""
        self._say(self._round + text)

    def figure(self, name: str, value: float, unit: str, better: Better = "none") -> None:
        """Adds one round's value to a figure."""
        for figure in self.outcome.figures:
            if figure.name == name:
                figure.values.append(value)
                return
        self.outcome.figures.append(Figure(name, unit, better, [value]))

    def rate(self, name: str, value: float) -> None:
        """Adds one round's value to a figure in jobs per second."""
        self.figure(name, value, "jobs/s", "higher")

    def milliseconds(self, name: str, seconds: float) -> None:
        """Adds one round's value, given in seconds, to a figure in milliseconds."""
        self.figure(name, seconds * 1000, "ms", "lower")

    def curve(self, name: str, x: str, y: str, points: list[tuple[float, float]], *, log_x: bool = False) -> None:
        """Adds a curve. It replaces the curve of this name of an earlier round."""
        self.outcome.curves = [curve for curve in self.outcome.curves if curve.name != name]
        self.outcome.curves.append(Curve(name, x, y, points, log_x))

    def note(self, text: str) -> None:
        """Adds a sentence to the report, once."""
        if text not in self.outcome.notes:
            self.outcome.notes.append(text)

    @asynccontextmanager
    async def server(self, *options: str) -> AsyncGenerator[Server]:
        """Starts Duetime with an empty database. Stops it and removes its data at the end."""
        self.say("starting Duetime")
        with temporary_directory() as directory:
            server = Server(directory / "data", options)
            try:
                yield await server.start()
                self.postgres = await server.postgres_settings()
            finally:
                await server.stop()


class Benchmark(Protocol):
    """A module of the suite, or an object with the same names."""

    @property
    def NAME(self) -> str:  # noqa: N802 - modules have it as a constant
        """Its name on the command line."""
        ...

    @property
    def TITLE(self) -> str:  # noqa: N802
        """What it measures."""
        ...

    async def run(self, bench: Bench) -> None:
        """Measures, and puts the figures into `bench`."""
        ...
