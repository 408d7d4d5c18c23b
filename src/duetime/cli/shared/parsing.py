"""From what a person types to what the client takes."""

from __future__ import annotations

import re
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
    try:
        return at if at.utcoffset() is not None else at.astimezone()
    except (ValueError, OverflowError):
        message = f"'{text}' is too far off to be a local time: give it an offset, such as {text}Z."
        raise typer.BadParameter(message, param_hint=option) from None


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


def rate(text: str | None, option: str) -> dict[str, Any]:
    """`10/second` as a limit has it; without a unit it is per second."""
    if text is None:
        return {}
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)(?:/(second|minute|hour))?", text.strip())
    if found is None or float(found[1]) <= 0:
        message = f"'{text}' is not a rate: write it as 10/second, 600/minute or 5/hour."
        raise typer.BadParameter(message, param_hint=option)
    return {"rate": float(found[1]), "per": found[2] or "second"}


def limit(concurrency: int | None, per: str | None) -> dict[str, Any] | None:
    """The limit that the options describe; none without any."""
    found = rate(per, "--rate") | ({} if concurrency is None else {"max_concurrency": concurrency})
    return found or None


def hours(window: str | None, zone: str | None) -> dict[str, str] | None:
    """The hours that the options describe; none without a window."""
    if window is None:
        if zone is not None:
            raise typer.BadParameter("--zone goes with --hours.", param_hint="--zone")
        return None
    return {"window": window, **({} if zone is None else {"zone": zone})}


def shards(text: str, option: str) -> list[int]:
    """Shards such as `0-15,64`."""
    found: set[int] = set()
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*([0-9]{1,4})(?:-([0-9]{1,4}))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds else (1, 0)
        if not 0 <= first <= last < 1024:
            raise typer.BadParameter(f"'{text}' is not a list of shards (0 to 1023): 0-15,64.", param_hint=option)
        found.update(range(first, last + 1))
    return sorted(found)
