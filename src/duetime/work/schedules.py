"""The schedules of an app: declared beside their tasks, registered by name when a worker starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict

from msgspec import Struct

from ..client.schedule_answers import Applied
from ..client.spec import Duration, Fields
from ..errors import Invalid

if TYPE_CHECKING:
    from .app import Duetime
    from .protocol.calls import WorkClient
    from .task import Task


class ScheduleOptions(TypedDict, total=False):
    """The fields of a schedule, with the names of the API, and the arguments of its calls."""

    name: str
    arguments: Mapping[str, Any]
    every: Duration
    anchor: datetime
    at: Sequence[datetime]
    rrule: str
    dialect: str
    zone: str
    dst_policy: str
    calendar: str
    window: str
    window_policy: str
    jitter: Duration
    start: datetime
    end: datetime
    expires_after: Duration
    max_occurrences: int
    misfire: Fields | str
    overlap: str


class Schedule(Struct, frozen=True):
    """A schedule of a task."""

    name: str
    task: Any
    timing: Mapping[str, Any]
    arguments: Mapping[str, Any]

    @classmethod
    def of(cls, task: Task[Any, Any], cron: str | list[str] | None, options: ScheduleOptions) -> Schedule:
        """Returns the schedule that a decorator declares."""
        fields: dict[str, Any] = {**options}
        name, arguments = fields.pop("name", None) or task.name, fields.pop("arguments", {})
        return cls(name, task, fields if cron is None else {"cron": cron, **fields}, arguments)

    def body(self, prefix: str) -> dict[str, Any]:
        """Returns the schedule as the API reads it. Its name begins with the prefix of its app."""
        task: Task[Any, Any] = self.task
        arguments = task.signature.bound((), self.arguments)
        spec = task.draft.spec(task.name, task.signature.message(arguments), arguments)
        rules = {
            name: value
            for name in (
                "priority",
                "timeout",
                "delivery",
                "retry",
                "on_failure",
                "labels",
                "limit",
                "hours",
                "requires",
            )
            if (value := getattr(spec, name)) is not None
        }
        key = {} if spec.ordering_key is None else {"ordering_key": spec.ordering_key}
        return {
            "name": f"{prefix}{self.name}",
            **self.timing,
            "target": spec.target,
            "message": spec.message,
            **rules,
            **key,
        }


async def register(app: Duetime, client: WorkClient) -> list[Applied]:
    """Creates and changes the app's schedules on the server, and deletes those that the code has no more.

    Their names begin with the name of the app. An app without a name has no schedules.
    """
    if app.name is None:
        if app.schedules:
            raise Invalid("An app with schedules needs a name: Duetime(name='mailer').")
        return []
    prefix = f"{app.name}/"
    if app.schedules:
        return await client.apply_schedules([one.body(prefix) for one in app.schedules.values()], prune=prefix)
    left = [one async for one in client.schedules(q=prefix) if one.name.startswith(prefix)]
    for one in left:
        await client.delete_schedule(one.id)
    return [Applied(one.name, "delete", [], one.id) for one in left]
