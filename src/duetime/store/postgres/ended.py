"""Ends of jobs as the store returns them: rows of the type `ended_row`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from duetime.model.events import JobEnded
from duetime.model.states import JobState


def ended(rows: Iterable[Any]) -> list[JobEnded]:
    """Returns ends as events."""
    return [JobEnded(row[0], row[1], JobState(row[2]), *row[3:]) for row in rows]
