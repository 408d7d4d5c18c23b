"""The document for people: one plain page, made from the OpenAPI document alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

Json = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_ANSWERS_HEAD = "<tr><th>status</th><th>meaning</th><th>data</th><th>headers</th></tr>"
_FIRST_STEPS = """\
curl http://127.0.0.1:8080/api/v1/auth/login -d '{"username": "ada", "password": "correct horse"}'
export TOKEN=…   # the token in the answer
curl http://127.0.0.1:8080/api/v1/me/jobs -H "Authorization: Bearer $TOKEN" \\
  -d '{"message": "good morning", "delay": "10s"}'
curl http://127.0.0.1:8080/api/v1/me/jobs -H "Authorization: Bearer $TOKEN"
"""


def render_docs(document: Json) -> bytes:
    """The whole page."""
    info = document["info"]
    page = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(info['title'])} API</title>",
        '<link rel="stylesheet" href="/docs/style.css"></head><body>',
        f"<nav><h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>{_contents(document)}</nav>",
        f'<main><p class="intro">{_text(info["description"])}</p>',
        f"<h2>First steps</h2><pre><code>{escape(_FIRST_STEPS, quote=False)}</code></pre>",
        '<p>For programs: <a href="/openapi.json">/openapi.json</a>.</p>',
        *(_section(document, tag) for tag in document["tags"]),
        f'<section><h2 id="schemas">Schemas</h2>{_schemas(document)}</section>',
        "</main></body></html>",
    ]
    return "\n".join(page).encode()


def _operations(document: Json, tag: str) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _contents(document: Json) -> str:
    groups: list[str] = []
    for tag in document["tags"]:
        entries = (
            f'<li><a href="#{operation["operationId"]}">{_badge(method)} {escape(operation["summary"])}</a></li>'
            for method, _, operation in _operations(document, tag["name"])
        )
        groups.append(f'<h2><a href="#{tag["name"]}">{escape(tag["name"])}</a></h2><ul>{"".join(entries)}</ul>')
    return "".join(groups) + '<h2><a href="#schemas">schemas</a></h2>'


def _section(document: Json, tag: Json) -> str:
    operations = "\n".join(
        _operation(document, method, path, operation) for method, path, operation in _operations(document, tag["name"])
    )
    heading = f'<h2 id="{tag["name"]}">{escape(tag["name"])}</h2><p>{_text(tag["description"])}</p>'
    return f"<section>{heading}{operations}</section>"


def _operation(document: Json, method: str, path: str, operation: Json) -> str:
    parts = [
        f'<article id="{operation["operationId"]}"><h3>{_badge(method)} <code>{escape(path)}</code></h3>',
        f'<p class="summary">{escape(operation["summary"])}</p>',
        f"<p>{_text(operation['description'])}</p>" if "description" in operation else "",
        f'<p class="needs">{_needs(operation)}</p>',
        _parameters(operation.get("parameters", [])),
        _request(method, path, operation),
        _answers(document, operation["responses"]),
        "</article>",
    ]
    return "\n".join(filter(None, parts))


def _needs(operation: Json) -> str:
    if not operation["security"]:
        return "Needs no token."
    return "A token is optional." if {} in operation["security"] else "Needs a token."


def _parameters(parameters: list[Json]) -> str:
    if not parameters:
        return ""
    rows = (
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{one['in']}</td><td>{_type(one['schema'])}</td>"
        f"<td>{_text(one['description'])}{_default(one['schema'])}</td></tr>"
        for one in parameters
    )
    head = "<tr><th>parameter</th><th>in</th><th>type</th><th>meaning</th></tr>"
    return f"<h4>Parameters</h4><table>{head}{''.join(rows)}</table>"


def _request(method: str, path: str, operation: Json) -> str:
    body = operation.get("requestBody")
    lines = [f"curl -X {method} http://127.0.0.1:8080{path.replace('{id}', '123')}"]
    if operation["security"] and {} not in operation["security"]:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    parts: list[str] = []
    if body is not None:
        ((kind, media),) = body["content"].items()
        note = f"<p>{_text(body['description'])}</p>" if "description" in body else ""
        parts.append(f"<h4>Body</h4><p>{_type(media['schema'])}</p>{note}")
        if kind == "application/octet-stream":
            lines.append("--data-binary @FILE")
        if "example" in media:
            lines.append("-H 'Content-Type: application/json'")
            lines.append(f"-d '{json.dumps(media['example'], ensure_ascii=False)}'")
    command = escape(" \\\n  ".join(lines), quote=False)
    return "".join(parts) + f"<pre><code>{command}</code></pre>"


def _answers(document: Json, answers: Json) -> str:
    rows = {status: _answer(status, _resolve(document, given)) for status, given in answers.items()}
    wrong = [status for status in rows if status >= "400"]
    right = "".join(row for status, row in rows.items() if status not in wrong)
    return (
        f"<h4>Answers</h4><table>{_ANSWERS_HEAD}{right}</table><details><summary>Failures: {', '.join(wrong)}</summary>"
        f"<table>{_ANSWERS_HEAD}{''.join(rows[status] for status in wrong)}</table></details>"
    )


def _answer(status: str, answer: Json) -> str:
    (media,) = answer["content"].values()
    schema = media["schema"].get("properties", {}).get("data", media["schema"])
    headers = ", ".join(f"<code>{escape(name)}</code>" for name in answer.get("headers", {}))
    return (
        f'<tr class="s{status[0]}"><td>{status}</td><td>{_text(answer["description"])}</td>'
        f"<td>{_type(schema)}</td><td>{headers}</td></tr>"
    )


def _schemas(document: Json) -> str:
    return "\n".join(
        f'<article id="schema-{escape(name)}"><h3><code>{escape(name)}</code></h3>'
        f"<p>{_text(schema.get('description', ''))}</p>{_fields(schema)}</article>"
        for name, schema in sorted(document["components"]["schemas"].items())
    )


def _fields(schema: Json) -> str:
    if "properties" not in schema:
        return f"<p>{_type(schema)}</p>"
    rows = (
        f"<tr><td><code>{escape(name)}</code></td><td>{_type(field)}</td>"
        f"<td>{'required' if name in schema.get('required', []) else ''}</td>"
        f"<td>{_text(field.get('description', ''))}{_default(field)}</td></tr>"
        for name, field in schema["properties"].items()
    )
    return f"<table><tr><th>field</th><th>type</th><th></th><th>meaning</th></tr>{''.join(rows)}</table>"


def _resolve(document: Json, value: Json) -> Json:
    if "$ref" not in value:
        return value
    found: Any = document
    for step in value["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def _type(schema: Json) -> str:
    """A schema in a few words, with links to named schemas."""
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(_SCHEMAS))
        return f'<a href="#schema-{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(f"<code>{escape(json.dumps(value))}</code>" for value in values)
    kind = schema.get("type", "anything")
    kinds = kind if isinstance(kind, list) else [kind]
    if kinds == ["array"]:
        return f"list of {_type(schema.get('items', {}))}"
    if kinds == ["object"] and isinstance(schema.get("additionalProperties"), dict):
        return f"names with {_type(schema['additionalProperties'])}"
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    return escape(" or ".join([*kinds]) + (f" ({', '.join(limits)})" if limits else ""))


_LIMITS = {
    "format": "format",
    "minLength": "length ≥",
    "maxLength": "length ≤",
    "minimum": "≥",
    "exclusiveMinimum": ">",
    "maximum": "≤",
    "pattern": "like",
}


def _default(schema: Json) -> str:
    value = schema.get("default")
    return "" if value is None else f" <small>default <code>{escape(json.dumps(value))}</code></small>"


def _badge(method: str) -> str:
    return f'<b class="m {method.lower()}">{method}</b>'


def _text(text: str) -> str:
    """Escapes text, and marks what stands between backticks as code."""
    pieces = text.split("`")
    return "".join(
        f"<code>{escape(piece)}</code>" if index % 2 else escape(piece) for index, piece in enumerate(pieces)
    )
