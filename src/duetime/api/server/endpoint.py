"""Runs one route: finds the caller, decodes the request, calls the handler, sends the answer."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote

from starlette.types import Receive, Scope, Send

from duetime.api.server.body import SMALL_BYTES, ClientGone, HeldBody, read_body, read_parts
from duetime.api.server.decode import BodyDecoder, QueryDecoder
from duetime.api.server.envelope import JSON_HEADERS, Reply, data_body, incomplete, listing_body
from duetime.api.server.errors import CALLER, MethodNotAllowed, reply_to
from duetime.api.server.lines import name_line
from duetime.api.server.nested import NestedDecoder
from duetime.api.server.parts import Parts
from duetime.api.server.route import Answer, Call, Listing, Page, Route
from duetime.api.server.services import ApiSettings
from duetime.api.server.slices import SliceDecoder, SliceReader
from duetime.engine.slices import RequestSlices
from duetime.model.audit import changes_from
from duetime.model.errors import DuetimeError, Forbidden, Invalid, NotFound, Unauthorized
from duetime.model.ids import MAX_ID
from duetime.model.partial_answers import collect_missing
from duetime.model.user import User

EMPTY = (b"", b"{}", b"null")
"""Empty bodies; some clients send one with every POST."""

SET_BYTES = 16 * 1024 * 1024
"""A body with a long list among other fields. One pass over all of its bytes holds up other requests."""
Handle = Callable[[Any], Awaitable[Reply]]
_ID = re.compile(r"[1-9][0-9]{0,15}")
_MAX_KEY = 255


class Endpoint:
    """One route as an ASGI application, with its decoders prepared once."""

    def __init__(self, route: Route[Any, Any], parts: Parts) -> None:
        self._route = route
        self._parts = parts
        self._limit = _limit(route, parts.services.settings)
        self._reads_body, self._slices = route.body is not None, None
        if route.line is not None:
            self._slices = SliceDecoder(route.line, route.noun)
        elif route.body is not None:
            self._body = BodyDecoder(route.body)
        self._nested = None if route.list_field is None else NestedDecoder(route.body, route.list_field)
        self._query = None if route.query is None else QueryDecoder(route.query)
        self._has_id = "{id}" in route.path
        self._has_key = "{key}" in route.path
        keys = {header.name for header in route.headers}
        self._refuses_key = route.method != "GET" and "Idempotency-Key" not in keys
        self._refuses_queries = route.query is None and route.path.startswith("/api/")
        self._counts, self._clock = parts.services.node.counts, parts.services.clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request; every error becomes an answer too."""
        began = self._clock.monotonic()
        held = HeldBody(self._parts.body_memory)
        with collect_missing() as missing:
            try:
                reply = await self._answer(scope, receive, held)
            except ClientGone:
                return
            except Exception as error:
                reply = reply_to(error, scope)
            finally:
                held.release()
        if missing:
            reply = incomplete(reply, missing)
        self._counts.request(self._route.method, self._route.path, reply.status, self._clock.monotonic() - began)
        await reply.send(scope, send)

    async def _answer(self, scope: Scope, receive: Receive, held: HeldBody) -> Reply:
        route, headers = self._route, scope["headers"]
        # The caller is known before any of the body is read.
        caller = None if route.auth == "none" else await self._caller(headers)
        query = self._check_head(scope)
        path_id = _path_id(scope) if self._has_id else 0
        key = _path_key(scope) if self._has_key else ""
        held.user_id = scope[CALLER] = 0 if caller is None else caller.id
        client = scope.get("client")
        address, version = client[0] if client else "", scope.get("http_version", "1.1")

        async def handle(body: Any) -> Reply:
            call = Call(self._parts, caller, body, query, path_id, headers, address, key, version, receive)
            with changes_from(address):
                return self._reply(await route.handler(call))

        if self._slices is not None:
            return await self._handle_list(self._slices, handle, scope, receive, held)
        body = await self._read(scope, receive, held)
        if route.list_field is None:
            return await handle(body)
        try:
            return await handle(body)
        finally:
            await self._free(getattr(body, route.list_field))

    def _check_head(self, scope: Scope) -> Any:
        """Refuses a query or a header that the call would ignore. Returns the decoded query."""
        if self._refuses_key and any(name == b"idempotency-key" for name, _ in scope["headers"]):
            message = "An 'Idempotency-Key' is only for creating a single job: this call would ignore it."
            raise Invalid(message, field="Idempotency-Key")
        if self._query is not None:
            return self._query.decode(scope["query_string"])
        if self._refuses_queries and scope["query_string"]:
            raise Invalid("This call takes no query parameters.")
        return None

    async def _read(self, scope: Scope, receive: Receive, held: HeldBody) -> Any:
        """Returns the decoded body; None if there is none."""
        if not self._reads_body:
            if self._route.streams:
                return None
            if self._route.method != "GET" and (await read_body(scope, receive, SMALL_BYTES)).strip() not in EMPTY:
                raise Invalid("This call takes no body: send none.")
            return None
        sent = await read_body(scope, receive, self._limit, held)
        if self._nested is not None:
            return await self._read_nested(self._nested, sent)
        return self._body.decode(sent) if sent or not self._route.body_optional else None

    async def _handle_list(
        self, decoder: SliceDecoder, handle: Handle, scope: Scope, receive: Receive, held: HeldBody
    ) -> Reply:
        settings, items = self._parts.services.settings, None
        reader = SliceReader(decoder, scope["headers"], settings.max_bulk, settings.max_job_bytes)
        try:
            items = await self._read_slices(reader, scope, receive, held)
            return await handle(items)
        except DuetimeError as error:
            if reader.lines is not None:
                name_line(error, reader.lines)
            raise
        finally:
            await self._free(items)

    async def _read_slices(self, reader: SliceReader, scope: Scope, receive: Receive, held: HeldBody) -> list[Any]:
        """Returns the items of a list, which are read while the body comes."""
        slices, items = RequestSlices(self._parts.services.clock), list[Any]()
        async for part, last in read_parts(scope, receive, self._limit, held):
            await slices.pause()
            for some in reader.feed(part, last=last):
                items += some
                await slices.pause()
        return items

    async def _read_nested(self, nested: NestedDecoder, sent: bytes) -> Any:
        slices, decoded = RequestSlices(self._parts.services.clock), None
        await slices.pause()
        for step in nested.steps(sent):
            decoded = step
            await slices.pause()
        return decoded

    async def _free(self, items: list[Any] | None) -> None:
        if items:
            await RequestSlices(self._parts.services.clock).free(items)

    async def _caller(self, headers: list[tuple[bytes, bytes]]) -> User | None:
        auth = self._route.auth
        caller = await self._parts.authenticator.user(headers, changes=self._route.method != "GET")
        if caller is None:
            if auth == "optional":
                return None
            raise Unauthorized
        self._parts.request_rate.enter(caller.id, caller.quotas and caller.quotas.requests_per_second)
        if auth == "admin" and caller.role != "admin":
            raise Forbidden("This call is for admins.")
        return caller

    def _reply(self, result: object) -> Reply:
        if isinstance(result, Answer):
            status = self._route.status if result.status is None else result.status
            return Reply(status, data_body(result.data), JSON_HEADERS + result.headers)
        if isinstance(result, Listing):
            return Reply(self._route.status, listing_body(result.data, result.next_cursor))
        if isinstance(result, Page):
            return Reply(self._route.status, result.body, result.headers)
        return Reply(self._route.status, data_body(result))


class Methods:
    """All methods of one path."""

    def __init__(self, endpoints: dict[str, Endpoint]) -> None:
        self._endpoints = dict(endpoints)
        if "GET" in endpoints:
            self._endpoints["HEAD"] = endpoints["GET"]
        self._allowed = ", ".join(sorted(self._endpoints))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Calls the endpoint of the request's method."""
        endpoint = self._endpoints.get(scope["method"])
        if endpoint is None:
            await reply_to(MethodNotAllowed(scope["method"], self._allowed), scope).send(scope, send)
        else:
            await endpoint(scope, receive, send)


def _limit(route: Route[Any, Any], settings: ApiSettings) -> int:
    bulk = settings.max_bulk_bytes
    sizes = {"small": SMALL_BYTES, "job": settings.max_job_bytes, "set": min(SET_BYTES, bulk), "bulk": bulk}
    return sizes[route.size]


def _path_id(scope: Scope) -> int:
    text: str = scope["path_params"]["id"]
    if not _ID.fullmatch(text) or int(text) > MAX_ID:
        raise NotFound
    return int(text)


def _path_key(scope: Scope) -> str:
    """The key in a path. Text that cannot be a key is not found."""
    try:
        key = unquote(scope["path_params"]["key"], errors="strict")
    except UnicodeDecodeError:
        raise NotFound from None
    if len(key) > _MAX_KEY or "\0" in key:
        raise NotFound
    return key
