"""The OpenAPI document, made from the table of routes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from duetime.api.auth.cookies import NAME
from duetime.api.server.envelope import Problem
from duetime.api.server.errors import STATUS, status_of
from duetime.api.server.route import Route
from duetime.model.errors import (
    DuetimeError,
    Forbidden,
    Invalid,
    Malformed,
    NotFound,
    OverLimit,
    Stopping,
    StoreAway,
    TooLarge,
    Unauthorized,
)
from duetime.model.ids import MAX_ID

Json = dict[str, Any]

_BY: list[Json] = [{"bearer": []}, {"cookie": []}]
"""How a caller shows who it is."""
_REF = "#/components/schemas/{name}"
_TAGS = {
    "auth": "Logging in, refreshing tokens, changing passwords.",
    "users": "Accounts and their shares.",
    "jobs": "Creating, listing, showing, changing and cancelling jobs.",
    "artifacts": "Programs, archives and data files that jobs run: pushing, listing and removing them.",
    "logs": "What runs logged: reading and searching it.",
    "dead letters": "Jobs that failed for good: listing, redriving and discarding them.",
    "lanes": "Jobs with the same ordering key, and what blocks them; hosts whose circuit breaker is open.",
    "activity": "What happened and what is planned, by minute and hour.",
    "cluster": "The nodes: their shards and runs, draining them, rebalancing. For admins.",
    "audit": "Who changed what, from where, and a chain that shows gaps and edits.",
    "notifications": "Rules that tell you when jobs fail and work again, and the messages they sent.",
    "workflows": "Jobs that wait for each other, and signals for them.",
    "schedules": "Recurring jobs: their timing, their previews and their history; and calendars.",
    "health": "For load balancers and people on call.",
    "workers": "Workers that pull runs: registering, taking, settling and leaving.",
    "document": "This document.",
}
_RETRY_AFTER = {"description": "Seconds to wait before trying again.", "schema": {"type": "integer", "minimum": 1}}
_ANSWER_HEADERS: dict[int, Json] = {
    401: {"WWW-Authenticate": {"description": "How to authenticate.", "schema": {"type": "string"}}},
    429: {"Retry-After": _RETRY_AFTER},
    503: {"Retry-After": _RETRY_AFTER},
}
_INTRO = (
    "Submit a job and an instant: Duetime launches the job at that instant, once, and records everything that happens. "
    'Every answer is `{"data": …, "success": true}` or `{"success": false, "error": {"code", "message", "details"}}`. '
    "Instants are RFC 3339: requests may use any offset, answers are in UTC. Unknown fields are refused."
)


def build_document(table: Sequence[Route[Any, Any]], version: str) -> Json:
    """The whole document."""
    types = [kind for route in table for kind in (route.body, route.query, route.answer) if kind is not None]
    schemas, components = msgspec.json.schema_components([*types, Problem], ref_template=_REF)
    schema_of = dict(zip(map(repr, types), schemas, strict=False))
    queries = {name: components.pop(name) for name in {route.query.__name__ for route in table if route.query}}
    paths: dict[str, Json] = {}
    for route in table:
        query = queries[route.query.__name__] if route.query else None
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schema_of, query)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Duetime",
            "version": version,
            "summary": "A distributed job scheduler.",
            "description": _INTRO,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": {name: _described(schema) for name, schema in components.items()} | {"Failure": _failure()},
            "responses": {f"Error{status}": _error_answer(status) for status in sorted(set(STATUS.values()))},
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": "The `token` of a log-in.",
                },
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": NAME,
                    "description": "A browser's session (`__Host-` before the name over HTTPS). Calls that change "
                    "something also need the header `X-Duetime-Request: 1`, or answer 403.",
                },
            },
        },
    }


def errors_of(route: Route[Any, Any]) -> set[type[DuetimeError]]:
    """Every error that a route can answer with: those it names, and those that follow from its other fields."""
    errors = {DuetimeError, *route.errors}
    if route.path.startswith("/api/"):
        errors |= {Invalid, StoreAway, Stopping}
    if route.auth in {"user", "admin"}:
        errors |= {Unauthorized, OverLimit}
    if route.auth == "admin" or (route.method != "GET" and route.auth == "user"):
        errors.add(Forbidden)
    if "{id}" in route.path or "{key}" in route.path:
        errors.add(NotFound)
    if route.body is not None:
        errors |= {Malformed, TooLarge}
    if route.query is not None:
        errors.add(Malformed)
    return errors


def _operation(route: Route[Any, Any], schema_of: dict[str, Json], query: Json | None) -> Json:
    operation: Json = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "tags": [route.tag],
        "security": {"none": [], "optional": [{}, *_BY]}.get(route.auth, _BY),
        "responses": _answers(route, schema_of),
    }
    notes = [route.description, "For admins." if route.auth == "admin" else ""]
    if any(notes):
        operation["description"] = " ".join(filter(None, notes))
    parameters = [*_parameters(route, query)]
    if parameters:
        operation["parameters"] = parameters
    if route.streams:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        operation["requestBody"] = {"required": True, "content": content}
    if route.body is not None:
        operation["requestBody"] = _request_body(route, schema_of[repr(route.body)])
    return operation


def _parameters(route: Route[Any, Any], query: Json | None) -> Iterable[Json]:
    if "{id}" in route.path:
        schema = {"type": "integer", "minimum": 1, "maximum": MAX_ID}
        yield {"name": "id", "in": "path", "required": True, "description": "The id.", "schema": schema}
    if "{key}" in route.path:
        schema = {"type": "string", "minLength": 1, "maxLength": 255}
        text = "The key, percent-encoded: a slash in it is `%2F`."
        yield {"name": "key", "in": "path", "required": True, "description": text, "schema": schema}
    for name, schema in (query or {}).get("properties", {}).items():
        plain = _without_null(schema)
        description = plain.pop("description", "")
        required = name in (query or {}).get("required", ())
        yield {"name": name, "in": "query", "required": required, "description": description, "schema": plain}
    for header in route.headers:
        yield {
            "name": header.name,
            "in": "header",
            "required": False,
            "description": header.description,
            "schema": dict(header.schema),
        }


def _described(schema: Json) -> Json:
    """Moves the descriptions of fields out of alternatives, to where readers look for them."""
    fields = {name: _lifted(field) for name, field in schema.get("properties", {}).items()}
    return schema | {"properties": fields} if fields else schema


def _lifted(field: Json) -> Json:
    described = next((one for one in field.get("anyOf", []) if "description" in one), None)
    if described is None:
        return field
    plain = {key: value for key, value in described.items() if key != "description"}
    alternatives = [plain if one is described else one for one in field["anyOf"]]
    return {"description": described["description"], **field, "anyOf": alternatives}


def _without_null(schema: Json) -> Json:
    """The schema of a query parameter, which is present or absent but never null."""
    alternatives = [one for one in schema.get("anyOf", []) if one != {"type": "null"}]
    return dict(alternatives[0]) if len(alternatives) == 1 else dict(schema)


def _request_body(route: Route[Any, Any], schema: Json) -> Json:
    media: Json = {"schema": schema}
    if route.example is not None:
        media["example"] = route.example
    body: Json = {"required": not route.body_optional, "content": {"application/json": media}}
    if route.line is not None:
        body["description"] = (
            "A JSON array. Or, with the content type `application/x-ndjson`, one JSON object per line, each like an "
            "element of the array."
        )
    return body


def _answers(route: Route[Any, Any], schema_of: dict[str, Json]) -> Json:
    content = {route.media_type: {"schema": _answer_schema(route, schema_of)}}
    success: Json = {"description": HTTPStatus(route.status).phrase + ".", "content": content}
    if route.answer_headers:
        success["headers"] = {
            name: {"description": text, "schema": {"type": "string"}} for name, text in route.answer_headers.items()
        }
    answers = {str(route.status): success}
    answers |= {str(status): success | {"description": text} for status, text in route.also.items()}
    for status in sorted({status_of(error) for error in errors_of(route)}):
        answers[str(status)] = {"$ref": f"#/components/responses/Error{status}"}
    return dict(sorted(answers.items()))


def _answer_schema(route: Route[Any, Any], schema_of: dict[str, Json]) -> Json:
    if route.answer is None:
        return {"type": "object" if route.media_type == "application/json" else "string"}
    properties: Json = {"data": schema_of[repr(route.answer)], "success": {"const": True}}
    if route.paged:
        properties["next_cursor"] = {
            "type": ["string", "null"],
            "description": "Where the next page begins; null on the last page.",
        }
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _failure() -> Json:
    return {
        "title": "Failure",
        "description": "The envelope of every failure.",
        "type": "object",
        "properties": {"success": {"const": False}, "error": {"$ref": _REF.format(name="Problem")}},
        "required": ["success", "error"],
        "additionalProperties": False,
    }


def _error_answer(status: int) -> Json:
    kinds = [kind for kind, its_status in STATUS.items() if its_status == status]
    examples = {
        kind.code: {"value": {"success": False, "error": {"code": kind.code, "message": kind.__doc__, "details": None}}}
        for kind in kinds
    }
    answer: Json = {
        "description": " Or: ".join(str(kind.__doc__) for kind in kinds),
        "content": {"application/json": {"schema": {"$ref": _REF.format(name="Failure")}, "examples": examples}},
    }
    if status in _ANSWER_HEADERS:
        answer["headers"] = _ANSWER_HEADERS[status]
    return answer
