"""Renews a node's lease from a thread of its own: a node whose event loop is busy is late, but keeps its shards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

import structlog

from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Renewals
from duetime.model.errors import StoreAway

log = structlog.get_logger()
PATIENCE = 10.0
"""Seconds. A loop that has not turned for longer is stuck: its lease expires, and other nodes take over."""
STOP_SECONDS = 5.0


class LeaseKeeper:
    """The thread, with an event loop and connections of its own. `Ownership` decides what a renewal means."""

    def __init__(
        self, ownership: Ownership, renewals: Callable[[], Renewals], every: float, *, patience: float = PATIENCE
    ) -> None:
        """`renewals` is called in the thread: connections belong to the loop that opens them."""
        self._ownership, self._renewals, self._every, self._patience = ownership, renewals, every, patience
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._stuck = False
        self.renewed = 0
        """How often it has renewed the lease."""

    def start(self) -> None:
        """Begin to renew."""
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="lease", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Renew no more, and wait for the thread to end. A repeat has no effect."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(self._stopping.set)
        thread.join(STOP_SECONDS)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        renewals = self._renewals()
        try:
            while not self._stopping.is_set():
                await self._renew(renewals)
                await self._pause()
        finally:
            await renewals.close()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._every):
                await self._stopping.wait()

    async def _renew(self, renewals: Renewals) -> None:
        """Renew unless the loop is stuck. A failure is tried again, and the node's own duty reports it."""
        if self._ownership.quiet_for > self._patience:
            if not self._stuck:
                log.error("the event loop is stuck: the lease is left to expire", seconds=self._patience)
            self._stuck = True
            return
        self._stuck = False
        try:
            if await self._ownership.renew_by(renewals):
                self.renewed += 1
        except StoreAway:
            return
        except Exception:
            log.exception("the lease could not be renewed")
