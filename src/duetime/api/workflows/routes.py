"""Creating, listing, showing and cancelling workflows."""

from __future__ import annotations

from duetime.api.jobs.parse import JobParser
from duetime.api.jobs.routes import IDEMPOTENCY_KEY, idempotency_key
from duetime.api.server.listing import before_id, page
from duetime.api.server.many import parse_many
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.api.workflows.bodies import SignalBody, WorkflowBody, WorkflowsQuery
from duetime.api.workflows.parse import parse_step, parse_workflow, signal_payload
from duetime.api.workflows.views import (
    CreatedWorkflowView,
    OutlineView,
    SignalView,
    WorkflowView,
    created_view,
    outline_view,
    workflow_view,
)
from duetime.model.errors import Conflict, DuetimeError

TAG = "workflows"
PATH = "/api/v1/me/workflows"


async def create_workflow(call: Call[WorkflowBody, None]) -> Answer:
    """Stores a workflow with all its steps, and answers once it is durable."""
    services, user_id = call.services, call.user.id
    settings, now, key = services.settings, services.clock.now(), idempotency_key(call)
    parser = JobParser(user_id, now, settings.max_message_bytes, settings.max_timeout, call.check_target)
    try:
        steps = await parse_many("Step", call.body.steps, lambda body: parse_step(body, parser), services)
    except DuetimeError as error:
        if str(error.details.get("field", "")).startswith("["):
            error.details["field"] = f"steps{error.details['field']}"
        raise
    made = await services.jobs.workflows.create(parse_workflow(call.body, steps, user_id, now, key))
    location = f"{PATH}/{made.outline.workflow.id}".encode()
    view = created_view(made.outline, created=not made.repeated)
    return Answer(view, 200 if made.repeated else 201, ((b"location", location),))


async def list_workflows(call: Call[None, WorkflowsQuery]) -> Listing:
    """One page of workflows, newest first."""
    query = call.query
    before = before_id("workflows", query.cursor)
    found = await call.services.jobs.workflows.list(call.user.id, before, query.limit, query.status, query.name)
    return page("workflows", found, query.limit, workflow_view)


async def show_workflow(call: Call[None, None]) -> OutlineView:
    """A workflow with its steps."""
    return outline_view(await call.services.jobs.workflows.show(call.user.id, call.id))


async def cancel_workflow(call: Call[None, None]) -> OutlineView:
    """Cancels a workflow."""
    return outline_view(await call.services.jobs.workflows.cancel(call.user.id, call.id, call.user.id))


async def signal_workflow(call: Call[SignalBody, None]) -> SignalView:
    """Sends a signal to a workflow."""
    body, user_id = call.body, call.user.id
    payload = signal_payload(body)
    sent = await call.services.jobs.workflows.signal(user_id, call.id, body.name, body.key, payload, user_id)
    return SignalView(body.name, not sent.repeated, sent.released)


ROUTES = (
    Route(
        "POST",
        PATH,
        create_workflow,
        "Create a workflow",
        body=WorkflowBody,
        answer=CreatedWorkflowView,
        status=201,
        errors=(Conflict,),
        tag=TAG,
        description="Steps are jobs. A step without `depends_on` is due at once, every other one when the steps that "
        "it waits for have ended as it asks. A step whose `depends_on` can no longer be met is `skipped` with the "
        "reason `upstream: …`. Refs that no step has, refs that two steps have, and circles are refused.",
        size="bulk",
        list_field="steps",
        headers=(IDEMPOTENCY_KEY,),
        answer_headers={"Location": "The path of the workflow."},
        also={200: "A repeat with the same key and body: `created` is false, and this is the workflow of that call."},
        example={
            "name": "nightly",
            "steps": [
                {"ref": "extract", "message": "extract"},
                {"ref": "load", "message": "load", "depends_on": ["extract"]},
                {"ref": "alarm", "message": "failed", "depends_on": [{"ref": "load", "on": "failure"}]},
            ],
        },
    ),
    Route(
        "GET",
        PATH,
        list_workflows,
        "List your workflows",
        query=WorkflowsQuery,
        answer=list[WorkflowView],
        paged=True,
        tag=TAG,
        description="Newest first, without their steps.",
    ),
    Route("GET", f"{PATH}/{{id}}", show_workflow, "Show a workflow with its steps", answer=OutlineView, tag=TAG),
    Route(
        "POST",
        f"{PATH}/{{id}}/cancel",
        cancel_workflow,
        "Cancel a workflow",
        answer=OutlineView,
        errors=(Conflict,),
        tag=TAG,
        description="Steps that have not started end as `cancelled`, and those that run are asked to stop. 409 for a "
        "workflow that has ended.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/signals",
        signal_workflow,
        "Send a signal to a workflow",
        body=SignalBody,
        answer=SignalView,
        errors=(Conflict,),
        tag=TAG,
        description="Steps with `wait_for` start when it has come and the steps before them have ended as asked. It is "
        "kept, so it may come early. 409 for a workflow that has ended.",
        example={"name": "approved", "payload": {"by": "ada"}, "key": "form-7"},
    ),
)
