"""`Traces` on OpenTelemetry: spans go to a collector as OTLP over HTTP. The only importer of its library."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import ClassVar, Final

from msgspec import Struct
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from duetime.model.ids import run_id
from duetime.model.message import TRACED
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.model.trace import ids_of_parent, spelled_parent
from duetime.tracing.run_trace import RunTrace, run_trace

QUEUED: Final = 4096
"""Spans that wait to be sent. Further ones are lost."""
AT_ONCE: Final = 1000
"""Spans that one batch of runs may report, so that a batch of traced jobs holds up no other: 20 ms."""
SEND_EVERY_MS: Final = 1000
JOBS_NAMED: Final = 20
"""Jobs of one request that its span names."""
_NO_SPAN: Final = Context()


class ExportSettings(Struct, frozen=True):
    """Where spans go, and which process they are of."""

    endpoint: str
    headers: Mapping[str, str]
    timeout: float
    service: str
    version: str
    node: str


class OtelTraces:
    """Makes spans and sends them in a thread of its own."""

    reads_header: ClassVar[bool] = True

    def __init__(self, settings: ExportSettings) -> None:
        exporter = OTLPSpanExporter(
            endpoint=settings.endpoint, headers=dict(settings.headers), timeout=settings.timeout
        )
        named = {
            "service.name": settings.service,
            "service.instance.id": settings.node,
            "service.version": settings.version,
        }
        self._ids, self._timeout = _Ids(), settings.timeout
        self._provider = TracerProvider(
            sampler=ALWAYS_ON, resource=Resource.create(named), id_generator=self._ids, shutdown_on_exit=False
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, max_queue_size=QUEUED, schedule_delay_millis=SEND_EVERY_MS)
        )
        self._tracer = self._provider.get_tracer("duetime", settings.version)

    def create(self, parent: str, user_id: int, at: datetime) -> OtelCreation:
        """Begin the span of a request that creates jobs."""
        span = self._tracer.start_span(
            "submit",
            context=_below(*ids_of_parent(parent)),
            kind=SpanKind.PRODUCER,
            attributes={"duetime.user.id": user_id},
            start_time=_ns(at),
        )
        return OtelCreation(span)

    def launched(self, runs: Sequence[LaunchedRun], at: datetime, committed_at: datetime) -> None:
        """Report the launches of traced runs: from the choice of the instant to the commit."""
        for run in [run for run in runs if run.message[:1] == TRACED][:AT_ONCE]:
            if (trace := run_trace(run)) is None:
                continue
            self._ids.force(trace.trace_id, trace.launch_id)
            span = self._tracer.start_span(
                "launch",
                context=_NO_SPAN,
                kind=SpanKind.INTERNAL,
                attributes=_attributes(run) | {"duetime.lateness": (at - run.due_at).total_seconds()},
                links=[_link(trace)],
                start_time=_ns(at),
            )
            span.end(_ns(max(at, committed_at)))

    def ended(self, settlements: Sequence[Settlement]) -> None:
        """Report traced runs: from the start of the attempt to its end."""
        for one in [one for one in settlements if one.run.message[:1] == TRACED][:AT_ONCE]:
            if (trace := run_trace(one.run)) is None:
                continue
            outcome, failure = one.outcome, one.outcome.failure
            self._ids.force(trace.trace_id, trace.run_id)
            span = self._tracer.start_span(
                f"run {one.run.definition.target.kind}",
                context=_below(trace.trace_id, trace.launch_id),
                kind=SpanKind.CONSUMER,
                attributes=_attributes(one.run) | {"duetime.outcome": outcome.state.value},
                links=[_link(trace)],
                start_time=_ns(one.started_at or one.finished_at),
            )
            if failure is not None:
                span.set_attribute("error.type", failure.kind)
                span.set_status(Status(StatusCode.ERROR, failure.message))
            elif outcome.state is JobState.SUCCEEDED:
                span.set_status(Status(StatusCode.OK))
            span.end(_ns(one.finished_at))

    def parent_of_run(self, run: LaunchedRun) -> str | None:
        """Returns the trace parent of a traced run's own span."""
        trace = run_trace(run)
        return None if trace is None else spelled_parent(trace.trace_id, trace.run_id)

    def request(self, run: LaunchedRun, method: str, url: str, at: datetime) -> OtelRequest | None:
        """Begin the span of a request to a target, below the run's span."""
        trace = run_trace(run)
        if trace is None:
            return None
        span = self._tracer.start_span(
            method,
            context=_below(trace.trace_id, trace.run_id),
            kind=SpanKind.CLIENT,
            attributes={
                "http.request.method": method,
                "url.full": url,
                "duetime.run.id": run_id(run.job_id, run.attempt),
            },
            start_time=_ns(at),
        )
        return OtelRequest(span)

    async def close(self) -> None:
        """Send what waits. A collector that does not answer holds a stop up for the time-out at most."""
        await asyncio.to_thread(self._provider.force_flush, int(self._timeout * 1000))
        await asyncio.to_thread(self._provider.shutdown)


class OtelCreation:
    """The span of one request that creates jobs."""

    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def parent(self) -> str:
        """The trace parent that the request's jobs are stored with."""
        return _parent(self._span)

    def end(self, at: datetime, *, jobs: Sequence[int] = (), error: str | None = None) -> None:
        """Report the span."""
        if error is not None:
            self._span.set_status(Status(StatusCode.ERROR, error))
        else:
            self._span.set_attribute("duetime.jobs", len(jobs))
            self._span.set_attribute("duetime.job.ids", list(jobs[:JOBS_NAMED]))
        self._span.end(_ns(at))


class OtelRequest:
    """The span of one request to a target."""

    def __init__(self, span: Span) -> None:
        self._span = span

    @property
    def parent(self) -> str:
        """The trace parent that the target receives."""
        return _parent(self._span)

    def end(self, at: datetime, *, status: int | None = None, error: str | None = None) -> None:
        """Report the span. A status of 400 or above is an error of the request, as OpenTelemetry has it."""
        if status is not None:
            self._span.set_attribute("http.response.status_code", status)
        if error is not None or (status is not None and status >= 400):
            self._span.set_attribute("error.type", error or str(status))
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end(_ns(at))


class _Ids(IdGenerator):
    """Random ids, except where the next span is to have certain ones. Spans are only begun on the event loop."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()
        self._trace_id = self._span_id = 0

    def force(self, trace_id: int, span_id: int) -> None:
        """Give the next span these ids; the trace id counts if the span has no parent."""
        self._trace_id, self._span_id = trace_id, span_id

    def generate_trace_id(self) -> int:
        """Returns the id of a new trace."""
        return self._trace_id or self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        """Returns the id of a new span."""
        given, self._trace_id, self._span_id = self._span_id, 0, 0
        return given or self._random.generate_span_id()


def _attributes(run: LaunchedRun) -> dict[str, str | int | float]:
    found: dict[str, str | int | float] = {
        "duetime.user.id": run.user_id,
        "duetime.job.id": run.job_id,
        "duetime.run.id": run_id(run.job_id, run.attempt),
        "duetime.attempt": run.attempt,
        "duetime.target": run.definition.target.kind,
    }
    if run.schedule_id is not None:
        found["duetime.schedule.id"] = run.schedule_id
    return found


def _link(trace: RunTrace) -> Link:
    return Link(_context(*ids_of_parent(trace.created_by)))


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _below(trace_id: int, span_id: int) -> Context:
    return set_span_in_context(NonRecordingSpan(_context(trace_id, span_id)), _NO_SPAN)


def _parent(span: Span) -> str:
    context = span.get_span_context()
    return spelled_parent(context.trace_id, context.span_id)


def _ns(instant: datetime) -> int:
    return int(instant.timestamp() * 1_000_000) * 1000
