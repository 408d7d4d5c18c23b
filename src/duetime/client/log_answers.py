"""The server's answers about logs. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class LogLine(Struct, frozen=True):
    """A line that matches: its number in the log of the attempt, from 1, and its first 1,000 characters."""

    number: int
    text: str


class LogHit(Struct, frozen=True):
    """Lines of an attempt that were stored together: how many of them match, and the first of those."""

    job: int
    attempt: int
    at: datetime
    matches: int
    lines: list[LogLine]
