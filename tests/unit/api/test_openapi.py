"""The document is valid, complete, and made from the table; the page is well-formed and made from the document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31

from duetime.api.document.openapi import build_document, errors_of
from duetime.api.document.page import render_docs
from duetime.api.server.errors import STATUS, status_of
from duetime.api.table import TABLE
from duetime.model.errors import Conflict, DuetimeError

DOCUMENT: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(build_document(TABLE, "1.2.3")))
OPERATIONS = [
    (path, method, operation) for path, methods in DOCUMENT["paths"].items() for method, operation in methods.items()
]


def nodes(value: Any) -> Iterator[Any]:
    yield value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(below)


def test_it_is_valid_openapi() -> None:
    jsonschema_rs.Draft202012Validator(OPENAPI_31).validate(DOCUMENT)


def test_every_reference_leads_somewhere_and_every_schema_is_used() -> None:
    used = {node["$ref"] for node in nodes(DOCUMENT) if isinstance(node, dict) and isinstance(node.get("$ref"), str)}
    for reference in used:
        place: Any = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]
    assert {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]} <= used


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_every_schema_is_valid(name: str) -> None:
    jsonschema_rs.meta.validate(DOCUMENT["components"]["schemas"][name])


def test_it_has_every_route_and_nothing_else() -> None:
    described = [(method.upper(), path) for path, method, _ in OPERATIONS]
    assert sorted(described) == sorted((route.method, route.path) for route in TABLE)
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("route", TABLE, ids=lambda route: f"{route.method} {route.path}")
def test_an_operation_says_what_the_route_does(route: Any) -> None:
    operation = DOCUMENT["paths"][route.path][route.method.lower()]
    statuses = {route.status, *route.also, *(status_of(error) for error in errors_of(route))}
    assert {int(status) for status in operation["responses"]} == statuses
    assert ("requestBody" in operation) == (route.body is not None or route.streams)
    by = [{"bearer": []}, {"cookie": []}]
    expected = {"none": [], "optional": [{}, *by]}.get(route.auth, by)
    assert operation["security"] == expected
    assert (401 in statuses) == (route.auth != "none" or route.path.endswith(("/login", "/auth/session")))


def test_examples_of_bodies_fit_their_schemas() -> None:
    checked = 0
    for _, _, operation in OPERATIONS:
        for media in filter(None, [operation.get("requestBody", {}).get("content", {}).get("application/json")]):
            schema = media["schema"] | {"components": DOCUMENT["components"]}
            jsonschema_rs.Draft202012Validator(schema).validate(media["example"])
            checked += 1
    assert checked == sum(route.body is not None for route in TABLE)


def test_objects_that_are_sent_refuse_unknown_fields() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        if name.endswith(("Body", "Patch")):
            assert schema["additionalProperties"] is False, name


def test_every_error_class_has_one_status() -> None:
    class Special(Conflict):
        """A special conflict."""

    assert status_of(Special) == 409
    assert STATUS[DuetimeError] == 500


VOID = {"meta", "link"}


class Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.attributes: set[str] = set()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(values)
        if "id" in values:
            assert values["id"] not in self.ids
            self.ids.add(values["id"] or "")
        if values.get("href"):
            self.links.add(values["href"] or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_no_script_and_no_other_host() -> None:
    page = render_docs(DOCUMENT).decode()
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert checker.tags.isdisjoint({"script", "style", "iframe", "img", "form"})
    assert not [name for name in checker.attributes if name.startswith("on") or name == "style"]
    within = {link.removeprefix("#") for link in checker.links if link.startswith("#")}
    assert within <= checker.ids
    assert {link for link in checker.links if not link.startswith("#")} == {"/docs/style.css", "/openapi.json"}
    for path, _, operation in OPERATIONS:
        assert f'id="{operation["operationId"]}"' in page
        assert f"<code>{path}</code>" in page


def test_the_page_escapes_what_it_shows() -> None:
    hostile = DOCUMENT | {"info": DOCUMENT["info"] | {"title": "<script>", "description": "`<b>` & <i>"}}
    page = render_docs(hostile).decode()
    assert "<script>" not in page
    assert not re.search(r"<b>|<i>", page.partition("<main>")[2])


def test_every_field_of_a_retry_policy_is_explained() -> None:
    schema = DOCUMENT["components"]["schemas"]["Retry"]
    assert "in seconds" in schema["description"]
    assert [name for name, field in schema["properties"].items() if "description" not in field] == []
