"""The ids of a run's trace. Pure: every node computes the same ones."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from duetime.model.message import trace_of
from duetime.model.run import LaunchedRun


class RunTrace(NamedTuple):
    """The trace of one run: the launch is its root, and the run is below the launch."""

    trace_id: int
    launch_id: int
    run_id: int
    created_by: str
    """The trace parent that the job was created with, to which the trace is linked."""


def run_trace(run: LaunchedRun) -> RunTrace | None:
    """Returns the trace of a run; None for a run that is not traced."""
    parent = trace_of(run.message)
    if parent is None:
        return None
    digest = blake2b(f"{parent}/{run.job_id}/{run.attempt}".encode(), digest_size=32).digest()
    trace_id, launch_id, run_id = (int.from_bytes(part, "big") for part in (digest[:16], digest[16:24], digest[24:]))
    # Zero is no id in W3C Trace Context.
    return RunTrace(trace_id or 1, launch_id or 1, run_id or 2, parent)
