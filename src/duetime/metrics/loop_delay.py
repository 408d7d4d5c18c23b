"""How late the event loop calls a timer: what every request, launch and lease of the process waits beside its work."""

from __future__ import annotations

import asyncio

from duetime.metrics.histogram import Histogram

EVERY = 0.25


class LoopDelay:
    """Measures the delay again and again, from start to stop."""

    def __init__(self, delay: Histogram) -> None:
        self._delay = delay
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Measure from now on."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(EVERY, self._measure, loop, loop.time() + EVERY)

    def stop(self) -> None:
        """Measure no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _measure(self, loop: asyncio.AbstractEventLoop, expected: float) -> None:
        self._delay.observe(max(0.0, loop.time() - expected))
        self.start()
