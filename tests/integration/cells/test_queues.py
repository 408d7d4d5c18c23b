"""Queues need a single database: with several cells, a job for one is refused before anything is stored."""

from __future__ import annotations

import pytest

from duetime.model.definition import Definition
from duetime.model.errors import Invalid
from duetime.model.targets.queue import QueueTarget
from harness.cells import CellEngines


async def test_a_job_for_a_queue_is_refused_with_a_sentence(cells: CellEngines) -> None:
    user = await cells.user()
    with pytest.raises(Invalid, match="need a single database, and this cluster has several"):
        await cells.add(user, definition=Definition(QueueTarget(queue="mail", task="send")))
    assert await cells.count("jobs") == 0
