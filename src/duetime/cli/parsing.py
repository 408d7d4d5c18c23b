"""From what a person types to what the client takes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import typer


def instant(text: str | None, option: str) -> datetime | None:
    """An instant; without an offset it is meant in the time zone of this machine."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        message = f"'{text}' is not an instant: write it as 2026-01-31T09:30:00Z or 2026-01-31T09:30:00+01:00."
        raise typer.BadParameter(message, param_hint=option) from None
    return at if at.utcoffset() is not None else at.astimezone()


def seconds(text: str | None) -> float | None:
    """A duration such as 30s, in seconds."""
    from duetime.timing.durations import parse_duration

    return None if text is None else parse_duration(text).total_seconds()


def pairs(entries: list[str] | None, separator: str, option: str) -> dict[str, str]:
    """Names and values."""
    found: dict[str, str] = {}
    for entry in entries or []:
        name, middle, value = entry.partition(separator)
        if not (middle and name.strip()):
            raise typer.BadParameter(f"'{entry}' is not NAME{separator}VALUE.", param_hint=option)
        found[name.strip()] = value.strip()
    return found


def http_target(url: str | None, method: str | None, headers: list[str] | None) -> dict[str, Any] | None:
    """The target that the options describe; none without a URL."""
    if url is None:
        if method or headers:
            raise typer.BadParameter("--method and --header need a --url.", param_hint="--url")
        return None
    target: dict[str, Any] = {"kind": "http", "url": url}
    if method:
        target["method"] = method.upper()
    if headers:
        target["headers"] = pairs(headers, ":", "--header")
    return target
