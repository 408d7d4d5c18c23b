"""Tasks and workers: functions that Duetime calls at their instants, in processes of your own.

The same files are `duetime_client.work` in the light wheel: imports in here are relative.
"""

from .app import Duetime
from .context import Context, current_context
from .handle import Handle, JobFailed, NoResultYet
from .outcomes import Cancelled, Fail, Retry, Snooze, TimedOut
from .task import Enqueue, Task
from .worker.worker import Worker, WorkSettings

__all__ = [
    "Cancelled",
    "Context",
    "Duetime",
    "Enqueue",
    "Fail",
    "Handle",
    "JobFailed",
    "NoResultYet",
    "Retry",
    "Snooze",
    "Task",
    "TimedOut",
    "WorkSettings",
    "Worker",
    "current_context",
]
