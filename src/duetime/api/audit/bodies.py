"""What clients ask of the audit."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct, field

from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL

Action = Annotated[
    str,
    Meta(
        min_length=1, max_length=64, description="How the action begins, such as `schedule.`.", extra_json_schema=NO_NUL
    ),
]
Subject = Annotated[str, Meta(min_length=1, max_length=300, extra_json_schema=NO_NUL)]
UserNumber = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class OwnAuditQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which of one's own entries to list."""

    action: Action | None = None
    subject: Subject | None = None
    from_: datetime | None = field(default=None, name="from")
    to: datetime | None = None
    limit: PageSize = 100
    cursor: Cursor | None = None


class AuditQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which entries to list."""

    user: Annotated[UserNumber, Meta(description="Made by this user, or about its things.")] | None = None
    actor: UserNumber | None = None
    action: Action | None = None
    subject: Subject | None = None
    from_: datetime | None = field(default=None, name="from")
    to: datetime | None = None
    limit: PageSize = 100
    cursor: Cursor | None = None


class ChainQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which links to show."""

    after: Annotated[int, Meta(ge=0, le=2**53 - 1, description="The number of the link before.")] = 0
    limit: PageSize = 100
