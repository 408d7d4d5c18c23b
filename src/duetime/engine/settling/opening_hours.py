"""The hours within which a job's attempts may start: the first attempt and every retry alike."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from duetime.model.policy import Hours
from duetime.timing.windows import Window


def within(hours: Hours, instant: datetime) -> datetime:
    """Returns the instant itself if the window is open then, else the window's next opening."""
    return _window(hours).next_opening(instant) or instant


@lru_cache(maxsize=1024)
def _window(hours: Hours) -> Window:
    return Window.parse(hours.window, zone=hours.zone)
