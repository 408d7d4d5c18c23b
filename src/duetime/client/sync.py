"""The blocking client, for programs without an event loop. It runs one in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from threading import Thread
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from .client import DEFAULT_URL, Client

P = ParamSpec("P")
T = TypeVar("T")

_END = object()


def blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncClient, P], T]:
    """Returns the blocking form of an asynchronous method."""

    @wraps(method)
    def call(self: SyncClient, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.wait_for(method(self.client, *args, **kwargs))

    return call


def iterating(
    method: Callable[Concatenate[Client, P], AsyncIterator[T]],
) -> Callable[Concatenate[SyncClient, P], Iterator[T]]:
    """Returns the blocking form of an asynchronous iterator."""

    @wraps(method)
    def iterate(self: SyncClient, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        entries = method(self.client, *args, **kwargs)
        try:
            while (entry := self.wait_for(_next(entries))) is not _END:
                yield cast("T", entry)
        finally:
            self.wait_for(_close(entries))

    return iterate


async def _next(entries: AsyncIterator[object]) -> object:
    return await anext(entries, _END)


async def _close(entries: AsyncIterator[Any]) -> None:
    if hasattr(entries, "aclose"):
        await entries.aclose()  # pyright: ignore[reportAttributeAccessIssue]


class SyncClient:
    """`Client` without `await`. Use it as `with SyncClient(url) as client`. Threads may share it.

    It takes the arguments of `Client`, and its methods are those of `Client`, run in an event loop of its own.
    """

    def __init__(self, url: str = DEFAULT_URL, *, token: str | None = None, **options: Any) -> None:
        self.client = Client(url, token=token, **options)
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="duetime-client", daemon=True)
        self._thread.start()

    login = blocking(Client.login)
    refresh = blocking(Client.refresh)
    change_password = blocking(Client.change_password)
    me = blocking(Client.me)
    create_job = blocking(Client.create_job)
    create_jobs = blocking(Client.create_jobs)
    job = blocking(Client.job)
    jobs = iterating(Client.jobs)
    cancel = blocking(Client.cancel)
    edit = blocking(Client.edit)
    run_now = blocking(Client.run_now)
    job_by_key = blocking(Client.job_by_key)
    edit_by_key = blocking(Client.edit_by_key)
    cancel_by_key = blocking(Client.cancel_by_key)
    cancel_many = blocking(Client.cancel_many)
    runs = blocking(Client.runs)
    stats = blocking(Client.stats)
    summary = blocking(Client.summary)
    overview = blocking(Client.overview)
    planned = blocking(Client.planned)
    shares = blocking(Client.shares)
    watch = iterating(Client.watch)
    dead_letters = iterating(Client.dead_letters)
    dead_letter = blocking(Client.dead_letter)
    redrive = blocking(Client.redrive)
    redrive_many = blocking(Client.redrive_many)
    discard = blocking(Client.discard)
    lanes = blocking(Client.lanes)
    lane = blocking(Client.lane)
    skip_lane = blocking(Client.skip_lane)
    retry_lane = blocking(Client.retry_lane)
    clear_lane = blocking(Client.clear_lane)
    breakers = blocking(Client.breakers)
    reset_breaker = blocking(Client.reset_breaker)
    all_breakers = blocking(Client.all_breakers)
    reset_all_breakers = blocking(Client.reset_all_breakers)
    create_schedule = blocking(Client.create_schedule)
    create_schedules = blocking(Client.create_schedules)
    apply_schedules = blocking(Client.apply_schedules)
    schedule = blocking(Client.schedule)
    edit_schedule = blocking(Client.edit_schedule)
    delete_schedule = blocking(Client.delete_schedule)
    pause_schedule = blocking(Client.pause_schedule)
    resume_schedule = blocking(Client.resume_schedule)
    run_schedule_now = blocking(Client.run_schedule_now)
    preview_schedule = blocking(Client.preview_schedule)
    preview = blocking(Client.preview)
    backfill = blocking(Client.backfill)
    create_calendar = blocking(Client.create_calendar)
    calendar = blocking(Client.calendar)
    edit_calendar = blocking(Client.edit_calendar)
    delete_calendar = blocking(Client.delete_calendar)
    schedules = iterating(Client.schedules)
    schedule_history = iterating(Client.schedule_history)
    calendars = iterating(Client.calendars)
    audit = iterating(Client.audit)
    audit_chain = blocking(Client.audit_chain)
    create_notification_rule = blocking(Client.create_notification_rule)
    notification_rules = iterating(Client.notification_rules)
    notification_rule = blocking(Client.notification_rule)
    edit_notification_rule = blocking(Client.edit_notification_rule)
    delete_notification_rule = blocking(Client.delete_notification_rule)
    test_notification_rule = blocking(Client.test_notification_rule)
    preview_notification_rule = blocking(Client.preview_notification_rule)
    notifications = iterating(Client.notifications)
    create_workflow = blocking(Client.create_workflow)
    workflows = iterating(Client.workflows)
    workflow = blocking(Client.workflow)
    cancel_workflow = blocking(Client.cancel_workflow)
    signal_workflow = blocking(Client.signal_workflow)
    create_user = blocking(Client.create_user)
    users = iterating(Client.users)
    set_weight = blocking(Client.set_weight)
    set_user = blocking(Client.set_user)
    cluster = blocking(Client.cluster)
    drain_node = blocking(Client.drain_node)
    undrain_node = blocking(Client.undrain_node)
    rebalance = blocking(Client.rebalance)
    workers = blocking(Client.workers)
    worker = blocking(Client.worker)
    queues = blocking(Client.queues)
    drain_worker = blocking(Client.drain_worker)
    result = blocking(Client.result)
    run_log = blocking(Client.run_log)
    follow_log = iterating(Client.follow_log)
    search_logs = iterating(Client.search_logs)
    push_artifact = blocking(Client.push_artifact)
    artifacts = blocking(Client.artifacts)
    artifact = blocking(Client.artifact)
    remove_artifact = blocking(Client.remove_artifact)

    @property
    def url(self) -> str:
        """The server's address."""
        return self.client.url

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sentences that say what the answers so far lacked because a database was unavailable."""
        return self.client.incomplete

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine of the asynchronous client. Returns its result."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Closes the connections and ends the thread."""
        if self._loop.is_closed():
            return
        self.wait_for(self.client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        """Returns the client. The first call opens the connection."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connections and ends the thread."""
        self.close()
