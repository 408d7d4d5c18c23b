"""HTTP targets end to end: a job in, a request at a sink outside of the system, the answer on record."""

from __future__ import annotations

from harness.calls import Api
from harness.sink import Sink
from harness.waiting import eventually


async def test_a_job_reaches_its_target_once(ada: Api, sink: Sink, path: str) -> None:
    job = await ada.create("hello", target={"kind": "http", "url": sink.url(path)})
    done = await ada.until(job["id"])
    assert done["status"] == "succeeded"
    [arrival] = await eventually(lambda: sink.records(path))
    assert (arrival.job_id, arrival.attempt, arrival.body, arrival.state) == (job["id"], 1, "hello", "answered")
