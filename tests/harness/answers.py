"""What HTTP targets answered."""

from __future__ import annotations

from duetime.model.outcome import Outcome
from duetime.model.targets.http import HttpAnswer


def body_of(outcome: Outcome) -> str:
    """The body of the answer that an attempt ended with."""
    assert isinstance(outcome.answer, HttpAnswer)
    return outcome.answer.body
