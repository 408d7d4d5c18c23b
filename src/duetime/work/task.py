"""A task: a function that workers run, and the calls that enqueue it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, Unpack

from ..client.spec import JobSpec
from .encoding.signature import Signature
from .options import Draft, EnqueueOptions, RunIn

if TYPE_CHECKING:
    from .app import Duetime
    from .handle import Handle

P = ParamSpec("P")
R = TypeVar("R")


class Task(Generic[P, R]):
    """A function with a name and options. Enqueueing it creates a job; calling `function` runs it here and now."""

    def __init__(
        self, app: Duetime, function: Callable[..., Any], name: str, draft: Draft, run_in: RunIn | None
    ) -> None:
        self.app, self.function, self.name, self.draft = app, function, name, draft
        self.is_async = inspect.iscoroutinefunction(function)
        self.run_in: RunIn = run_in or ("loop" if self.is_async else "thread")
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", name)
        self.__module__ = function.__module__

    def __repr__(self) -> str:
        """Names the task and its queue."""
        return f"Task({self.name!r}, queue={self.queue!r})"

    @property
    def queue(self) -> str:
        """The queue of the task's jobs, unless an enqueue says otherwise."""
        return self.draft.target(self.name)["queue"]

    @cached_property
    def signature(self) -> Signature:
        """The signature of the function, read at first use, when all types are defined."""
        return Signature(self.function, self.app.codec, self.name)

    def options(self, **options: Unpack[EnqueueOptions]) -> Enqueue[P, R]:
        """Returns the task with options for the jobs that are enqueued through it."""
        return Enqueue(self, self.draft.merged(options))

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Handle[R]:
        """Creates a job that calls the function with these arguments. Returns a handle of the job."""
        return await Enqueue(self, self.draft).enqueue(*args, **kwargs)

    def enqueue_sync(self, *args: P.args, **kwargs: P.kwargs) -> Handle[R]:
        """Does the same as `enqueue`, for code without an event loop."""
        return Enqueue[P, R](self, self.draft).enqueue_sync(*args, **kwargs)

    def job(self, *args: P.args, **kwargs: P.kwargs) -> JobSpec:
        """Returns the job without creating it, for `Duetime.enqueue_all`."""
        return Enqueue[P, R](self, self.draft).job(*args, **kwargs)


class Enqueue(Generic[P, R]):
    """A task with options."""

    def __init__(self, task: Task[P, R], draft: Draft) -> None:
        self._task, self._draft = task, draft

    def options(self, **options: Unpack[EnqueueOptions]) -> Enqueue[P, R]:
        """Returns the task with more options."""
        return Enqueue(self._task, self._draft.merged(options))

    def job(self, *args: P.args, **kwargs: P.kwargs) -> JobSpec:
        """Returns the job without creating it."""
        signature = self._task.signature
        arguments = signature.bound(args, kwargs)
        return self._draft.spec(self._task.name, signature.message(arguments), arguments)

    async def enqueue(self, *args: P.args, **kwargs: P.kwargs) -> Handle[R]:
        """Creates a job that calls the function with these arguments. Returns a handle of the job."""
        return await self._task.app.enqueuing.create(self._task, self._draft, self.job(*args, **kwargs))

    def enqueue_sync(self, *args: P.args, **kwargs: P.kwargs) -> Handle[R]:
        """Does the same as `enqueue`, for code without an event loop."""
        return self._task.app.enqueuing.create_sync(self._task, self._draft, self.job(*args, **kwargs))
