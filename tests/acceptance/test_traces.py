"""Traces through a real process, against a real receiver of OTLP and a real HTTP target."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from harness.calls import JOBS, Api, calling
from harness.collector import Collector, attributes_of, collector
from harness.process import running_duetime
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually
from harness.worker import queue_job, register

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
UNSAMPLED = f"00-{TRACE}-{SPAN}-00"


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.fixture
async def received() -> AsyncIterator[Collector]:
    async with collector() as found:
        yield found


async def test_a_sampled_request_is_traced_from_submit_to_target_and_no_other_is(
    stack: ExitStack, received: Collector, sink: Sink, path: str
) -> None:
    process = stack.enter_context(running_duetime(*received.options))
    async with calling(process.url) as anyone:
        api = await anyone.new_user("tess")
        await _http_job(api, received, sink, path)
        await _failures(api, received, sink, path)
        await _bulk(api, received)
        await _worker(api, received)
        await _repeats_and_edits(api)
        await _refusals(api)
        spans = len(received.spans)
        for headers in ({}, {"traceparent": UNSAMPLED}, {"traceparent": "nonsense"}):
            made = (await api.post(JOBS, {"message": "plain"}, headers=headers)).data
            await api.until(made["id"], "succeeded")
            assert "traceparent" not in made
    process.stop()
    assert len(received.spans) == spans, "a job without a sampled parent must not be traced"
    assert set(received.authorizations) == {"Bearer collect"}
    assert received.resources[0]["service.name"] == "duetime"
    lines = [json.loads(line) for line in process.output.splitlines() if line.startswith("{")]
    assert lines
    assert {line["node"] for line in lines} == {received.resources[0]["service.instance.id"]}


async def _http_job(api: Api, received: Collector, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer())
    target = {"kind": "http", "url": f"{url}?token=secret", "headers": {"x-own": "1"}}
    made = (await api.post(JOBS, {"message": {"n": 1}, "target": target}, headers={"traceparent": PARENT})).data
    assert made["message"] == {"n": 1}
    await api.until(made["id"], "succeeded")
    await eventually(lambda: received.named("run http", duetime_job_id=made["id"]))
    (submit,) = received.named("submit")
    assert (submit.trace_id.hex(), submit.parent_span_id.hex()) == (TRACE, SPAN)
    assert made["traceparent"] == f"00-{TRACE}-{submit.span_id.hex()}-01"
    assert (await api.job(made["id"]))["traceparent"] == made["traceparent"], "history keeps it"
    (launch,) = received.named("launch", duetime_job_id=made["id"])
    (run,) = received.named("run http", duetime_job_id=made["id"])
    (request,) = received.named("POST", duetime_run_id=f"{made['id']}-1")
    assert launch.parent_span_id == b""
    assert launch.trace_id.hex() != TRACE
    assert launch.trace_id == run.trace_id == request.trace_id, "a run is one trace of its own"
    assert run.parent_span_id == launch.span_id
    assert request.parent_span_id == run.span_id
    for span in (launch, run):
        (link,) = span.links
        assert (link.trace_id.hex(), link.span_id) == (TRACE, submit.span_id), "linked to its creation"
        assert span.start_time_unix_nano <= span.end_time_unix_nano
    assert attributes_of(run)["duetime_outcome"] == "succeeded"
    assert attributes_of(request)["http_response_status_code"] == 200
    assert "secret" not in str(attributes_of(request))
    (arrival,) = await sink.records(path)
    assert arrival.headers["traceparent"] == f"00-{request.trace_id.hex()}-{request.span_id.hex()}-01"
    assert arrival.body == '{"n":1}'


async def _failures(api: Api, received: Collector, sink: Sink, path: str) -> None:
    """Each attempt is a trace; the field of a job counts as the header does, and a target's own header is kept."""
    own = "00-11111111111111111111111111111111-2222222222222222-01"
    url = await sink.rule(path + "-bad", SinkAnswer(status=503))
    target = {"kind": "http", "url": url, "headers": {"Traceparent": own}}
    retry = {"max_attempts": 2, "base": 0.01, "jitter": "none"}
    body = {"message": "m", "target": target, "retry": retry, "breaker": False, "traceparent": PARENT}
    made = (await api.post(JOBS, body)).data
    await api.until(made["id"], "dead")
    runs = await eventually(lambda: _both(received, made["id"]))
    assert len({one.trace_id for one in runs}) == 2
    assert {one.status.code for one in runs} == {2}
    assert {attributes_of(one)["error_type"] for one in runs} == {"http_503"}
    assert {one.headers["traceparent"] for one in await sink.records(path + "-bad")} == {own}


def _both(received: Collector, job_id: int) -> list[Any]:
    runs = received.named("run http", duetime_job_id=job_id)
    assert len(runs) == 2
    return runs


async def _bulk(api: Api, received: Collector) -> None:
    own = "00-33333333333333333333333333333333-4444444444444444-01"
    jobs = [{"message": "a"}, {"message": "b", "traceparent": own}, {"message": "c", "traceparent": UNSAMPLED}]
    reply = await api.post(f"{JOBS}/bulk", jobs, headers={"traceparent": PARENT})
    first, second, third = reply.data["ids"]
    for job_id in (first, second, third):
        await api.until(job_id, "succeeded")
    (submit,) = await eventually(lambda: received.named("submit", duetime_jobs=3))
    assert (await api.job(first))["traceparent"] == f"00-{TRACE}-{submit.span_id.hex()}-01"
    assert (await api.job(second))["traceparent"] == own
    assert "traceparent" not in await api.job(third)
    assert (await api.runs(second))[0]["log"] == "b"


async def _worker(api: Api, received: Collector) -> None:
    """A worker gets the run's span, and the run's span is reported when the worker has settled it."""
    worker = await register(api, "traced")
    made = (await api.post(JOBS, {"message": "m", "target": queue_job("traced"), "traceparent": PARENT})).data
    (taken,) = await worker.take()
    await worker.succeed(taken)
    await api.until(made["id"], "succeeded")
    (run,) = await eventually(lambda: received.named("run queue", duetime_job_id=made["id"]))
    assert taken["traceparent"] == f"00-{run.trace_id.hex()}-{run.span_id.hex()}-01"
    (launch,) = received.named("launch", duetime_job_id=made["id"])
    assert run.parent_span_id == launch.span_id
    await worker.leave()


async def _repeats_and_edits(api: Api) -> None:
    """A repeat under the same key comes from another span. A new message keeps the trace."""
    body = {"message": "later", "delay": "1h"}
    other = f"00-{TRACE}-5555555555555555-01"
    first = await api.post(JOBS, {**body, "traceparent": PARENT}, headers={"Idempotency-Key": "one"})
    again = await api.post(JOBS, {**body, "traceparent": other}, headers={"Idempotency-Key": "one"})
    assert (again.status, again.data["id"]) == (200, first.data["id"])
    assert again.data["traceparent"] == first.data["traceparent"]
    edited = (await api.patch(f"{JOBS}/{first.data['id']}", {"message": "\x1dchanged"})).data
    assert edited["message"] == "\x1dchanged"
    assert edited["traceparent"] == first.data["traceparent"]
    await api.post(f"{JOBS}/{first.data['id']}/cancel")


async def _refusals(api: Api) -> None:
    wrong = ("x", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01-more")
    for text in wrong:
        (await api.post(JOBS, {"message": "m", "traceparent": text})).error(422, "invalid", "traceparent")


async def test_without_an_endpoint_the_header_is_ignored_and_the_field_is_handed_on(
    ada: Api, sink: Sink, path: str
) -> None:
    plain = (await ada.post(JOBS, {"message": "m"}, headers={"traceparent": PARENT})).data
    assert "traceparent" not in plain
    url = await sink.rule(path, SinkAnswer())
    made = await ada.create("m", target={"kind": "http", "url": url}, traceparent=PARENT)
    assert made["traceparent"] == PARENT
    await ada.until(made["id"], "succeeded")
    (arrival,) = await sink.records(path)
    assert arrival.headers["traceparent"] == PARENT
    assert arrival.body == "m"
