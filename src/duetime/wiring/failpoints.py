"""Failpoints: faults at a named step, for tests of what a fault leaves behind.

DUETIME_FAILPOINTS arms them. Without it no part of the node is wrapped. Every verb of the store and the coordinator is
a step, and so is the start of runs: `launch.launch`, `executor.start`. Before or after a step the node can crash, get
an error (after: the step was done, and the caller does not know), sleep past its lease, block its event loop (`busy`)
or the whole process (`block`), or log that less was done than asked (`shortfall`). With `file:PATH` the rules come from
a file, which is read again whenever it changes, so a running node can be armed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sized
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, TypeVar, cast

import structlog

from duetime.bus.port import Slots
from duetime.clock.port import Clock
from duetime.model.errors import ConfigError, StoreAway
from duetime.store.stores import Stores
from duetime.wiring.failpoint_rules import VARIABLE, FailpointRule, When, parse_rules

log = structlog.get_logger()
FILE = "file:"
T = TypeVar("T")


def armed_failpoints(environ: Mapping[str, str], clock: Clock) -> Failpoints | None:
    """Returns the failpoints that DUETIME_FAILPOINTS arms. None when it is not set: then nothing is wrapped."""
    text = environ.get(VARIABLE)
    return Failpoints(text, clock) if text else None


def armed_once(environ: Mapping[str, str]) -> Callable[[Clock], Failpoints | None]:
    """Returns the failpoints of a whole process: all cells share them, so that a step is counted in all cells."""
    made: list[Failpoints | None] = []

    def armed(clock: Clock) -> Failpoints | None:
        if not made:
            made.append(armed_failpoints(environ, clock))
        return made[0]

    return armed


class Failpoints:
    """Wraps parts of a node. `ready` checks the rules when every part is wrapped."""

    def __init__(self, text: str, clock: Clock) -> None:
        self._text, self._clock = text, clock
        self._file = Path(text.removeprefix(FILE)) if text.startswith(FILE) else None
        self._read_at = 0
        self._known: set[str] = set()
        self._calls: Counter[str] = Counter()
        self._rules: dict[str, list[FailpointRule]] = {}

    def stores(self, stores: Stores) -> Stores:
        """Wrap every verb of every port."""
        parts: list[Any] = [self.wrap(name, getattr(stores, name)) for name in Stores._fields]
        return Stores(*parts)

    def slots(self, slots: Slots) -> Slots:
        """Wrap the start of runs."""
        return self.wrap("executor", slots, plain=("start",))

    def wrap(self, name: str, part: T, *, plain: tuple[str, ...] = ()) -> T:
        """Returns the part with a failpoint at each of its coroutines and at the functions named in `plain`."""
        verbs = [
            verb
            for verb in dir(type(part))
            if not verb.startswith("_") and (verb in plain or iscoroutinefunction(getattr(type(part), verb)))
        ]
        self._known.update(f"{name}.{verb}" for verb in verbs)
        return cast("T", _Wrapped(part, {verb: self._around(f"{name}.{verb}", getattr(part, verb)) for verb in verbs}))

    @property
    def known(self) -> frozenset[str]:
        """The names of all steps that are wrapped."""
        return frozenset(self._known)

    def ready(self) -> None:
        """Read the rules, and refuse those for unknown steps. Call this when every part is wrapped."""
        if self._file is None:
            self._rules = parse_rules(self._text, self._known)
        elif not self._file.exists():
            raise ConfigError(f"{VARIABLE} names {self._file}, but there is no such file.", key=VARIABLE)
        else:
            self._look_at_file()
        log.warning("failpoints are armed: this node is for tests only")

    def _around(self, name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
        if not iscoroutinefunction(verb):

            def plain(*given: Any, **named: Any) -> Any:
                call = self._count(name)
                self._strike_now(name, "before", call, given, None)
                done = verb(*given, **named)
                self._strike_now(name, "after", call, given, done)
                return done

            return plain

        async def around(*given: Any, **named: Any) -> Any:
            call = self._count(name)
            await self._strike(name, "before", call, given, None)
            done = await cast("Awaitable[Any]", verb(*given, **named))
            await self._strike(name, "after", call, given, done)
            return done

        return around

    def _count(self, name: str) -> int:
        if self._file is not None:
            self._look_at_file()
        self._calls[name] += 1
        return self._calls[name]

    def _look_at_file(self) -> None:
        """Read the rules again if the file has changed. The count of calls then starts from zero."""
        if self._file is None:
            return
        changed = self._file.stat().st_mtime_ns
        if changed != self._read_at:
            self._read_at = changed
            self._calls.clear()
            self._rules = parse_rules(self._file.read_text(), self._known)

    async def _strike(self, name: str, when: When, call: int, given: tuple[Any, ...], done: Any) -> None:
        for rule in self._rules.get(name, ()):
            if rule.strikes(when, call) and not _strike(rule, call, given, done):
                await self._clock.sleep(rule.seconds)

    def _strike_now(self, name: str, when: When, call: int, given: tuple[Any, ...], done: Any) -> None:
        for rule in self._rules.get(name, ()):
            if rule.strikes(when, call) and not _strike(rule, call, given, done):
                raise ConfigError(f"The failpoint {name} cannot sleep: use block.", key=VARIABLE)


class _Wrapped:
    """A part with some of its functions replaced."""

    def __init__(self, part: object, instead: Mapping[str, Callable[..., Any]]) -> None:
        self._part = part
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


def _strike(rule: FailpointRule, call: int, given: tuple[Any, ...], done: Any) -> bool:
    """Do what a rule says, except for sleeping. Returns false when the caller has to sleep."""
    sizes = [len(part) for part in given if isinstance(part, Sized) and not isinstance(part, str | bytes)]
    if rule.action == "shortfall" and not (isinstance(done, Sized) and len(done) < max(sizes, default=1)):
        return True
    log.warning(
        "failpoint",
        point=rule.name,
        when=rule.when,
        action=rule.action,
        call=call,
        given=max(sizes, default=1),
        done=len(done) if isinstance(done, Sized) else None,
    )
    if rule.action == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if rule.action == "error":
        raise StoreAway(f"The failpoint {rule.name} says that the database cannot be reached: try again.")
    if rule.action == "busy":
        time.sleep(rule.seconds)  # noqa: TID251 - to block the event loop is the purpose
    if rule.action == "block":
        # Called without giving up the interpreter's lock: no thread of the process runs.
        ctypes.PyDLL(None).usleep(round(rule.seconds * 1e6))
    return rule.action != "sleep"
