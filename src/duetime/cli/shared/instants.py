"""Instants as people read them: in the time zone of this machine, or with --utc in UTC. JSON always has UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated

import typer

_shown_in: tzinfo | None = None
"""The zone that instants are shown in. None is the zone of this machine, whose offset changes over the year."""


def show_in(zone: tzinfo | None) -> None:
    """Sets the zone that instants are shown in; None is the zone of this machine."""
    global _shown_in
    _shown_in = zone


def _choose(utc: bool) -> bool:
    show_in(UTC if utc else None)
    return utc


Utc = Annotated[
    bool,
    typer.Option(
        "--utc",
        callback=_choose,
        help="Show instants in UTC. Default: in the time zone of this machine, with the offset.",
        show_default=False,
    ),
]


def format_instant(at: datetime) -> str:
    """Returns an instant with its UTC offset (Z for none), and with milliseconds unless it is a whole second."""
    try:
        local = at.astimezone(_shown_in)
    except (OverflowError, ValueError, OSError):
        local = at.astimezone(UTC)
    offset = "Z" if local.utcoffset() == timedelta() else local.isoformat()[-6:]
    text = local.replace(tzinfo=None).isoformat(" ", "milliseconds" if at.microsecond else "seconds")
    return text + offset
