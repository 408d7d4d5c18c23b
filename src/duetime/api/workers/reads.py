"""What people see of workers and queues."""

from __future__ import annotations

from duetime.api.server.route import Call, Route
from duetime.api.workers.routes import TAG, workers_of
from duetime.api.workers.tokens import worker_id
from duetime.api.workers.views import (
    QueueView,
    WorkerDetailView,
    WorkerView,
    queue_view,
    worker_detail_view,
    worker_view,
)
from duetime.model.errors import NotFound


async def list_workers(call: Call[None, None]) -> list[WorkerView]:
    """The living workers of the user."""
    return [worker_view(one) for one in await workers_of(call).registry.list(call.user.id)]


async def show_worker(call: Call[None, None]) -> WorkerDetailView:
    """One living worker, with the runs that it holds."""
    return worker_detail_view(*await workers_of(call).insight.worker(call.user.id, worker_id(call.key)))


async def list_queues(call: Call[None, None]) -> list[QueueView]:
    """The queues of the user, by name."""
    return [queue_view(one) for one in await workers_of(call).insight.queues(call.user.id)]


ROUTES = (
    Route("GET", "/api/v1/workers", list_workers, "List your living workers", answer=list[WorkerView], tag=TAG),
    Route(
        "GET",
        "/api/v1/workers/{key}",
        show_worker,
        "Show a worker",
        answer=WorkerDetailView,
        tag=TAG,
        errors=(NotFound,),
        description="A living worker with the runs that it holds, and what they last reported.",
    ),
    Route(
        "GET",
        "/api/v1/me/queues",
        list_queues,
        "List your queues",
        answer=list[QueueView],
        tag=TAG,
        description="Queues that have due jobs, runs or workers. Answers are up to a second old.",
    ),
)
