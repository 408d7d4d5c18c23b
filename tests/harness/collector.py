"""A real receiver of OTLP over HTTP, in the test's own loop: it keeps the spans that it accepts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector:
    """Keeps spans, and what the requests that brought them said."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.resources: list[dict[str, str]] = []
        self.authorizations: list[str | None] = []
        self.port = 0

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `duetime up` that send spans here."""
        endpoint = f"traces.endpoint=http://127.0.0.1:{self.port}/v1/traces"
        return ("--set", endpoint, "--set", "traces.headers=authorization=Bearer collect")

    def named(self, name: str, **attributes: object) -> list[Any]:
        """Returns the spans with a name and some attributes."""
        return [one for one in self.spans if one.name == name and attributes.items() <= attributes_of(one).items()]

    async def accept(self, request: web.Request) -> web.Response:
        """Accept one export."""
        sent = ExportTraceServiceRequest.FromString(await request.read())
        self.authorizations.append(request.headers.get("authorization"))
        for of_resource in sent.resource_spans:
            self.resources.append({one.key: one.value.string_value for one in of_resource.resource.attributes})
            for of_scope in of_resource.scope_spans:
                self.spans += of_scope.spans
        body = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=body, content_type="application/x-protobuf")


def attributes_of(span: Any) -> dict[str, object]:
    """Returns the attributes of a span that are text or numbers, with `_` for dots."""
    found: dict[str, object] = {}
    for one in span.attributes:
        kind = one.value.WhichOneof("value")
        found[one.key.replace(".", "_")] = getattr(one.value, kind) if kind else None
    return found


@asynccontextmanager
async def collector() -> AsyncIterator[Collector]:
    """A receiver on a free port of loopback."""
    found = Collector()
    app = web.Application()
    app.router.add_post("/v1/traces", found.accept)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server: Any = site._server
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        await runner.cleanup()
