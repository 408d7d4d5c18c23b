"""Inputs: what the parents of a step hand to it, read when the step is launched.

A worker gets them beside the payload. A program and an HTTP target get them in one JSON object with the message. Other
targets get the message alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from duetime.model.definition import Definition
from duetime.model.message import MARK, message_shown
from duetime.model.outcome import Outcome, Result, failed
from duetime.model.run import LaunchedRun
from duetime.model.workflow import MAX_INPUTS
from duetime.store.workflow_port import Input, WorkflowStore

TOO_LARGE: Final = ""
SIGNAL: Final = "@"
"""What the name of a signal's payload begins with, among the refs of steps."""
_result = msgspec.json.Decoder(Result)
_encode = msgspec.json.Encoder().encode


class StepInputs:
    """Gives runs of steps their inputs."""

    def __init__(self, store: WorkflowStore) -> None:
        self._store = store

    async def given(self, runs: Sequence[LaunchedRun]) -> list[LaunchedRun]:
        """Returns the runs, those of steps with their inputs: one read for all of them."""
        steps = [run.job_id for run in runs if needs_inputs(run.definition)]
        found: dict[int, list[Input]] = defaultdict(list)
        for one in await self._store.inputs(steps, MAX_INPUTS):
            found[one.job_id].append(one)
        return [with_inputs(run, found[run.job_id]) if run.job_id in found else run for run in runs]


def needs_inputs(definition: Definition) -> bool:
    """Whether the jobs of a definition are steps that can use results."""
    return definition.step is True and definition.target.takes_inputs is not None


def with_inputs(run: LaunchedRun, inputs: Sequence[Input]) -> LaunchedRun:
    """Returns a run with the results of its step's parents. Pure."""
    if (inputs[0].bytes or 0) > MAX_INPUTS:
        return replace(run, inputs=TOO_LARGE)
    values = _encode({one.ref: _value(one) for one in inputs}).decode()
    if not inputs[0].pass_inputs or run.definition.target.takes_inputs != "message":
        return replace(run, inputs=values)
    body = _encode({"message": message_shown(run.message), "inputs": Raw(values.encode())}).decode()
    return replace(run, inputs=values, message=MARK + body)


def too_large(run: LaunchedRun) -> Outcome | None:
    """Returns the failure of a run whose inputs are too large to hand over; None for any other run."""
    if run.inputs != TOO_LARGE:
        return None
    message = f"the results of the steps before this one have more than {MAX_INPUTS} bytes together"
    return replace(failed("inputs", message), final=True)


def _value(one: Input) -> Any:
    """Returns the result of a parent. None: it has none, or did not succeed."""
    if one.result is None or not one.succeeded:
        return None
    if one.ref.startswith(SIGNAL):
        return Raw(one.result.encode())
    answer = _result.decode(one.result).answer
    return None if answer is None else answer.output()
