"""Runs functions in the event loop of the worker."""

from __future__ import annotations

import asyncio
from contextvars import copy_context

from ..context import current_context
from ..outcomes import Ending
from ..worker.attempt import Attempt


class LoopRunner:
    """Coroutine functions as tasks; quick blocking functions, if they ask for it, directly."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def start(self, attempt: Attempt) -> None:
        """Starts a run. A blocking function has ended when this returns."""
        task, signature = attempt.task, attempt.task.signature
        scope = copy_context()
        scope.run(current_context.set, attempt.context)
        try:
            args, kwargs = signature.call(attempt.run.message)
            if signature.wants_context:
                args = (attempt.context, *args)
            called = scope.run(task.function, *args, **kwargs)
            if not task.is_async:
                attempt.succeed(signature.result(called))
                attempt.free()
                return
        except Exception as error:  # whatever a function raises is its outcome
            attempt.fail(error)
            attempt.free()
            return
        running = attempt.runner_state = self._loop.create_task(called, context=scope)
        running.add_done_callback(lambda done: _ended(attempt, done))

    def interrupt(self, attempt: Attempt, reason: Ending) -> None:
        """Cancels the task: the function sees a `CancelledError` at its next `await`."""
        attempt.stop(reason)
        if attempt.runner_state is not None:
            attempt.runner_state.cancel()

    async def close(self) -> None:
        """Nothing is left to end."""


def _ended(attempt: Attempt, done: asyncio.Task[object]) -> None:
    try:
        if done.cancelled():
            attempt.fail(attempt.context.stop_reason)
        elif (error := done.exception()) is not None:
            attempt.fail(error)
        else:
            attempt.succeed(attempt.task.signature.result(done.result()))
    except Exception as error:  # a result that cannot be stored
        attempt.fail(error)
    attempt.free()
