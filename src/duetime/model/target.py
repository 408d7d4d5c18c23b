"""What "do" means: the kinds of target that a job can have."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


class LogTarget(Struct, frozen=True, tag="log", tag_field="kind", forbid_unknown_fields=True):
    """The message goes to the run's log, and that is all."""


class BasicAuth(Struct, frozen=True, tag="basic", tag_field="type", forbid_unknown_fields=True):
    """A user name and a password, sent as HTTP Basic."""

    username: Annotated[str, Meta(min_length=1, max_length=255)]
    password: Annotated[str, Meta(max_length=1024)]


class BearerAuth(Struct, frozen=True, tag="bearer", tag_field="type", forbid_unknown_fields=True):
    """A token, sent as `Authorization: Bearer`."""

    token: Annotated[str, Meta(min_length=1, max_length=8192)]


class HttpTarget(Struct, frozen=True, tag="http", tag_field="kind", forbid_unknown_fields=True):
    """An HTTP request; a 2xx answer is success. Without a `body`, the job's message is the body."""

    url: Annotated[str, Meta(min_length=8, max_length=8192)]
    method: HttpMethod = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    body: Annotated[str, Meta(max_length=262_144)] | None = None
    auth: BasicAuth | BearerAuth | None = None
    follow_redirects: Annotated[int, Meta(ge=0, le=10)] = 0


Target = LogTarget | HttpTarget
