"""A request to create a job that a program wrote in a transaction of its own."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from duetime.model.ids import UserId


class EnqueuedJob(NamedTuple):
    """A request to create a job: the body of a call of the API, its key, and when it was enqueued."""

    number: int
    user_id: UserId
    key: str
    body: bytes
    enqueued_at: datetime
