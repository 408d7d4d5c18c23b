"""Reads the message of a job with the target `workflow` as the body of `POST /api/v1/me/workflows`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from duetime.api.jobs.parse import JobParser
from duetime.api.server.decode import BodyDecoder
from duetime.api.server.services import ApiSettings
from duetime.api.workflows.bodies import WorkflowBody
from duetime.api.workflows.parse import parse_step, parse_workflow
from duetime.model.message import message_sent
from duetime.model.run import LaunchedRun
from duetime.model.targets.port import TargetKind
from duetime.model.workflow import NewWorkflow

_decoder = BodyDecoder(WorkflowBody)


def started_workflow(settings: ApiSettings) -> Callable[[LaunchedRun, str, datetime], NewWorkflow]:
    """Returns the function that reads the workflow of a run, for a user by name at an instant.

    Every attempt of a job gives the workflow the same idempotency key; a redriven job starts another one.
    """

    def read(run: LaunchedRun, username: str, now: datetime) -> NewWorkflow:
        def check(target: TargetKind) -> None:
            target.check_rules(settings.target_rules, username)

        body: WorkflowBody = _decoder.decode(message_sent(run.message)[0].encode())
        parser = JobParser(run.user_id, now, settings.max_message_bytes, settings.max_timeout, check)
        steps = [parse_step(one, parser) for one in body.steps]
        return parse_workflow(body, steps, run.user_id, now, f"workflow\x1f{run.job_id}\x1f{run.base_attempt}")

    return read
