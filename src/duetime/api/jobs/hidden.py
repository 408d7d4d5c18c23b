"""Credentials in a target are taken in and never shown again."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from duetime.model.errors import Invalid
from duetime.model.target import BasicAuth, BearerAuth, HttpTarget, LogTarget

HIDDEN: Final = "(hidden)"

_SECRET_HEADER = re.compile(
    r"authorization|cookie|token|secret|passw|credential|signature|(^|[-_])key$|apikey", re.IGNORECASE
)


def is_secret_header(name: str) -> bool:
    """Whether a header of this name holds something to keep from view."""
    return _SECRET_HEADER.search(name) is not None


def shown_target(target: LogTarget | HttpTarget) -> LogTarget | HttpTarget:
    """The target as it may be shown."""
    if not isinstance(target, HttpTarget) or (target.auth is None and not target.headers):
        return target
    headers = {name: HIDDEN if is_secret_header(name) else value for name, value in target.headers.items()}
    match target.auth:
        case BasicAuth(username=username):
            auth = BasicAuth(username, HIDDEN)
        case BearerAuth():
            auth = BearerAuth(HIDDEN)
        case None:
            auth = None
    return replace(target, headers=headers, auth=auth)


def refuse_hidden(target: HttpTarget) -> None:
    """Refuse a target that was shown and is sent back: its credentials would be lost."""
    shown = f"'{HIDDEN}' stands for a credential that is not shown: send the real one."
    if isinstance(target.auth, BasicAuth) and target.auth.password == HIDDEN:
        raise Invalid(shown, field="target.auth.password")
    if isinstance(target.auth, BearerAuth) and target.auth.token == HIDDEN:
        raise Invalid(shown, field="target.auth.token")
    for name, value in target.headers.items():
        if value == HIDDEN and is_secret_header(name):
            raise Invalid(shown, field=f"target.headers.{name}")
