"""A route as a value: everything there is to know about one call, for the server and for the document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from duetime.api.server.envelope import Header
from duetime.api.server.parts import Parts
from duetime.api.services import Services
from duetime.model.errors import DuetimeError, Unauthorized
from duetime.model.user import User

B = TypeVar("B")
Q = TypeVar("Q")

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Auth = Literal["none", "optional", "user", "admin"]
Size = Literal["small", "job", "bulk"]


class Call(Struct, Generic[B, Q], frozen=True):
    """One request, read and checked, as a handler gets it."""

    parts: Parts
    caller: User | None
    body: B
    query: Q
    id: int
    """The id in the path; 0 where the path has none."""
    headers: list[Header]
    address: str
    key: str = ""
    """The ordering key in the path; empty where the path has none."""

    @property
    def services(self) -> Services:
        """The engine's verbs."""
        return self.parts.services

    @property
    def user(self) -> User:
        """Who is calling."""
        if self.caller is None:
            raise Unauthorized
        return self.caller

    def header(self, name: bytes) -> str | None:
        """A header's value; the first, if there are several."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), None)


class Answer(Struct, frozen=True):
    """A success that is more than its data: another status, or headers."""

    data: object
    status: int | None = None
    headers: tuple[Header, ...] = ()


class Listing(Struct, frozen=True):
    """One page of a listing and where the next one begins."""

    data: object
    next_cursor: str | None


class Page(Struct, frozen=True):
    """An answer that is not in the envelope: a page, a style sheet, the document itself."""

    body: bytes
    headers: tuple[Header, ...]


@dataclass(frozen=True, slots=True)
class HeaderParameter:
    """A request header that a call takes."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Route(Generic[B, Q]):
    """One call. The server and the document are both made from this, so neither can say more than the other."""

    method: Method
    path: str
    """With `{id}` where an id stands, and `{key}` where an ordering key does, percent-encoded as one segment."""
    handler: Callable[[Call[B, Q]], Awaitable[object]]
    summary: str
    body: type[B] | None = None
    query: type[Q] | None = None
    answer: Any = None
    """The type of `data`; None for a `Page`."""
    status: int = 200
    auth: Auth = "user"
    errors: tuple[type[DuetimeError], ...] = ()
    """Beyond those that follow from the rest of the route."""
    tag: str = "jobs"
    description: str = ""
    paged: bool = False
    """Whether `next_cursor` stands beside `data`."""
    size: Size = "small"
    """How large the body may be."""
    line: Any = None
    """The type of one line, where the body may also come as NDJSON."""
    headers: tuple[HeaderParameter, ...] = ()
    answer_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    also: Mapping[int, str] = field(default_factory=dict[int, str])
    """Other statuses of success, with what they mean."""
    media_type: str = "application/json"
    example: object = None
    """An example of the body."""
    body_optional: bool = False
    """Whether the body may be left out; it is None then."""
