"""Starts what a command line asks for: one worker here, or several in processes of their own."""

from __future__ import annotations

from .order import WorkOrder
from .serve import serve
from .supervise import supervise


def run_workers(order: WorkOrder) -> int:
    """Works until a signal comes. Returns the exit code."""
    return supervise(order) if order.processes > 1 or order.reload else serve(order)
