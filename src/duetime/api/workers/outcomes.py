"""Turns what a worker says of a run into an outcome. Pure."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import UNSET

from duetime.api.server.fields import refuse_nul
from duetime.api.workers.bodies import OutcomeBody
from duetime.model.errors import Invalid, TooLarge
from duetime.model.outcome import SUCCEEDED, Failure, Outcome
from duetime.model.states import JobState
from duetime.model.targets.queue import MAX_RESULT_BYTES, worker_answer

_NO_ERROR: Final = Failure("error", "The attempt failed.")


def as_outcome(body: OutcomeBody, index: int) -> Outcome:
    """Returns the outcome, if the fields fit its status. An error names the index of the outcome."""
    _check_fields(body, index)
    if body.status == "succeeded":
        if body.result is None:
            return SUCCEEDED
        if len(msgspec.json.encode(body.result)) > MAX_RESULT_BYTES:
            raise TooLarge(
                f"A result may have at most {MAX_RESULT_BYTES} bytes of JSON: keep large results elsewhere, and "
                "return where.",
                field=f"outcomes[{index}].result",
                limit=MAX_RESULT_BYTES,
            )
        return Outcome(JobState.SUCCEEDED, answer=worker_answer(result=body.result))
    again = None if body.retry_in_ms is None else body.retry_in_ms / 1000
    if body.status == "failed":
        error = body.error
        failure = _NO_ERROR if error is None else Failure(error.kind, error.message)
        answer = None if error is None or error.trace is UNSET else worker_answer(trace=error.trace)
        return Outcome(JobState.FAILED, failure, answer, again, not body.retryable)
    text = "The worker gave the run back." if body.status == "released" else "The worker put the run off."
    return Outcome(JobState.SUSPENDED, Failure(body.status, text), next_after=again or 0.0)


def _check_fields(body: OutcomeBody, index: int) -> None:
    where, status = f"outcomes[{index}]", body.status
    if body.result is not None and status != "succeeded":
        raise Invalid(f"'result' goes with the status 'succeeded', not with '{status}'.", field=f"{where}.result")
    if status != "failed" and (body.error is not None or not body.retryable):
        raise Invalid(f"'error' and 'retryable' go with the status 'failed', not with '{status}'.", field=where)
    if status in ("succeeded", "released") and body.retry_in_ms is not None:
        raise Invalid(f"'retry_in_ms' goes with 'failed' and 'snoozed', not with '{status}'.", field=where)
    if status == "snoozed" and body.retry_in_ms is None:
        raise Invalid("'snoozed' needs 'retry_in_ms': for how long.", field=f"{where}.retry_in_ms")
    if body.error is not None:
        refuse_nul("error.message", body.error.message)
        if body.error.trace is not UNSET:
            refuse_nul("error.trace", body.error.trace)
