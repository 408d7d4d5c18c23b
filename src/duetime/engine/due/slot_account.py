"""The slot time of one user: what it is charged for in advance, and what its runs use. Pure."""

from __future__ import annotations

GUESS = 1.0
"""The slot time, in seconds, of a user's first run. It counts as one run in the mean."""
RECENT = 63 / 64
"""How much of the mean is left after another run: about the last 64 runs count."""

HeapEntry = tuple[float, int, int]
"""A user among those that wait: its tag when it was entered, the order of entries, the user."""


class SlotAccount:
    """The slots of one user: how many it holds, and the slot time it is charged for."""

    __slots__ = ("advance", "ends", "held", "seconds", "since", "tag", "used")

    def __init__(self, tag: float, now: float) -> None:
        self.tag = tag
        self.held = 0
        self.since = now
        """Up to when the use of the held slots is charged."""
        self.advance = 0.0
        """Slot time that is charged and not used yet."""
        self.used = 0.0
        """Slot time that was used since the last end of a run."""
        self.seconds = self.ends = 0.0
        """Slot time and number of the recent runs that ended."""

    def base(self, weight: float) -> float:
        """Returns the tag without what is charged in advance."""
        return self.tag - self.advance / weight

    @property
    def mean(self) -> float:
        """The slot time that a run takes: the recent mean, or more if the held slots have been held for longer."""
        recent = (self.seconds + GUESS) / (self.ends + 1.0)
        return max(recent, self.used / self.held) if self.held else recent

    def accrue(self, weight: float, now: float) -> None:
        """Use the held slots up to now. What exceeds the advance is charged."""
        used = self.held * max(0.0, now - self.since)
        self.since = now
        self.used += used
        self.advance -= used
        if self.advance < 0.0:
            self.tag -= self.advance / weight
            self.advance = 0.0

    def end(self, runs: int, weight: float) -> None:
        """Let runs end. What they were charged in advance and did not use is refunded."""
        kept = RECENT**runs
        self.seconds, self.ends = self.seconds * kept + self.used, self.ends * kept + runs
        self.used = 0.0
        self.held -= runs
        most = self.held * self.mean
        if self.advance > most:
            self.tag -= (self.advance - most) / weight
            self.advance = most
