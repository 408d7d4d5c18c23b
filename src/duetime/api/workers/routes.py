"""The calls of workers: register, take, beat, settle, log and leave."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from msgspec import UNSET

from duetime.api.logs.reads import logs_of
from duetime.api.server.fields import refuse_nul
from duetime.api.server.route import Answer, Call, Route
from duetime.api.workers.bodies import (
    BeatBody,
    BeatRun,
    DrainBody,
    LogBody,
    SettleBody,
    TakeBody,
    WorkerBody,
)
from duetime.api.workers.outcomes import as_outcome
from duetime.api.workers.tokens import RunTokens, worker_id, worker_name
from duetime.api.workers.views import (
    BeatView,
    KeptView,
    LeftView,
    PulledView,
    RegisteredView,
    SettledListView,
    SettledView,
    TakenView,
    encoded,
    pulled_view,
)
from duetime.engine.workers.beats import RunNote
from duetime.engine.workers.settling import NOT_HELD, RunOutcome
from duetime.engine.workers.workers import Workers
from duetime.model.errors import NotFound, NotYetActive, TooLarge
from duetime.model.ids import NodeId
from duetime.model.pull import Worker

TAG: Final = "workers"
BEATS_PER_LEASE: Final = 5
MAX_PROGRESS: Final = 4096
MAX_CHECKPOINT: Final = 65_536
SLICE: Final = 200
"""Runs that are shown without a pause for other requests."""


def workers_of(call: Call[Any, Any]) -> Workers:
    """The services for workers; a cluster of several databases has none."""
    workers = call.services.workers
    if workers is None:
        raise NotYetActive("Workers and queues need a single database: this cluster has several.")
    return workers


async def register(call: Call[WorkerBody, None]) -> Answer:
    """Registers a worker, with a lease."""
    body, workers = call.body, workers_of(call)
    for field, text in (("name", body.name), ("sdk", body.sdk), *body.labels.items()):
        refuse_nul(field, text)
    worker = Worker(
        id=NodeId(0),
        user_id=call.user.id,
        name=body.name,
        queues=tuple(dict.fromkeys(body.queues)),
        tasks=tuple(dict.fromkeys(body.tasks)),
        slots=body.slots,
        labels=dict(body.labels),
        sdk=body.sdk,
    )
    name = worker_name(await workers.registry.register(worker))
    lease = round(workers.registry.lease * 1000)
    location = f"/api/v1/workers/{name}".encode()
    return Answer(RegisteredView(name, lease, lease // BEATS_PER_LEASE), 201, ((b"location", location),))


async def take(call: Call[TakeBody, None]) -> TakenView:
    """Waits for runs, and hands them out."""
    body, services = call.body, call.services
    refuse_nul("take_id", body.take_id)
    wait = timedelta(milliseconds=body.wait_ms)
    takes, worker = workers_of(call).takes, worker_id(call.key)
    runs, draining = await takes.take(call.user.id, worker, body.take_id, body.max, wait, call.disconnected)
    tokens, now, shown = _tokens(call), services.clock.now(), list[PulledView]()
    for first in range(0, len(runs), SLICE):
        if first:
            await services.clock.sleep(0)
        shown += [pulled_view(one, tokens, now, services.traces) for one in runs[first : first + SLICE]]
    return TakenView(shown, draining)


async def beat(call: Call[BeatBody, None]) -> BeatView:
    """Renews the lease, and answers which runs are to stop."""
    user, worker, tokens = call.user.id, worker_id(call.key), _tokens(call)
    notes, unknown = list[RunNote](), list[str]()
    names: dict[tuple[int, int], str] = {}
    for one in call.body.runs:
        run = tokens.read(user, worker, one.run)
        if run is None:
            unknown.append(one.run)
            continue
        names[run] = one.run
        notes.append(_note(run, one))
    answer = await workers_of(call).beats.beat(user, worker, call.body.free, notes)
    return BeatView(
        [names[run] for run in answer.cancel], [*unknown, *(names[run] for run in answer.stale)], answer.draining
    )


async def settle(call: Call[SettleBody, None]) -> SettledListView:
    """Records how runs ended."""
    user, worker, tokens = call.user.id, worker_id(call.key), _tokens(call)
    outcomes: list[RunOutcome] = []
    known: list[int | None] = []
    for index, one in enumerate(call.body.outcomes):
        run = tokens.read(user, worker, one.run)
        known.append(None if run is None else len(outcomes))
        if run is not None:
            outcomes.append(RunOutcome(*run, as_outcome(one, index)))
    reasons = await workers_of(call).settle.settle(user, worker, outcomes) if outcomes else []
    results: list[SettledView] = []
    for one, position in zip(call.body.outcomes, known, strict=True):
        reason = "This is not the token of a run of this worker." if position is None else reasons[position]
        view = SettledView(one.run, "recorded") if reason is None else SettledView(one.run, "stale", reason)
        results.append(view)
    return SettledListView(results)


async def log_lines(call: Call[LogBody, None]) -> KeptView:
    """Adds lines to a run's log."""
    body, worker = call.body, worker_id(call.key)
    workers_of(call)
    run = _tokens(call).read(call.user.id, worker, body.run)
    if run is None:
        raise NotFound(NOT_HELD)
    for line in body.lines:
        refuse_nul("lines", line)
    return KeptView(await logs_of(call).add(worker, run, body.seq, body.lines))


async def drain(call: Call[DrainBody, None]) -> DrainBody:
    """Sets whether a worker takes nothing more."""
    body = call.body or DrainBody()
    await workers_of(call).registry.drain(call.user.id, worker_id(call.key), body.drain)
    return body


async def leave(call: Call[None, None]) -> LeftView:
    """Hands back every run of a worker, and ends its lease."""
    return LeftView(await workers_of(call).leaving.leave(call.user.id, worker_id(call.key)))


def _tokens(call: Call[Any, Any]) -> RunTokens:
    return call.parts.run_tokens


def _note(run: tuple[int, int], one: BeatRun) -> RunNote:
    progress = None if one.progress is UNSET or one.progress is None else encoded(one.progress)
    checkpoint = None if one.checkpoint is UNSET or one.checkpoint is None else encoded(one.checkpoint)
    if progress is not None and len(progress) > MAX_PROGRESS:
        raise TooLarge(f"'progress' may have at most {MAX_PROGRESS} bytes of JSON.", field="progress")
    if checkpoint is not None and len(checkpoint) > MAX_CHECKPOINT:
        raise TooLarge(f"'checkpoint' may have at most {MAX_CHECKPOINT} bytes of JSON.", field="checkpoint")
    return RunNote(*run, progress, checkpoint)


ROUTES = (
    Route(
        "POST",
        "/api/v1/workers",
        register,
        "Register a worker",
        body=WorkerBody,
        answer=RegisteredView,
        status=201,
        tag=TAG,
        description="The worker has a lease from now on: send a beat every `beat_ms`.",
        answer_headers={"Location": "The path of the worker."},
        example={"name": "mail-1", "queues": ["mail"], "tasks": ["send"], "slots": 64, "sdk": "mine/1.0"},
    ),
    Route(
        "POST",
        "/api/v1/workers/{key}/take",
        take,
        "Take runs",
        body=TakeBody,
        answer=TakenView,
        tag=TAG,
        errors=(NotFound,),
        description="Waits until there are runs, for at most `wait_ms`. After a lost answer, repeat the call with the "
        "same `take_id`.",
        example={"take_id": "1", "max": 16, "wait_ms": 20000},
    ),
    Route(
        "POST",
        "/api/v1/workers/{key}/beat",
        beat,
        "Renew a worker's lease",
        body=BeatBody,
        answer=BeatView,
        tag=TAG,
        errors=(NotFound,),
        size="job",
        description="List every run that the worker has.",
        example={"runs": [], "free": 16},
    ),
    Route(
        "POST",
        "/api/v1/workers/{key}/settle",
        settle,
        "Settle runs",
        body=SettleBody,
        answer=SettledListView,
        tag=TAG,
        errors=(NotFound,),
        size="job",
        description="Each outcome is recorded, or stale if the run is not the worker's any more. Repeats are harmless.",
        example={"outcomes": [{"run": "1025.1.VGhpcyBpcyBhIHJ1", "status": "succeeded", "result": {"sent": True}}]},
    ),
    Route(
        "POST",
        "/api/v1/workers/{key}/logs",
        log_lines,
        "Add lines to a run's log",
        body=LogBody,
        answer=KeptView,
        tag=TAG,
        errors=(NotFound,),
        size="job",
        example={"run": "1025.1.VGhpcyBpcyBhIHJ1", "seq": 0, "lines": ["sent"]},
    ),
    Route(
        "POST",
        "/api/v1/workers/{key}/drain",
        drain,
        "Let a worker finish",
        body=DrainBody,
        answer=DrainBody,
        tag=TAG,
        errors=(NotFound,),
        body_optional=True,
        description="The worker gets no more runs, and is told so by `drain` in its answers.",
        example={"drain": True},
    ),
    Route(
        "DELETE",
        "/api/v1/workers/{key}",
        leave,
        "Let a worker leave",
        answer=LeftView,
        tag=TAG,
        errors=(NotFound,),
        description="Hands back its runs at once, and ends its lease.",
    ),
)
