"""Calls about workflows."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import msgspec

from .calls import Calls
from .spec import Duration
from .workflow_answers import SignalSent, Workflow, WorkflowOutline
from .workflow_steps import Step, step_fields

WORKFLOWS = "/api/v1/me/workflows"


class WorkflowCalls(Calls):
    """Creates, lists, shows and cancels workflows, and sends them signals."""

    async def create_workflow(
        self,
        name: str,
        steps: Sequence[Step | Mapping[str, Any]],
        *,
        deadline: Duration | None = None,
        on_deadline: Literal["cancel", "fail"] = "cancel",
        idempotency_key: str | None = None,
    ) -> WorkflowOutline:
        """Creates a workflow: all of its steps are stored, or none. `chain` and `group` make steps.

        Without an `idempotency_key` the client generates one for this call, as for a job.
        """
        body: dict[str, Any] = {"name": name, "steps": [step_fields(step) for step in steps]}
        if deadline is not None:
            body["deadline"] = deadline.total_seconds() if isinstance(deadline, timedelta) else deadline
            body["on_deadline"] = on_deadline
        key = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
        content = msgspec.json.encode(body)
        return self._read(
            await self._session.call("POST", WORKFLOWS, body=content, headers=key, safe=True), WorkflowOutline
        )

    async def workflows(
        self, *, status: str | None = None, name: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Workflow]:
        """Yields the user's workflows, newest first, without their steps."""
        params = {key: value for key, value in (("status", status), ("name", name)) if value is not None}
        async for one in self._pages(WORKFLOWS, params, Workflow, limit):
            yield one

    async def workflow(self, workflow_id: int) -> WorkflowOutline:
        """Returns a workflow with its steps."""
        return self._read(await self._session.call("GET", f"{WORKFLOWS}/{workflow_id}", safe=True), WorkflowOutline)

    async def cancel_workflow(self, workflow_id: int) -> WorkflowOutline:
        """Cancels a workflow: steps that have not started end, and those that run are asked to stop."""
        return self._read(await self._session.call("POST", f"{WORKFLOWS}/{workflow_id}/cancel"), WorkflowOutline)

    async def signal_workflow(
        self, workflow_id: int, name: str, payload: Any = None, *, key: str | None = None
    ) -> SignalSent:
        """Sends a signal to a workflow. A repeat with the same name and key does nothing."""
        body = {"name": name, "payload": payload, **({} if key is None else {"key": key})}
        path = f"{WORKFLOWS}/{workflow_id}/signals"
        return self._read(await self._session.call("POST", path, body=msgspec.json.encode(body), safe=True), SignalSent)
