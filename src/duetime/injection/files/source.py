"""A source of files: a directory whose files become jobs and schedules, each record exactly once."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.asking.accounts import Accounts
from duetime.engine.intake.quota import Quota
from duetime.injection.files.content import Stamp
from duetime.injection.files.directory import Directory, Found, shown_name
from duetime.injection.files.intake import FileIntake, IntakeSettings
from duetime.injection.files.records import FileRules
from duetime.injection.files.storing import LEASE, HeldElsewhere
from duetime.injection.files.watching import watch
from duetime.model.errors import DuetimeError, NotFound, Stopping, StoreAway
from duetime.model.targets.port import TargetRules
from duetime.store.file_port import FileStore
from duetime.store.injection_port import Overtaken

log = structlog.get_logger()
STOP_SECONDS: Final = 5.0
LONG_PAUSE: Final = timedelta(seconds=5)
LEFT_FOR: Final = 60.0
"""Seconds for which a file is left alone that could not be read or moved."""
SWEPT: Final = 1000


class FileLimits(Struct, frozen=True):
    """What records may ask for."""

    targets: TargetRules
    max_message_bytes: int
    max_timeout: float
    poll: timedelta


class FileSource:
    """Looks into one directory for as long as the node runs, and tries again after every problem."""

    def __init__(
        self,
        settings: IntakeSettings,
        limits: FileLimits,
        directory: Directory,
        intake: FileIntake,
        files: FileStore,
        accounts: Accounts,
        quota: Quota,
        clock: Clock,
    ) -> None:
        self._settings, self._limits, self._directory, self._intake = settings, limits, directory, intake
        self._files, self._accounts, self._quota, self._clock = files, accounts, quota, clock
        self._left: dict[str, tuple[Stamp, float]] = {}
        """Files that are left alone until an instant of the monotonic clock, unless they change."""
        self._nudge, self._stop, self._ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._ended.set()
        self._problem: str | None = None

    async def run(self) -> None:
        """Read until `stop`."""
        self._ended.clear()
        watching = asyncio.create_task(watch(self._directory.path, self._nudge.set, self._stop))
        while not self._stop.is_set():
            self._nudge.clear()
            pause = self._limits.poll
            try:
                await self._round()
                self._problem = None
            except Stopping:
                pass
            except (OSError, DuetimeError) as error:
                self._warn(str(error))
                pause = max(pause, LONG_PAUSE)
            except Exception:
                log.exception("a source of files broke: it is tried again", source=self._settings.name)
                pause = max(pause, LONG_PAUSE)
            if not self._stop.is_set():
                await self._clock.wait(self._nudge, self._clock.now() + pause)
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        self._ended.set()

    async def stop(self) -> None:
        """Take no further file. The batch that is being stored is finished; the rest of its file is read later."""
        self._intake.stop()
        self._stop.set()
        self._nudge.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), STOP_SECONDS)

    async def sweep(self) -> None:
        """Forget files that ended long ago: the same content is new then."""
        before = self._clock.now() - self._settings.remember
        for file_id in await self._files.ended_before(self._settings.source, before, SWEPT):
            await self._files.forget(file_id)

    async def _round(self) -> None:
        """Take in every complete file."""
        found = await asyncio.to_thread(self._directory.look, self._clock.monotonic())
        names = {one.name for one in found}
        self._left = {name: left for name, left in self._left.items() if name in names}
        waiting = [one for one in found if not self._is_left(one)]
        if not waiting:
            return
        rules = await self._rules()
        for one in waiting:
            if self._stop.is_set():
                return
            await self._admit(one, rules)

    async def _admit(self, found: Found, rules: FileRules) -> None:
        try:
            await self._intake.admit(found, rules)
        except HeldElsewhere:
            self._leave(found, LEASE.total_seconds())
        except Overtaken:
            pass  # The next look shows who has it now: another node, or this one after a lost answer.
        except (Stopping, StoreAway):
            raise
        except Exception:
            # One file must not stop the others, nor be tried without end.
            name, file = self._settings.name, shown_name(found.name)
            log.exception("a file could not be taken in: it is left for a minute", source=name, file=file)
            self._leave(found, LEFT_FOR)

    async def _rules(self) -> FileRules:
        """Returns what the user's records may ask for. Raises `NotFound` while there is no such user."""
        settings, limits = self._settings, self._limits
        found = await self._accounts.credentials(settings.username)
        if found is None:
            raise NotFound(f"There is no user '{settings.username}': create the user, or correct the source.")
        longest = self._quota.of(found.user).payload_bytes
        return FileRules(
            found.user.id,
            settings.username,
            limits.targets,
            limits.max_message_bytes if longest is None else min(limits.max_message_bytes, longest),
            limits.max_timeout,
        )

    def _warn(self, problem: str) -> None:
        """Log a problem once, until there is another."""
        if problem != self._problem:
            log.warning("a source of files cannot be read", source=self._settings.name, error=problem)
        self._problem = problem

    def _leave(self, found: Found, seconds: float) -> None:
        self._left[found.name] = found.stamp, self._clock.monotonic() + seconds

    def _is_left(self, found: Found) -> bool:
        left = self._left.get(found.name)
        return left is not None and left[0] == found.stamp and self._clock.monotonic() < left[1]
