"""A route as a value: everything that the server and the document know about one call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct
from starlette.types import Message, Receive

from duetime.api.connections.loopback import is_from_this_machine
from duetime.api.server.envelope import Header
from duetime.api.server.parts import Parts
from duetime.api.server.services import Services
from duetime.model.errors import DuetimeError, Unauthorized
from duetime.model.targets.port import TargetKind
from duetime.model.user import User

B = TypeVar("B")
Q = TypeVar("Q")

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Auth = Literal["none", "optional", "user", "admin"]
Size = Literal["small", "job", "set", "bulk"]


async def never() -> Message:
    """A client that stays, and sends nothing more."""
    return await asyncio.get_running_loop().create_future()


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
    """The client's own name in the path (an ordering key, an idempotency key); empty where the path has none."""
    version: str = "1.1"
    """Of HTTP."""
    receive: Receive = never
    """What comes after the request's body."""

    async def disconnected(self) -> None:
        """Wait until the client closes the connection, for calls that wait long."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    @property
    def services(self) -> Services:
        """The settings, the clock and the engine's services."""
        return self.parts.services

    @property
    def from_this_machine(self) -> bool:
        """Whether the request gets what loopback alone allows."""
        local = self.services.settings.loopback and not self.parts.proxies.trusted(self.address)
        return is_from_this_machine(local, self.address, self.version, self.headers)

    @property
    def user(self) -> User:
        """The caller, where a token is required."""
        if self.caller is None:
            raise Unauthorized
        return self.caller

    def check_target(self, target: TargetKind) -> None:
        """Raise `Invalid` if the operator does not let the caller have a target."""
        target.check_rules(self.services.settings.target_rules, self.user.username)

    def header(self, name: bytes) -> str | None:
        """A header's value; the first one if there are several."""
        return next((value.decode("latin-1") for key, value in self.headers if key == name), None)


class Answer(Struct, frozen=True):
    """A success with a status or headers of its own."""

    data: object
    status: int | None = None
    headers: tuple[Header, ...] = ()


class Listing(Struct, frozen=True):
    """One page of a listing, and the cursor of the next page."""

    data: object
    next_cursor: str | None


class Page(Struct, frozen=True):
    """An answer without the envelope: a page, a style sheet, the document itself."""

    body: bytes
    headers: tuple[Header, ...]


@dataclass(frozen=True, slots=True)
class HeaderParameter:
    """A request header that a call reads."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Route(Generic[B, Q]):
    """One call. The server and the document are both made from it, so they cannot disagree."""

    method: Method
    path: str
    """With `{id}` for an id, and `{key}` for a name that a client gave, percent-encoded as one segment."""
    handler: Callable[[Call[B, Q]], Awaitable[object]]
    summary: str
    body: type[B] | None = None
    query: type[Q] | None = None
    answer: Any = None
    """The type of `data`; None for a `Page`."""
    status: int = 200
    auth: Auth = "user"
    errors: tuple[type[DuetimeError], ...] = ()
    """Errors besides those that follow from the rest of the route."""
    tag: str = "jobs"
    description: str = ""
    paged: bool = False
    """Whether the answer has `next_cursor` beside `data`."""
    size: Size = "small"
    """How large the body may be."""
    list_field: str | None = None
    """The field of the body that holds a long list, which is decoded in slices."""
    line: Any = None
    """The type of one item, where the body is a long list: it may also be NDJSON, and is read in slices."""
    noun: str = "item"
    """What one item is called in errors."""
    headers: tuple[HeaderParameter, ...] = ()
    answer_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    also: Mapping[int, str] = field(default_factory=dict[int, str])
    """Other statuses of success, with their meaning."""
    media_type: str = "application/json"
    example: object = None
    """An example of the body."""
    streams: bool = False
    """Whether the handler reads the body itself, as bytes: `Call.receive` has it."""
    body_optional: bool = False
    """Whether the body may be left out; `Call.body` is None then."""
