"""Carries out runs of `http` targets: one run is one request, and a 2xx answer is success."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import ClassVar, Literal

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from msgspec import UNSET, Struct
from yarl import URL

from duetime.clock.port import Clock
from duetime.executor.targets.http import answer as answers
from duetime.executor.targets.http.connect import CheckedResolver, Refused, checked_connector, resolving_for
from duetime.executor.targets.http.failure import (
    HeadersTooLarge,
    failed_with_status,
    failure_of,
    redirect_refused,
)
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.http.redirect import REDIRECTS, next_hop
from duetime.executor.targets.http.request import Hop, Prepared, first_hop, headers_of, prepare, source_of
from duetime.executor.targets.http.session import Disconnected, Response, ends_with_connection, open_session
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.message import TRACED
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.http import HttpAnswer, HttpTarget
from duetime.tracing.hand_on import HandOn
from duetime.tracing.port import Request, Traces

CONNECT_TIMEOUT = 10.0
RESPONSE_LIMIT = 64 * 1024
SLOTS = 256
MAX_HEADER_BYTES = 64 * 1024
PREPARED_AT_ONCE = 1024

SigningSecret = Callable[[UserId], bytes | None]


class _Received(Struct, frozen=True):
    """An answer as far as it was read."""

    answer: HttpAnswer
    location: str | None
    retry_after: str | None
    error: Exception | None = None


class _Pools(Struct, frozen=True):
    """The connections: some are kept and used again, others are made for one request each."""

    resolver: CheckedResolver
    kept: ClientSession
    fresh: ClientSession


class HttpRunner:
    """Sends the requests of HTTP runs over checked connections.

    The server can close a kept connection just as a request goes out on it. The request of an at-least-once run is
    then sent once more, on a fresh connection, with the same `webhook-id` and `idempotency-key`. An at-most-once run
    has a fresh connection from the start, and its request is never sent twice. The policy decides about every other
    failure.
    """

    waits: ClassVar[Literal[True]] = True

    def __init__(
        self,
        rules: OutgoingRules,
        *,
        clock: Clock,
        response_limit: int = RESPONSE_LIMIT,
        slots: int = SLOTS,
        signing: SigningSecret | None = None,
        tls: ssl.SSLContext | None = None,
        traces: Traces | None = None,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._response_limit = response_limit
        self._slots = slots
        self._signing = signing
        self._tls = tls
        self._traces = traces or HandOn()
        self._pools: _Pools | None = None
        self._prepared: dict[int, Prepared] = {}

    async def run(self, run: LaunchedRun) -> Outcome:
        """Send the request, and follow redirects where the target allows it. Returns what came of it."""
        target = run.definition.target
        if not isinstance(target, HttpTarget):
            raise TypeError(f"the runner of HTTP targets was given a run of {type(target).__name__}")
        try:
            prepared = self._prepare(run.definition_id, target)
        except Invalid as error:
            return failed("refused", error.message)
        hop = first_hop(prepared, target, run.message)
        left = target.follow_redirects
        try:
            received = await self._send(hop, prepared, run)
            while left and received.location is not None and received.error is None:
                try:
                    hop = next_hop(hop, received.answer.status, received.location)
                except Refused as error:
                    return redirect_refused(error, hop.url, received.answer)
                left -= 1
                received = await self._send(hop, prepared, run)
        except (ClientError, OSError) as error:
            return failure_of(error, hop.url)
        except Disconnected as error:
            return failure_of(error.__cause__ or error, hop.url)
        return self._outcome(received, hop, target.follow_redirects)

    async def close(self) -> None:
        """Close the pooled connections."""
        pools, self._pools = self._pools, None
        if pools is not None:
            await pools.kept.close()
            await pools.fresh.close()
            await pools.resolver.close()

    def _prepare(self, key: int, target: HttpTarget) -> Prepared:
        prepared = self._prepared.get(key)
        if prepared is None or prepared.source != source_of(target):
            if len(self._prepared) >= PREPARED_AT_ONCE:
                self._prepared.clear()
            prepared = self._prepared[key] = prepare(target)
        return prepared

    async def _send(self, hop: Hop, prepared: Prepared, run: LaunchedRun) -> _Received:
        pools = self._pools or self._open()
        resolving_for.set(run.user_id)
        if run.definition.policy.delivery == "at_most_once":
            return await self._send_over(pools.fresh, hop, prepared, run)
        try:
            return await self._send_over(pools.kept, hop, prepared, run)
        except Disconnected as error:
            if not error.was_reused:
                raise
        return await self._send_over(pools.fresh, hop, prepared, run)

    async def _send_over(self, session: ClientSession, hop: Hop, prepared: Prepared, run: LaunchedRun) -> _Received:
        secret = prepared.signing_key
        if secret is None and self._signing is not None:
            secret = self._signing(run.user_id)
        headers = headers_of(prepared, hop, run, self._clock.now(), secret)
        if run.message[:1] != TRACED:
            return await self._exchange(session, hop, headers, run)
        span = self._traces.request(run, hop.method, _without_query(hop.url), self._clock.now())
        if span is None:
            return await self._exchange(session, hop, headers, run)
        if hop.is_foreign or not prepared.sets_traceparent:
            headers["traceparent"] = span.parent
        try:
            received = await self._exchange(session, hop, headers, run)
        except BaseException as error:
            span.end(self._clock.now(), error=type(error).__name__)
            raise
        _end(span, received, self._clock.now())
        return received

    async def _exchange(self, session: ClientSession, hop: Hop, headers: dict[str, str], run: LaunchedRun) -> _Received:
        response = await session.request(
            hop.method,
            hop.url,
            data=hop.body or None,
            headers=headers,
            allow_redirects=False,
            timeout=_timeouts(run.definition.policy.timeout),
        )
        try:
            return await self._read(response)
        finally:
            # This leaves a connection alone that went back to the pool when the answer ended.
            response.close()

    async def _read(self, response: ClientResponse) -> _Received:
        headers, raw_headers = response.headers, response.raw_headers
        limit, error = self._response_limit, None
        body, cut = bytearray(), False
        if answers.header_bytes(raw_headers) > MAX_HEADER_BYTES:
            cut, error = True, HeadersTooLarge()
        else:
            try:
                if response.content.is_eof():
                    cut = await answers.read_capped(response.content, limit, body)
                else:
                    with ends_with_connection(response):
                        cut = await answers.read_capped(response.content, limit, body)
            except (ClientError, OSError) as broken:
                cut, error = True, broken
        encoding, content_type = headers.get("Content-Encoding", ""), headers.get("Content-Type", "")
        text, cut = answers.body_text(bytes(body), cut, encoding, content_type, limit)
        peer = response.peer if isinstance(response, Response) else None
        return _Received(
            HttpAnswer(response.status, answers.kept_headers(raw_headers), text, cut, peer or UNSET),
            headers.get("Location") if response.status in REDIRECTS else None,
            headers.get("Retry-After"),
            error,
        )

    def _outcome(self, received: _Received, hop: Hop, follow_redirects: int) -> Outcome:
        answer = received.answer
        if received.error is not None:
            return failure_of(received.error, hop.url, answer)
        if 200 <= answer.status < 300:
            return Outcome(JobState.SUCCEEDED, None, answer)
        note = ""
        if received.location is not None and follow_redirects:
            note = f" It is one redirect more than the {follow_redirects} that may be followed."
        elif received.location is not None:
            note = " Redirects are not followed: set 'follow_redirects', or call the URL that it leads to."
        wait = answers.retry_after(received.retry_after, self._clock.now())
        return failed_with_status(answer, hop.url, wait, note)

    def _open(self) -> _Pools:
        resolver = CheckedResolver(self._rules)
        kept, fresh = (
            checked_connector(self._rules, resolver, slots=self._slots, tls=self._tls, keep=keep)
            for keep in (True, False)
        )
        self._pools = _Pools(resolver, open_session(kept), open_session(fresh))
        return self._pools


def _without_query(url: URL) -> str:
    """Returns a URL without what may be a secret."""
    return str(url.with_query(None).with_fragment(None).with_user(None))


def _end(span: Request, received: _Received, now: datetime) -> None:
    error = None if received.error is None else type(received.error).__name__
    span.end(now, status=received.answer.status, error=error)


@lru_cache(maxsize=256)
def _timeouts(policy_timeout: float) -> ClientTimeout:
    """Returns limits on making a connection and on silence. The caller limits the whole attempt."""
    return ClientTimeout(total=None, connect=min(CONNECT_TIMEOUT, policy_timeout), sock_read=policy_timeout)
