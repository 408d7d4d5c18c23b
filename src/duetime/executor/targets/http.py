"""The `http` target: one run is one request, and a 2xx answer is success."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from functools import lru_cache

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.executor.connect import CheckedResolver, Refused, checked_connector
from duetime.executor.outgoing import OutgoingRules
from duetime.executor.targets import http_answer as answers
from duetime.executor.targets.http_failure import (
    HeadersTooLarge,
    failed_with_status,
    failure_of,
    redirect_refused,
)
from duetime.executor.targets.http_redirect import REDIRECTS, next_hop
from duetime.executor.targets.http_request import Hop, Prepared, body_of, headers_of, prepare
from duetime.executor.targets.http_session import Disconnected, Response, ends_with_connection, open_session
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.outcome import HttpResponse, Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.target import HttpTarget

CONNECT_TIMEOUT = 10.0
RESPONSE_LIMIT = 64 * 1024
SLOTS = 256
MAX_HEADER_BYTES = 64 * 1024
PREPARED_AT_ONCE = 1024

SigningSecret = Callable[[UserId], bytes | None]


class _Answer(Struct, frozen=True):
    """An answer as far as it was read."""

    response: HttpResponse
    location: str | None
    retry_after: str | None
    error: Exception | None = None


class _Pools(Struct, frozen=True):
    """The connections: those that are kept and used again, and those made for one request each."""

    resolver: CheckedResolver
    kept: ClientSession
    fresh: ClientSession


class HttpRunner:
    """Sends the requests of HTTP runs over checked connections.

    A kept connection can turn out closed by the server just as a request goes out on it. A run that is
    at-least-once is then sent again, once, on a fresh connection, with the same `webhook-id` and
    `idempotency-key`; one that is at-most-once has a fresh connection from the start, and no request
    of it is ever sent twice. Whatever else breaks is for the policy to decide.
    """

    def __init__(
        self,
        rules: OutgoingRules,
        *,
        clock: Clock,
        response_limit: int = RESPONSE_LIMIT,
        slots: int = SLOTS,
        signing: SigningSecret | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._response_limit = response_limit
        self._slots = slots
        self._signing = signing
        self._tls = tls
        self._pools: _Pools | None = None
        self._prepared: dict[int, Prepared] = {}

    async def run(self, run: LaunchedRun) -> Outcome:
        """Send the request, follow redirects where that is asked for, and say what came of it."""
        target = run.definition.target
        if not isinstance(target, HttpTarget):
            raise TypeError(f"an HTTP target was given a run of {type(target).__name__}")
        try:
            prepared = self._prepare(run.definition_id, target)
        except Invalid as error:
            return failed("refused", error.message)
        hop = Hop(prepared.url, target.method, body_of(target, run.message))
        left = target.follow_redirects
        try:
            answer = await self._send(hop, prepared, run)
            while left and answer.location is not None and answer.error is None:
                try:
                    hop = next_hop(hop, answer.response.status, answer.location)
                except Refused as error:
                    return redirect_refused(error, hop.url, answer.response)
                left -= 1
                answer = await self._send(hop, prepared, run)
        except (ClientError, OSError) as error:
            return failure_of(error, hop.url)
        except Disconnected as error:
            return failure_of(error.__cause__ or error, hop.url)
        return self._outcome(answer, hop, target.follow_redirects)

    async def close(self) -> None:
        """Close the pooled connections."""
        pools, self._pools = self._pools, None
        if pools is not None:
            await pools.kept.close()
            await pools.fresh.close()
            await pools.resolver.close()

    def _prepare(self, key: int, target: HttpTarget) -> Prepared:
        prepared = self._prepared.get(key)
        if prepared is None or prepared.source != (target.url, target.headers, target.auth):
            if len(self._prepared) >= PREPARED_AT_ONCE:
                self._prepared.clear()
            prepared = self._prepared[key] = prepare(target)
        return prepared

    async def _send(self, hop: Hop, prepared: Prepared, run: LaunchedRun) -> _Answer:
        pools = self._pools or self._open()
        if run.definition.policy.delivery == "at_most_once":
            return await self._send_over(pools.fresh, hop, prepared, run)
        try:
            return await self._send_over(pools.kept, hop, prepared, run)
        except Disconnected as error:
            if not error.was_reused:
                raise
        return await self._send_over(pools.fresh, hop, prepared, run)

    async def _send_over(self, session: ClientSession, hop: Hop, prepared: Prepared, run: LaunchedRun) -> _Answer:
        secret = self._signing(run.user_id) if self._signing is not None else None
        response = await session.request(
            hop.method,
            hop.url,
            data=hop.body or None,
            headers=headers_of(prepared, hop, run, self._clock.now(), secret),
            allow_redirects=False,
            timeout=_timeouts(run.definition.policy.timeout),
        )
        try:
            return await self._read(response)
        finally:
            # Does nothing to a connection that went back to the pool with the answer's end.
            response.close()

    async def _read(self, response: ClientResponse) -> _Answer:
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
        return _Answer(
            HttpResponse(response.status, answers.kept_headers(raw_headers), text, cut, peer),
            headers.get("Location") if response.status in REDIRECTS else None,
            headers.get("Retry-After"),
            error,
        )

    def _outcome(self, answer: _Answer, hop: Hop, follow_redirects: int) -> Outcome:
        response = answer.response
        if answer.error is not None:
            return failure_of(answer.error, hop.url, response)
        if 200 <= response.status < 300:
            return Outcome(JobState.SUCCEEDED, None, response)
        note = ""
        if answer.location is not None and follow_redirects:
            note = f" It is one redirect more than the {follow_redirects} that may be followed."
        elif answer.location is not None:
            note = " Redirects are not followed: set 'follow_redirects', or call the place that it leads to."
        wait = answers.retry_after(answer.retry_after, self._clock.now())
        return failed_with_status(response, hop.url, wait, note)

    def _open(self) -> _Pools:
        resolver = CheckedResolver(self._rules)
        kept, fresh = (
            checked_connector(self._rules, resolver, slots=self._slots, tls=self._tls, keep=keep)
            for keep in (True, False)
        )
        self._pools = _Pools(resolver, open_session(kept), open_session(fresh))
        return self._pools


@lru_cache(maxsize=256)
def _timeouts(policy_timeout: float) -> ClientTimeout:
    """Limits on making a connection and on silence. The whole attempt is limited by the caller."""
    return ClientTimeout(total=None, connect=min(CONNECT_TIMEOUT, policy_timeout), sock_read=policy_timeout)
