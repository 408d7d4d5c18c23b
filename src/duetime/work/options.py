"""The options of a task and of one enqueue: everything about a job except its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict

from msgspec import Struct

from ..client.spec import Delivery, Duration, Fields, JobSpec, OnFailure
from ..errors import Invalid
from .durations import seconds_of

RunIn = Literal["loop", "thread", "process"]
DEFAULT_QUEUE = "default"


class JobOptions(TypedDict, total=False):
    """Options that both a task and one enqueue of it can have."""

    queue: str
    attempts: int
    retry: Fields | bool
    timeout: Duration
    stall_after: Duration
    ordering_key: str
    priority: int
    delivery: Delivery
    on_failure: OnFailure
    labels: Mapping[str, str]
    limit: Fields
    hours: Fields
    requires: Mapping[str, str]
    broadcast: bool


class EnqueueOptions(JobOptions, total=False):
    """Options of one enqueue."""

    at: datetime
    delay: Duration
    expires_at: datetime
    idempotency_key: str
    traceparent: str
    transaction: Any


class Draft(Struct, frozen=True, kw_only=True):
    """The options of one job, merged."""

    options: Mapping[str, Any]

    @property
    def transaction(self) -> Any:
        """The caller's transaction to enqueue in; None for an enqueue of its own."""
        return self.options.get("transaction")

    @property
    def idempotency_key(self) -> str | None:
        """The caller's name for this enqueue."""
        return self.options.get("idempotency_key")

    def merged(self, more: Mapping[str, Any]) -> Draft:
        """Returns these options with others on top. `retry` and `attempts` replace each other's parts."""
        return Draft(options={**self.options, **more})

    def spec(self, task: str, message: Any, arguments: Mapping[str, Any]) -> JobSpec:
        """Returns the job to create."""
        given = self.options
        if given.get("at") is not None and given.get("delay") is not None:
            raise Invalid("Give either an instant (at) or a delay, not both.")
        return JobSpec(
            message=message,
            execute_at=given.get("at"),
            delay=given.get("delay"),
            target=self.target(task),
            ordering_key=self._ordering_key(task, arguments),
            retry=self.retry(),
            **{name: given[name] for name in PASSED_ON if given.get(name) is not None},
        )

    def target(self, task: str) -> dict[str, Any]:
        """Returns the target of the job."""
        kind = "broadcast" if self.options.get("broadcast") else "queue"
        target: dict[str, Any] = {"kind": kind, "queue": self.options.get("queue", DEFAULT_QUEUE), "task": task}
        if (stall := self.options.get("stall_after")) is not None:
            if kind == "broadcast":
                raise Invalid("A job for every worker has a time-out, but no 'stall_after'.")
            target["stall_after"] = seconds_of(stall)
        return target

    def retry(self) -> Any:
        """Returns the retry rule of the job; None for the server's default."""
        attempts, retry = self.options.get("attempts"), self.options.get("retry")
        if attempts is None:
            return retry
        if isinstance(retry, bool):
            raise Invalid("Give either 'attempts' or a 'retry' of true or false, not both.")
        return {**(retry or {}), "max_attempts": attempts}

    def _ordering_key(self, task: str, arguments: Mapping[str, Any]) -> str | None:
        template: str | None = self.options.get("ordering_key")
        if template is None:
            return None
        try:
            return template.format_map(arguments)
        except (KeyError, IndexError, AttributeError, ValueError) as error:
            text = f"The ordering key '{template}' of the task '{task}' does not fit its arguments: {error!r}."
            raise Invalid(f"{text} Name parameters of the function in braces, such as '{{to}}'.") from None


PASSED_ON = (
    *("priority", "timeout", "expires_at", "delivery", "on_failure"),
    *("labels", "limit", "hours", "requires", "traceparent"),
)
