"""Creates jobs of tasks: by a call of the API, or by a statement in the caller's own transaction."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, TypeVar

from ..client.spec import JobSpec, encode
from .handle import Handle
from .options import Draft
from .task import Task
from .transaction.write import write, write_sync

if TYPE_CHECKING:
    from .app import Duetime

R = TypeVar("R")


class Enqueuing:
    """Creates the jobs of an app."""

    def __init__(self, app: Duetime) -> None:
        self._app = app

    async def create(self, task: Task[Any, R], draft: Draft, spec: JobSpec) -> Handle[R]:
        """Creates a job. Returns its handle."""
        key = draft.idempotency_key or secrets.token_hex(16)
        if draft.transaction is not None:
            await write(draft.transaction, encode(spec).decode(), key, self._app.username)
            return Handle(self._app, task, key=key)
        job = await (await self._app.client()).create_encoded(encode(spec), key)
        return Handle(self._app, task, job_id=job.id, key=key)

    def create_sync(self, task: Task[Any, R], draft: Draft, spec: JobSpec) -> Handle[R]:
        """Does the same as `create`, for code without an event loop."""
        if draft.transaction is not None:
            key = draft.idempotency_key or secrets.token_hex(16)
            write_sync(draft.transaction, encode(spec).decode(), key, self._app.username)
            return Handle(self._app, task, key=key)
        return self._app.in_own_loop(self.create(task, draft, spec))
