"""The relay: brings jobs from an outbox table to the server, each once.

A row is deleted after the server has acknowledged its job. A relay that dies between the two sends the job again, and
the idempotency key makes that harmless. Several relays share an outbox: each locks the rows that it works on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...client.errors import ApiError, Unreachable
from ...client.local_clock import local_sleep
from ...client.transport import backoff, random_fraction
from ...errors import Invalid
from ..durations import seconds_of

if TYPE_CHECKING:
    from ..protocol.calls import WorkClient

log = logging.getLogger("duetime.work")
BATCH = 200
AT_ONCE = 32
POLL_SECONDS = 1.0
FOR_GOOD = frozenset({400, 409, 413, 422})
"""Answers that another try would not change."""
LOCK = """SELECT id, key, body::text AS body, enqueued_at, body->>'ordering_key' AS ordering_key FROM duetime_outbox
WHERE refused IS NULL ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED"""
DELETE = "DELETE FROM duetime_outbox WHERE id = ANY($1::bigint[])"
REFUSE = """UPDATE duetime_outbox o SET refused = r.reason
FROM unnest($1::bigint[], $2::text[]) AS r(id, reason) WHERE o.id = r.id"""


def migration() -> str:
    """Returns the SQL that creates the outbox. It can be run again."""
    return files(__package__ or "").joinpath("outbox.sql").read_text("utf-8")


class Relayed(Struct, frozen=True):
    """How many jobs one step brought to the server, and how many the server refused."""

    sent: int
    refused: int


class Relay:
    """Empties the outbox of one database. `connection` is a connection of asyncpg that nothing else uses."""

    def __init__(self, connection: Any, client: WorkClient) -> None:
        self._connection, self._client = connection, client
        self._more = asyncio.Event()

    async def run(self, stop: asyncio.Event) -> None:
        """Relays until `stop` is set. Notifications of new rows save the wait for the next look."""
        await self._connection.add_listener("duetime_outbox", self._heard)
        while not stop.is_set():
            self._more.clear()
            try:
                step = await self.run_once()
            except (Unreachable, ApiError) as error:
                log.warning("the server takes no jobs from the outbox: %s", error)
                step = Relayed(0, 0)
            if step.sent + step.refused < BATCH:
                await self._wait(stop)

    async def run_once(self) -> Relayed:
        """Brings one batch to the server. Returns how many jobs that were."""
        async with self._connection.transaction():
            rows = await self._connection.fetch(LOCK, BATCH)
            gate = asyncio.Semaphore(AT_ONCE)
            answers: dict[int, str | Exception | None] = {}
            await asyncio.gather(*(self._send_lane(lane, gate, answers) for lane in lanes_of(rows)))
            sent = [one for one, answer in answers.items() if answer is None]
            refused = [(one, answer) for one, answer in answers.items() if isinstance(answer, str)]
            if sent:
                await self._connection.execute(DELETE, sent)
            if refused:
                await self._connection.execute(REFUSE, [one for one, _ in refused], [why for _, why in refused])
        for answer in answers.values():
            if isinstance(answer, Exception):
                raise answer
        return Relayed(len(sent), len(refused))

    async def _send_lane(
        self, lane: list[Mapping[str, Any]], gate: asyncio.Semaphore, answers: dict[int, str | Exception | None]
    ) -> None:
        """Sends the jobs of one ordering key one after the other, so that they keep their order."""
        for row in lane:
            try:
                answers[row["id"]] = await self._send(row, gate)
            except (Unreachable, ApiError) as error:
                answers[row["id"]] = error
                return

    async def _send(self, row: Mapping[str, Any], gate: asyncio.Semaphore) -> str | None:
        """Sends one job. Returns why the server refuses it for good, if it does."""
        async with gate:
            try:
                body = absolute(row["body"], row["enqueued_at"])
                await self._client.create_encoded(body, row["key"])
            except Invalid as error:
                return str(error)
            except ApiError as error:
                if error.status not in FOR_GOOD:
                    raise
                log.warning("the server refused a job of the outbox: %s", error)
                return f"{error.status} {error.code}: {error.message}"
        return None

    def _heard(self, *_notification: Any) -> None:
        self._more.set()

    async def _wait(self, stop: asyncio.Event) -> None:
        waiters = [asyncio.ensure_future(one.wait()) for one in (self._more, stop)]
        await asyncio.wait(waiters, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for waiter in waiters:
            waiter.cancel()


async def keep_relaying(
    connect: Callable[[], Awaitable[Any]], relay_of: Callable[[Any], Relay], stop: asyncio.Event
) -> None:
    """Relays until `stop` is set. Connects again after the connection to the outbox was lost."""
    failures = 0
    while not stop.is_set():
        try:
            connection = await connect()
            try:
                failures = 0
                await relay_of(connection).run(stop)
            finally:
                await connection.close()
        except Exception as error:
            if type(error).__module__.partition(".")[0] != "asyncpg" and not isinstance(error, OSError):
                raise
            log.warning("the outbox cannot be read: %s", error)
            await local_sleep(backoff(min(failures, 5), random_fraction()))
            failures += 1


def lanes_of(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Returns the rows in groups with the same ordering key. A row without one is a group of its own."""
    lanes: dict[object, list[Mapping[str, Any]]] = {}
    for row in rows:
        lanes.setdefault(row["ordering_key"] or row["id"], []).append(row)
    return list(lanes.values())


def absolute(body: str, enqueued_at: datetime) -> bytes:
    """Returns the body of a request with an instant in place of a delay, which counts from the enqueue."""
    fields: dict[str, Any] = msgspec.json.decode(body)
    delay = fields.pop("delay", None)
    if delay is not None:
        fields["execute_at"] = (enqueued_at + timedelta(seconds=seconds_of(delay))).isoformat()
    return msgspec.json.encode(fields)
