"""The load: clients that submit jobs of every kind, repeat unanswered requests, and record the answers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import aiohttp
import msgspec
from msgspec import Struct

from chaos.history import Answer, Asked, Edited, Recurring
from chaos.sink import ChaosSink
from chaos.worker import QUEUE
from harness.calls import JOBS, Api, Reply

SCHEDULES = "/api/v1/me/schedules"
TICK = 0.1
PATIENCE = 8.0
"""How many seconds a client waits before the answer counts as unknown."""


class Mix(Struct, frozen=True, kw_only=True):
    """The rates of each kind of request, per second, and the number of lanes and schedules."""

    rate: float = 100.0
    lanes: int = 10
    schedules: int = 20
    every: tuple[int, ...] = (1, 2, 3)
    together: bool = False
    """Whether the schedules of a period fall due within one second of it, not spread over it."""
    to_sink: float = 0.5
    """The fraction of plain jobs that call the sink; jobs of all other kinds do."""
    singles: float = 5.0
    """Requests for one job with an idempotency key, per second."""
    edits: float = 2.0
    ahead: float = 4.0
    """How many seconds ahead of their instant jobs are submitted, at most."""
    delay: int = 0
    """Milliseconds that the sink takes for plain and at_most_once jobs; 0 means varying ones."""
    schedule_delay: int = 0
    """Milliseconds that the sink takes for occurrences. With more than a period, occurrences overlap."""
    schedules_end_after: float | None = None
    """Seconds after which schedules end."""
    by_workers: bool = False
    """Whether workers call the sink (`chaos.worker`), not HTTP targets."""


class Load:
    """Clients of several nodes. They repeat a request with unknown answer only if a key makes that safe."""

    def __init__(
        self,
        urls: list[str],
        token: str,
        sink: ChaosSink,
        mix: Mix,
        seed: int,
        name: str = "job",
        *,
        several: bool = False,
    ) -> None:
        """`several`: jobs of one request with and without a lane may be in different databases."""
        self._several = several
        self._urls, self._token, self._sink, self._mix = urls, token, sink, mix
        self._chance, self._name = Random(seed), name
        self._session: aiohttp.ClientSession | None = None
        self._number = 0
        self._requests: set[asyncio.Task[None]] = set()
        self._patience_over = False
        self.answers: Counter[str] = Counter()
        """How often each answer came, by its code."""
        self.asked: list[Asked] = []
        self.edited: list[Edited] = []
        self.recurring: list[Recurring] = []

    async def __aenter__(self) -> Load:
        connector = aiohttp.TCPConnector(limit=256)
        self._session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
        return self

    async def __aexit__(self, *_: Any) -> None:
        for request in self._requests:
            request.cancel()
        await asyncio.gather(*self._requests, return_exceptions=True)
        assert self._session is not None
        await self._session.close()

    async def make_schedules(self) -> None:
        """Create the schedules, before the faults begin."""
        mix, bodies, anchors = self._mix, list[dict[str, Any]](), list[float]()
        until = None if mix.schedules_end_after is None else time.time() + mix.schedules_end_after
        for number in range(mix.schedules):
            every = mix.every[number % len(mix.every)]
            anchors.append(1000.0 + (number * 997 % 1000) / 1000 * (1 if mix.together else every))
            body: dict[str, Any] = {
                "name": f"tick {number}",
                "every": every,
                "anchor": _rfc3339(anchors[-1]),
                "message": f"{self._name} tick {{{{nominal}}}}",
                "misfire": ("fire_once", "skip", {"policy": "fire_all", "max_count": 1000})[number % 3],
                "overlap": ("skip", "allow", "queue")[number // 3 % 3],
            }
            if until is not None:
                body["end"] = _rfc3339(until)
            if number % 2 == 0:
                plan = f"/ms/{mix.schedule_delay}/ok/0" if mix.schedule_delay else "/ok"
                body |= self._at_sink(plan)
            if number % 8 == 0:
                body["delivery"] = "at_most_once"
            bodies.append(body)
        if not bodies:
            return
        reply = await self._api().post(f"{SCHEDULES}/bulk", bodies)
        for number, schedule_id in enumerate(reply.data["ids"]):
            body = bodies[number]
            self.recurring.append(
                Recurring(
                    schedule_id=schedule_id,
                    every=float(body["every"]),
                    anchor=anchors[number],
                    created_at=time.time(),
                    until=until,
                    misfire=body["misfire"] if isinstance(body["misfire"], str) else "fire_all",
                    to_sink="target" in body,
                    delivery=body.get("delivery", "at_least_once"),
                )
            )

    async def run(self, seconds: float) -> None:
        """Submit for some seconds, then wait for the answers."""
        loop = asyncio.get_running_loop()
        begun, ticks, owed, singles, edits = loop.time(), 0, 0.0, 0.0, 0.0
        while (elapsed := loop.time() - begun) < seconds:
            owed += self._mix.rate * TICK
            if owed >= 1:
                self._go(self._bulk(int(owed)))
                owed %= 1
            singles += self._mix.singles * TICK
            while singles >= 1:
                self._go(self._single())
                singles -= 1
            edits += self._mix.edits * TICK
            while edits >= 1:
                self._go(self._edit())
                edits -= 1
            ticks += 1
            await asyncio.sleep(max(0.0, ticks * TICK - elapsed))

    async def answered(self, seconds: float = 30.0) -> None:
        """Wait for open requests; those with a key are repeated until they are answered."""
        if self._requests:
            await asyncio.wait(self._requests, timeout=seconds)
        self._patience_over = True
        if self._requests:
            await asyncio.wait(self._requests, timeout=PATIENCE + 1)

    def _go(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)

    def _api(self) -> Api:
        assert self._session is not None
        return Api(self._session, self._chance.choice(self._urls), self._token)

    def _body(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """A job's body, and the record of it for the history."""
        chance, now = self._chance, time.time()
        self._number += 1
        message = f"{self._name} {self._number}"
        body: dict[str, Any] = {"message": message}
        noted: dict[str, Any] = {"message": message}
        kind = chance.random()
        plan = "/ok"
        if self._mix.lanes and kind < 0.2:
            lane = f"lane {chance.randrange(self._mix.lanes)}"
            body |= {"ordering_key": lane, "execute_at": _rfc3339(now)}
            noted |= {"lane": lane, "execute_at": _microseconds(now)}
            fails = chance.choice((0, 0, 0, 0, 1, 999))
            plan = "/ms/2/ok/0" if not fails else f"/fail/{fails}"
            if fails == 999:
                body |= {"on_failure": "skip", "retry": {"max_attempts": 2, "delays": [0.05]}}
                noted |= {"on_failure": "skip", "max_attempts": 2}
            else:
                body["retry"] = {"max_attempts": 20, "delays": [0.05]}
                noted["max_attempts"] = 20
        elif kind < 0.3:
            body["delivery"] = noted["delivery"] = "at_most_once"
            plan = f"/ms/{self._mix.delay or chance.choice((0, 5, 200))}/ok/0"
        elif kind < 0.4:
            fails = chance.randrange(1, 3)
            body["retry"] = {"max_attempts": 20, "delays": [0.2]}
            noted["max_attempts"] = 20
            plan = f"/fail/{fails}"
        else:
            if kind < 0.7:
                at = now + chance.uniform(0.05, 1.0) * self._mix.ahead
                body["execute_at"], noted["execute_at"] = _rfc3339(at), _microseconds(at)
            if chance.random() >= self._mix.to_sink:
                noted["to_sink"] = False
                return body, noted
            plan = f"/ms/{self._mix.delay}/ok/0" if self._mix.delay else plan
        # The load's own failures must not open the breaker of the one host that all jobs call.
        return body | self._at_sink(plan, breaker=False), noted

    def _at_sink(self, plan: str, **http: Any) -> dict[str, Any]:
        """What a job that reaches the sink has; `http` only where the server itself calls the sink."""
        if self._mix.by_workers:
            return {"target": {"kind": "queue", "queue": QUEUE, "task": plan.strip("/")}}
        return {"target": {"kind": "http", "url": self._sink.url(plan)}, **http}

    async def _bulk(self, count: int) -> None:
        """Many jobs in one request: an unknown answer stays unknown."""
        made = [self._body() for _ in range(count)]
        batch, asked_at = self._number, time.time()
        answer, reply = await self._answer(
            lambda api: api.post(f"{JOBS}/bulk", [body for body, _ in made], seconds=PATIENCE)
        )
        ids: list[int | None] = reply.data["ids"] if reply is not None and answer == "ok" else [None] * count
        answers: list[Answer] = [answer] * count
        if reply is not None and answer == "partly":
            # All or none in each database: the answer says which jobs are stored.
            stored = msgspec.json.decode(reply.body)["error"]["details"]["stored"]
            ids = [stored.get(str(at)) for at in range(count)]
            answers = ["unknown" if job_id is None else "ok" for job_id in ids]
        for (_, noted), job_id, one in zip(made, ids, answers, strict=True):
            apart = self._several and noted.get("lane") is not None
            self._note(noted, one, asked_at, job_id, batch=None if apart else batch)

    async def _single(self) -> None:
        """One job with a key: repeated until the answer is known."""
        body, noted = self._body()
        key, asked_at = f"key {self._number}", time.time()
        answer, reply = await self._insistent(
            lambda api: api.post(JOBS, body, headers={"Idempotency-Key": key}, seconds=PATIENCE)
        )
        self._note(noted, answer, asked_at, reply.data["id"] if reply is not None and answer == "ok" else None, key=key)

    async def _edit(self) -> None:
        """A job for later, then a cancel or another message."""
        body, noted = self._body()
        at = time.time() + 0.75 * self._mix.ahead
        body["execute_at"], noted["execute_at"] = _rfc3339(at), _microseconds(at)
        if body.pop("ordering_key", None):
            noted.pop("lane")
        asked_at = time.time()
        answer, reply = await self._answer(lambda api: api.post(JOBS, body, seconds=PATIENCE))
        job_id: int | None = reply.data["id"] if reply is not None and answer == "ok" else None
        self._note(noted, answer, asked_at, job_id)
        if job_id is None:
            return
        await asyncio.sleep(self._chance.uniform(0.0, 0.8) * self._mix.ahead)
        cancels = self._chance.random() < 0.5
        message = None if cancels else f"changed {job_id}"
        asked_at = time.time()
        answer, reply = await self._answer(
            (lambda api: api.post(f"{JOBS}/{job_id}/cancel", seconds=PATIENCE))
            if cancels
            else (lambda api: api.call("PATCH", f"{JOBS}/{job_id}", {"message": message}, seconds=PATIENCE))
        )
        self.edited.append(
            Edited(
                kind="cancel" if cancels else "edit",
                answer=answer,
                asked_at=asked_at,
                answered_at=time.time(),
                job_id=job_id,
                message=message,
                state=reply.data["status"] if reply is not None and answer == "ok" else None,
            )
        )

    def _note(self, noted: dict[str, Any], answer: Answer, asked_at: float, job_id: int | None, **more: Any) -> None:
        fields = noted | more
        self.asked.append(Asked(answer=answer, asked_at=asked_at, answered_at=time.time(), job_id=job_id, **fields))

    async def _answer(self, ask: Callable[[Api], Any]) -> tuple[Any, Reply | None]:
        """The result of one request from its client's view."""
        try:
            reply: Reply = await ask(self._api())
        except aiohttp.ClientConnectorError:
            self.answers["no connection"] += 1
            return "refused", None
        except (aiohttp.ClientError, TimeoutError, OSError):
            self.answers["no answer"] += 1
            return "unknown", None
        if 200 <= reply.status < 300:
            self.answers["ok"] += 1
            return "ok", reply
        code = msgspec.json.decode(reply.body)["error"]["code"]
        self.answers[code] += 1
        if code == "partly_stored":
            return "partly", reply
        if code in ("store_away", "internal"):
            return "unknown", reply
        return "refused", reply

    async def _insistent(self, ask: Callable[[Api], Any]) -> tuple[Answer, Reply | None]:
        """Repeat a request until its result is known. After an unknown answer, a refusal proves nothing."""
        doubt = False
        while True:
            answer, reply = await self._answer(ask)
            if answer == "ok" or self._patience_over:
                return ("unknown" if doubt and answer == "refused" else answer), reply
            doubt = doubt or answer == "unknown"
            await asyncio.sleep(0.2)


def _microseconds(at: float) -> float:
    return datetime.fromtimestamp(at, UTC).timestamp()


def _rfc3339(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
